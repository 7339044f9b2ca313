import type { KubeObject, ManagedFieldsEntry } from '@tiphys/kube'
import type { JsonObject, Schema } from '../schema/schema.ts'
import { difference, EMPTY, type FieldSet, isEmpty, recursiveDifference } from './field-set.ts'
import { type FieldType, objectType } from './field-type.ts'
import {
  addFields,
  capUpdaters,
  encodeManager,
  encodeManagers,
  type Manager,
  type Managers,
  managersOfUpdate,
  withoutNeverOwned,
} from './managers.ts'
import { reconcile, rememberReconciled } from './schema-fields.ts'
import { type Comparison, compare, TypeMismatch } from './typed.ts'
import { zeroObject } from './zero-value.ts'

/** The same object in another version of its kind. */
export interface Versioned {
  object: KubeObject
  schema: Schema | undefined
}

export interface Tracking {
  /** Of the version that the request uses; undefined for a custom resource without one. */
  schema: Schema | undefined
  manager: string
  apiVersion: string
  /** Empty for the object itself. */
  subresource: string
  /** RFC 3339 in UTC, whole seconds. */
  now: string
  /** Fields that the write does not change whatever the client says, and which therefore nobody owns by it: the status
   *  on the main resource, everything else on the status subresource. */
  resetFields?: FieldSet | undefined
  /** The object as `apiVersion` shows it, for managers that wrote in another version; undefined when that version is not
   *  served any more, and then its managers are forgotten. Without it every version has the same form. */
  inVersion?: ((object: KubeObject, apiVersion: string) => Versioned | undefined) | undefined
}

export interface UpdateTracking extends Tracking {
  /** The stored object; undefined on create. */
  live: KubeObject | undefined
  /** The object to store, decoded and defaulted, before the server clears what the client may not set. */
  next: KubeObject
}

/** The managedFields of an object that is created or updated by anything but apply. Undefined when nobody owns anything,
 *  or when the object does not fit its schema. */
export function trackUpdate(update: UpdateTracking): ManagedFieldsEntry[] | undefined {
  const { live, next, subresource } = update
  const managers = managersOfUpdate(live, next, subresource)
  // An object that was created without tracking stays so until the first apply.
  if (managers.size === 0 && live?.metadata.uid !== undefined) return undefined
  try {
    if (managers.size === 0) {
      const first = managerOfUpdate(update, compareObjects(live, next, update))
      return isEmpty(first.fields) ? undefined : [encodeManager(first)]
    }
    recordUpdate(managers, update)
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error
    return undefined
  }
  capUpdaters(managers)
  return encodeManagers(managers)
}

/** Moves what the update changes to its manager, and takes what it removes from everybody. */
export function recordUpdate(managers: Managers, update: UpdateTracking): void {
  const { live, next } = update
  const comparison = compareObjects(live, next, update)
  takeFromManagers(managers, comparison, update, live, next)
  addFields(managers, managerOfUpdate(update, comparison))
}

function managerOfUpdate({ manager, apiVersion, subresource, now }: Tracking, { changed }: ObjectComparison): Manager {
  return {
    name: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    subresource,
    // The real server loses the time on the way between a scale and the object it scales.
    time: subresource === 'scale' ? undefined : now,
    fields: withoutNeverOwned(changed),
  }
}

export interface ObjectComparison {
  changed: FieldSet
  removed: FieldSet
}

const SAME: ObjectComparison = { changed: EMPTY, removed: EMPTY }

/** How two objects differ for this request: without what it resets. */
export function compareObjects(
  live: KubeObject | undefined,
  next: KubeObject,
  { schema, resetFields }: Pick<Tracking, 'schema' | 'resetFields'>,
): ObjectComparison {
  const before = live === undefined ? zeroObject(schema) : (live as JsonObject)
  const comparison = compare(before, next as JsonObject, objectType(schema))
  if (comparison === undefined) return SAME
  return {
    changed: fieldsLeft(comparison, 'changed', resetFields),
    removed: fieldsLeft(comparison, 'removed', resetFields),
  }
}

function fieldsLeft(comparison: Comparison, part: keyof Comparison, resetFields: FieldSet | undefined): FieldSet {
  const fields = comparison[part] ?? EMPTY
  return resetFields === undefined ? fields : recursiveDifference(fields, resetFields)
}

/** Every manager loses what changed or is gone; one that has nothing left is forgotten. */
export function takeFromManagers(
  managers: Managers,
  comparison: ObjectComparison,
  tracking: Tracking,
  live: KubeObject | undefined,
  next: KubeObject,
  except?: string,
): void {
  const versions = new Map([[tracking.apiVersion, { comparison, type: objectType(tracking.schema) }]])
  for (const [id, manager] of managers) {
    if (id === except) continue
    const version = versionOf(manager.apiVersion, versions, tracking, live, next)
    if (version === undefined) {
      managers.delete(id)
      continue
    }
    const owned = reconcile(manager.fields, version.type)
    const kept = difference(difference(owned, version.comparison.changed), version.comparison.removed)
    if (isEmpty(kept)) managers.delete(id)
    else if (kept !== manager.fields) {
      rememberReconciled(kept, version.type)
      managers.set(id, { ...manager, fields: kept })
    }
  }
}

export interface VersionComparison {
  comparison: ObjectComparison
  type: FieldType
}

/** The comparison in the version of a manager; remembered in `versions`. Undefined for a version that is gone. */
export function versionOf(
  apiVersion: string,
  versions: Map<string, VersionComparison>,
  tracking: Tracking,
  live: KubeObject | undefined,
  next: KubeObject,
): VersionComparison | undefined {
  const known = versions.get(apiVersion)
  if (known !== undefined) return known
  const own = versions.get(tracking.apiVersion) as VersionComparison
  if (tracking.inVersion === undefined) return own
  const after = tracking.inVersion(next, apiVersion)
  const before = live === undefined ? undefined : tracking.inVersion(live, apiVersion)
  if (after === undefined || (live !== undefined && before === undefined)) return undefined
  const comparison = compareObjects(before?.object, after.object, {
    schema: after.schema,
    resetFields: tracking.resetFields,
  })
  const version = { comparison, type: objectType(after.schema) }
  versions.set(apiVersion, version)
  return version
}
