import { type KubeObject, type ManagedFieldsEntry, parseApiVersion } from '@tiphys/kube'
import { jsonCopy, jsonEqual } from '../json-value.ts'
import type { Json, JsonObject, Schema } from '../schema/schema.ts'
import { badRequest, StatusError } from '../status-error.ts'
import { ApplyConflict, type Conflict, conflictOver } from './apply-conflict.ts'
import { difference, EMPTY, forEachPath, has, intersection, isEmpty, recursiveDifference, union } from './field-set.ts'
import { type FieldType, objectType } from './field-type.ts'
import { fieldsOfLastApplied, lastApplied, refreshLastApplied } from './last-applied.ts'
import {
  decodeManagers,
  encodeManagers,
  type Manager,
  type Managers,
  managerId,
  withoutNeverOwned,
} from './managers.ts'
import { merge, removeFields } from './merge.ts'
import { reconcile, withNamedParents } from './schema-fields.ts'
import {
  compareObjects,
  recordUpdate,
  type Tracking,
  takeFromManagers,
  type VersionComparison,
  versionOf,
} from './track-update.ts'
import { namedFields, TypeMismatch } from './typed.ts'
import { joinTypeErrors, typeErrors } from './validate.ts'
import { zeroObject } from './zero-value.ts'

export interface ApplyRequest extends Tracking {
  /** The stored object; undefined when the apply creates it. */
  live: KubeObject | undefined
  /** What the client wants, as it sent it: neither defaulted nor pruned. */
  config: KubeObject
  /** Takes over the fields of others instead of answering a conflict. */
  force: boolean
}

export interface Applied {
  /** The merged object without managedFields, not yet defaulted. The caller's own copy. */
  object: KubeObject
  managedFields: ManagedFieldsEntry[] | undefined
  /** False when the configuration was in force already: then object and times are those of the live object. */
  isChanged: boolean
}

/** Server-side apply. Throws an `ApplyConflict`, or a `StatusError` for a configuration that cannot be applied. */
export function applyPatch(request: ApplyRequest): Applied {
  const { live, config, apiVersion } = request
  if (config.apiVersion !== apiVersion || (live?.kind !== undefined && config.kind !== live.kind)) {
    throw badRequest(`invalid object type: ${describeKind(config)}`)
  }
  try {
    if (request.manager !== 'kubectl') return applyOnce(request)
    const applied = applyAsKubectl(request)
    if (lastApplied(applied.object) !== '') refreshLastApplied(applied.object, config)
    return applied
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error
    // The configuration was checked, so it is the stored object that does not fit the schema of today.
    throw new StatusError(
      500,
      '',
      `failed to create typed live object (${describeObject(live ?? config)}): ${error.message}`,
    )
  }
}

/** kubectl takes over what its client-side apply set without a conflict. */
function applyAsKubectl(request: ApplyRequest): Applied {
  try {
    return applyOnce(request)
  } catch (error) {
    if (!(error instanceof ApplyConflict) || request.live === undefined) throw error
    const allowed = fieldsOfLastApplied(
      withoutManagedFields(request.live),
      request.apiVersion,
      objectType(request.schema),
    )
    if (allowed === undefined) throw error
    const left = error.conflicts.filter(({ path }) => !has(allowed, path))
    if (left.length > 0) throw new ApplyConflict(left)
    return applyOnce({ ...request, force: true })
  }
}

function applyOnce(request: ApplyRequest): Applied {
  const { config, schema, apiVersion, subresource, resetFields, now } = request
  const type = objectType(schema)
  const managers = managersOfApply(request)
  reconcileManagers(managers, request)
  if ((config.metadata?.managedFields ?? null) !== null) throw badRequest('metadata.managedFields must be nil')
  const errors = typeErrors(config as JsonObject, type)
  if (errors.length > 0) {
    throw new StatusError(
      500,
      '',
      `failed to create typed patch object (${describeObject(config)}): ${joinTypeErrors(errors)}`,
    )
  }
  const live = request.live === undefined ? emptyObject(config, schema) : withoutManagedFields(request.live)

  const self: Manager = {
    name: request.manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    time: undefined,
    fields: EMPTY,
  }
  const id = managerId(self)
  const previous = managers.get(id)
  const named = namedFields(config as JsonObject, type) ?? EMPTY
  const fields = resetFields === undefined ? named : recursiveDifference(named, resetFields)
  managers.set(id, { ...self, time: previous?.time, fields })

  const merged = merge(live as JsonObject, config as JsonObject, type) as JsonObject
  const next = prune(merged, managers, previous, type) as unknown as KubeObject
  takeOver(managers, id, request, live, next)

  const isChanged = !jsonEqual(live, next)
  const owned = withoutNeverOwned(fields)
  if (isEmpty(owned)) managers.delete(id)
  else managers.set(id, { ...self, time: isChanged ? now : previous?.time, fields: owned })
  return { object: cloneObject(isChanged ? next : live), managedFields: encodeManagers(managers), isChanged }
}

