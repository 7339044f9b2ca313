import type { JsonPatchOperation, KubeObject, Patch } from '@tiphys/kube'
import { isEqual, isFields, mergePatched } from './merge.ts'
import { invalidTrigger } from './trigger-failures.ts'

export const PATCH_STRATEGIES = {
  '': 'merge',
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const

export type PatchStrategy = (typeof PATCH_STRATEGIES)[keyof typeof PATCH_STRATEGIES]

/** The patch that an object stands for. A merge patch is the object; the operations of a JSON patch are in its `patch`. */
export function patchFrom(object: KubeObject, type: 'json' | 'merge' | 'strategic'): Patch {
  if (type !== 'json') return { type, patch: object }
  const { patch } = object
  if (!Array.isArray(patch))
    throw invalidTrigger('The JSON patch has no operations', {
      todo: 'Write them as a list in the field patch of the resource, beside apiVersion, kind and metadata',
    })
  return { type, operations: patch as JsonPatchOperation[] }
}

/** Whether the patch, done a second time, leaves everything as the first time did. Where lists are numbered or values
 *  tested it does not; the lists of strategic patches are merged by key or replaced as a whole. */
export function isIdempotent(patch: Patch): boolean {
  return (
    patch.type !== 'json' ||
    patch.operations.every(({ op, path }) => op === 'replace' || (op === 'add' && !/\/(-|\d+)$/.test(path)))
  )
}

/** Whether it is certain that the patch changes nothing of an object. */
export function changesNothing(live: KubeObject, patch: Patch): boolean {
  if (patch.type === 'json') return isIdempotent(patch) && patch.operations.every(operation => isDone(live, operation))
  if (patch.type === 'strategic' && hasListsOrDirectives(patch.patch)) return false
  return isEqual(mergePatched(live, patch.patch), live)
}

/** The operations, if the object is still as it was read, and the note of what was done. */
export function withNote(
  live: KubeObject,
  operations: readonly JsonPatchOperation[],
  note: { annotation: string; value: string },
): Patch {
  const { resourceVersion, annotations } = live.metadata
  const path = `/metadata/annotations/${escaped(note.annotation)}`
  return {
    type: 'json',
    operations: [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      // Before the operations, which may be about the annotations themselves.
      ...(annotations === undefined ? [{ op: 'add' as const, path: '/metadata/annotations', value: {} }] : []),
      ...operations,
      { op: 'add', path, value: note.value },
    ],
  }
}

function isDone(live: unknown, { path, value }: JsonPatchOperation): boolean {
  let at = live
  for (const part of path.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false
    at = (at as Record<string, unknown>)[name]
  }
  return isEqual(at, value)
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function hasListsOrDirectives(value: unknown): boolean {
  if (Array.isArray(value)) return true
  return (
    isFields(value) &&
    Object.entries(value).some(([name, field]) => name.startsWith('$') || hasListsOrDirectives(field))
  )
}
