import { createHash } from 'node:crypto'
import { TerminalFailure } from '@tiphys/env'
import { type Change, changesOf } from '@tiphys/journal/records'
import {
  type Client,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type JsonPatchOperation,
  type KubeObject,
  type ObjectRef,
} from '@tiphys/kube'
import { ANNOTATION } from '../pods/labels.ts'
import type { KubectlFlags } from './kubectl-flags.ts'

/** One request of a resource template. */
export interface ResourceWrite {
  client: Client
  action: string
  object: KubeObject
  ref: ObjectRef
  mergeStrategy: string
  /** The operations of a JSON patch. */
  operations: readonly JsonPatchOperation[] | undefined
  flags: KubectlFlags
  /** Of the run and the step: equal on every repeat. */
  key: string
  /** Where what it creates comes from. */
  provenance: Readonly<Record<string, string>>
  signal: AbortSignal
}

export interface Written {
  object: KubeObject | undefined
  outcome: 'created' | 'changed' | 'unchanged' | 'deleted' | undefined
  /** What it changed of an object that was there. */
  diff?: readonly Change[]
}

const MANAGER = 'tiphys-workflows'
const MOST_CONFLICTS = 5
const PROVENANCE = [ANNOTATION.event, ANNOTATION.run, ANNOTATION.action]

/** Does it once: what the same step did before a crash is recognised by its key. */
export async function write(request: ResourceWrite): Promise<Written> {
  try {
    return await send(request)
  } catch (thrown) {
    // A version that the manifest names does not become right by trying again.
    if (request.object.metadata.resourceVersion === undefined || !isConflict(thrown)) throw thrown
    throw new TerminalFailure('workflow-resource-invalid', { what: thrown.message, cause: thrown })
  }
}

async function send(request: ResourceWrite): Promise<Written> {
  const { client, action, object, ref, flags, signal } = request
  const options = {
    signal,
    fieldManager: flags.fieldManager ?? MANAGER,
    ...(flags.fieldValidation && { fieldValidation: flags.fieldValidation }),
  }
  switch (action) {
    case 'get':
      return {
        object: flags.ignoreNotFound ? await find(client, ref, signal) : await client.get(ref, { signal }),
        outcome: undefined,
      }
    case 'create':
      return create(request, options)
    case 'apply': {
      const live = await find(client, ref, signal)
      const { resourceVersion: _, ...metadata } = object.metadata
      const wanted = { ...object, metadata: { ...metadata, name: ref.name } }
      const kept = live ? provenanceOf(live) : request.provenance
      const applied = await client.apply(annotated(wanted, kept), { ...options, force: true })
      return written(live, applied)
    }
    case 'replace': {
      const live = await client.get(ref, { signal })
      const { resourceVersion, uid } = live.metadata
      const metadata = {
        ...object.metadata,
        resourceVersion: object.metadata.resourceVersion ?? resourceVersion ?? '',
        uid: uid ?? '',
      }
      const replaced = await client.update(annotated({ ...object, metadata }, provenanceOf(live)), options)
      return written(live, replaced)
    }
    case 'patch':
      return patch(request, options)
    case 'delete':
      return remove(request)
    default:
      throw new TerminalFailure('workflow-action-unknown', {
        what: `A resource template cannot ${JSON.stringify(action)}`,
        todo: 'Its action is get, create, apply, delete, replace or patch',
      })
  }
}

async function create(
  { client, object, ref, key, provenance, signal }: ResourceWrite,
  options: object,
): Promise<Written> {
  const named = { ...object, metadata: { ...object.metadata, name: ref.name } }
  try {
    const created = await client.create(annotated(named, { ...provenance, [ANNOTATION.action]: key }), options)
    return { object: created, outcome: 'created' }
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown
    const there = await find(client, ref, signal)
    // Made by this step, before the engine was started anew.
    if (there?.metadata.annotations?.[ANNOTATION.action] === key) return { object: there, outcome: undefined }
    throw thrown
  }
}

async function patch(request: ResourceWrite, options: object): Promise<Written> {
  const { client, object, ref, mergeStrategy, operations, key, signal } = request
  const live = await client.get(ref, { signal })
  if (!operations) {
    const type = mergeStrategy === 'merge' ? 'merge' : 'strategic'
    const patched = await client.patch(ref, { type, patch: object }, options)
    return written(live, patched)
  }
  // Operations on lists, done twice, do more: the same request notes that they were done.
  const note = `done.tiphys.dev/${key.slice(0, 10)}`
  for (let conflicts = 1, now = live; ; conflicts++) {
    const { annotations, resourceVersion } = now.metadata
    if (annotations?.[note] !== undefined) return { object: now, outcome: undefined }
    const noted: JsonPatchOperation[] = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      ...(annotations === undefined ? [{ op: 'add' as const, path: '/metadata/annotations', value: {} }] : []),
      ...operations,
      { op: 'add', path: `/metadata/annotations/${note.replaceAll('/', '~1')}`, value: 'true' },
    ]
    try {
      const patched = await client.patch(ref, { type: 'json', operations: noted }, options)
      return written(now, patched)
    } catch (thrown) {
      if (!isConflict(thrown) || conflicts === MOST_CONFLICTS) throw thrown
      now = await client.get(ref, { signal })
    }
  }
}

async function remove({ client, ref, flags, signal }: ResourceWrite): Promise<Written> {
  try {
    await client.delete(ref, {
      signal,
      ...(flags.force ? { gracePeriodSeconds: 0 } : {}),
      ...(flags.gracePeriodSeconds !== undefined && { gracePeriodSeconds: flags.gracePeriodSeconds }),
      ...(flags.propagationPolicy && { propagationPolicy: flags.propagationPolicy }),
    })
    return { object: undefined, outcome: 'deleted' }
  } catch (thrown) {
    if (isNotFound(thrown)) return { object: undefined, outcome: undefined }
    throw thrown
  }
}

export async function find(client: Client, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref, { signal })
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}

/** The name that a generateName becomes: the same on every repeat. */
export const generatedName = (prefix: string, key: string): string => `${prefix.slice(0, 53)}${key.slice(0, 10)}`

/** Equal when a step is done again after a crash, another one when its run is retried. */
export function stepKey({ metadata: { uid = '', annotations = {} } }: KubeObject, step: string): string {
  const retries = annotations[ANNOTATION.retries]
  return createHash('sha256')
    .update(JSON.stringify([uid, step, ...(retries === undefined ? [] : [retries])]))
    .digest('hex')
}

function written(before: KubeObject | undefined, now: KubeObject): Written {
  if (!before) return { object: now, outcome: 'created' }
  if (before.metadata.resourceVersion === now.metadata.resourceVersion) return { object: now, outcome: 'unchanged' }
  const diff = changesOf(before, now)
  return { object: now, outcome: 'changed', ...(diff.length > 0 && { diff }) }
}

const provenanceOf = ({ metadata }: KubeObject): Record<string, string> =>
  Object.fromEntries(
    PROVENANCE.flatMap(name => {
      const value = metadata.annotations?.[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  if (Object.keys(annotations).length === 0) return object
  const merged = { ...object.metadata.annotations, ...annotations }
  return { ...object, metadata: { ...object.metadata, annotations: merged } }
}