/** The managers of the live object. One that was never tracked is owned by whoever came before. */
function managersOfApply(request: ApplyRequest): Managers {
  const { live } = request
  let managers: Managers
  try {
    managers = decodeManagers(live?.metadata.managedFields)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new StatusError(500, '', `failed to decode managed fields: ${error.message}`)
  }
  if (managers.size > 0 || live === undefined) return managers
  const next = withoutManagedFields(live)
  recordUpdate(managers, { ...request, manager: 'before-first-apply', live: undefined, next })
  return managers
}

/** Brings what the managers own up to the schemas of today, and forgets managers of versions that are gone. */
function reconcileManagers(managers: Managers, { live, schema, apiVersion, inVersion }: ApplyRequest): void {
  for (const [id, manager] of managers) {
    const isForeign = manager.apiVersion !== apiVersion && inVersion !== undefined && live !== undefined
    const version = isForeign ? inVersion(live, manager.apiVersion) : { schema }
    if (version === undefined) managers.delete(id)
    else managers.set(id, { ...manager, fields: reconcile(manager.fields, objectType(version.schema)) })
  }
}

/** Removes what this manager applied last time, does not apply now, and nobody else owns. */
function prune(merged: JsonObject, managers: Managers, previous: Manager | undefined, type: FieldType): Json {
  if (previous === undefined || isEmpty(previous.fields)) return merged
  const fieldsOf = (value: Json) => withNamedParents(namedFields(value, type) ?? EMPTY, type)
  const last = withNamedParents(previous.fields, type)
  const everything = fieldsOf(merged)

  let managed = EMPTY
  for (const manager of managers.values()) managed = union(managed, manager.fields)
  const keep = union(fieldsOf(removeFields(merged, last, type)), withNamedParents(managed, type))
  const withOwned = removeFields(merged, difference(everything, keep), type)

  const gone = difference(everything, fieldsOf(withOwned))
  return removeFields(merged, intersection(gone, last), type)
}

function takeOver(managers: Managers, id: string, request: ApplyRequest, live: KubeObject, next: KubeObject): void {
  const comparison = compareObjects(live, next, request)
  if (!request.force) {
    const conflicts = findConflicts(managers, id, comparison, request, live, next)
    if (conflicts.length > 0) throw new ApplyConflict(conflicts)
  }
  takeFromManagers(managers, comparison, request, live, next, id)
}

function findConflicts(
  managers: Managers,
  id: string,
  comparison: VersionComparison['comparison'],
  request: ApplyRequest,
  live: KubeObject,
  next: KubeObject,
): Conflict[] {
  const versions = new Map([[request.apiVersion, { comparison, type: objectType(request.schema) }]])
  const conflicts: Conflict[] = []
  for (const [otherId, manager] of [...managers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (otherId === id) continue
    const version = versionOf(manager.apiVersion, versions, request, live, next)
    if (version === undefined) continue
    const taken = intersection(manager.fields, version.comparison.changed)
    forEachPath(taken, path => conflicts.push(conflictOver(manager, path)))
  }
  return conflicts
}

function emptyObject({ apiVersion, kind }: KubeObject, schema: Schema | undefined): KubeObject {
  return { apiVersion, kind, ...zeroObject(schema) } as unknown as KubeObject
}

function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const cloneObject = (object: KubeObject): KubeObject => jsonCopy(object as JsonObject) as unknown as KubeObject

/** `apps/v1, Kind=Deployment` */
function describeKind({ apiVersion, kind }: KubeObject): string {
  const { group, version } = parseApiVersion(apiVersion ?? '')
  return `${group}/${version}, Kind=${kind ?? ''}`
}

function describeObject(object: KubeObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}; ${describeKind(object)}`
}
