import type { KubeObject } from '@tiphys/kube'
import { type FieldError, invalid } from '../field-error.ts'
import { getOwn, isObject, jsonCopy, setField } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'

/** Where a custom resource keeps what the scale subresource shows: `.spec.replicas`. */
export interface ScalePaths {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath?: string
}

export interface Scale {
  apiVersion: 'autoscaling/v1'
  kind: 'Scale'
  metadata: KubeObject['metadata']
  spec: { replicas?: number }
  status: { replicas: number; selector?: string }
}

const MOST_REPLICAS = 2 ** 31 - 1

type Found = { value: Json | undefined } | { error: string }

/** The scale subresource of an object; an error when a path leads to something else. `hasReplicas` is false when the
 *  object does not say how many: the real server refuses to show or change such a scale. */
export function scaleOf(
  object: KubeObject,
  paths: ScalePaths,
): { scale: Scale; hasReplicas: boolean } | { error: string } {
  const spec = findInteger(object as JsonObject, paths.specReplicasPath)
  if ('error' in spec) return spec
  const status = findInteger(object as JsonObject, paths.statusReplicasPath)
  if ('error' in status) return status
  const selector = paths.labelSelectorPath
    ? findString(object as JsonObject, paths.labelSelectorPath)
    : { value: undefined }
  if ('error' in selector) return selector
  const { creationTimestamp, name, namespace, resourceVersion, uid } = object.metadata
  const replicas = Number(spec.value ?? 0)
  const scale: Scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: withoutUndefined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: Number(status.value ?? 0), ...(selector.value ? { selector: selector.value as string } : {}) },
  }
  return { scale, hasReplicas: spec.value !== undefined }
}

/** A copy of the object with another number of replicas. */
export function withReplicas(object: KubeObject, paths: ScalePaths, replicas: number): KubeObject {
  const copy = jsonCopy(object)
  const names = splitPath(paths.specReplicasPath)
  let parent = copy as JsonObject
  for (const name of names.slice(0, -1)) {
    const child = getOwn(parent, name)
    if (!isObject(child)) setField(parent, name, {})
    parent = getOwn(parent, name) as JsonObject
  }
  setField(parent, names.at(-1) ?? '', replicas)
  return copy
}

/** What must hold for the fields that the scale subresource shows. */
export function validateScale(object: JsonObject, paths: ScalePaths, onlyStatus: boolean): FieldError[] {
  const errors = onlyStatus ? [] : validateReplicas(object, paths.specReplicasPath)
  errors.push(...validateReplicas(object, paths.statusReplicasPath))
  if (paths.labelSelectorPath !== undefined) {
    const selector = findString(object, paths.labelSelectorPath)
    if ('error' in selector) errors.push(invalid(paths.labelSelectorPath, '', selector.error))
  }
  return errors
}

function validateReplicas(object: JsonObject, path: string): FieldError[] {
  const found = findInteger(object, path)
  if ('error' in found) return [invalid(path, 0, found.error)]
  const replicas = found.value as number | bigint | undefined
  if (replicas === undefined) return []
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')]
  if (replicas > MOST_REPLICAS) return [invalid(path, replicas, `should be less than or equal to ${MOST_REPLICAS}`)]
  return []
}

function findInteger(object: JsonObject, path: string): Found {
  return find(object, path, 'int64', value => typeof value === 'bigint' || Number.isSafeInteger(value))
}

function findString(object: JsonObject, path: string): Found {
  return find(object, path, 'string', value => typeof value === 'string')
}

const splitPath = (path: string): string[] => path.replace(/^\./, '').split('.')

function find(object: JsonObject, path: string, type: string, fits: (value: Json) => boolean): Found {
  let value: Json = object
  let walked = ''
  for (const name of splitPath(path)) {
    if (!isObject(value)) return { error: accessorError(walked, value, 'map[string]interface {}') }
    const next = getOwn(value, name)
    if (next === undefined) return { value: undefined }
    value = next
    walked += `.${name}`
  }
  return fits(value) ? { value } : { error: accessorError(walked, value, type) }
}

const accessorError = (path: string, value: Json, wanted: string): string =>
  `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${wanted}`

/** A value as Go's %v prints it. */
function goText(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return String(value)
  const keys = Object.keys(value).sort()
  return `map[${keys.map(name => `${name}:${goText(value[name] as Json)}`).join(' ')}]`
}

function goType(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64'
}

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
