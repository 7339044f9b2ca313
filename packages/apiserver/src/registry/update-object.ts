import type { KubeObject } from '@tiphys/kube'
import { trackUpdate } from '../apply/managed-fields.ts'
import { validateObjectMetaUpdate } from '../builtin/object-meta.ts'
import type { FieldError } from '../field-error.ts'
import { jsonEqual } from '../json-value.ts'
import { conflict, invalid, MODIFIED, notFound } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import type { Strategy } from '../strategy.ts'
import type { WriteRequest } from './create-object.ts'
import { groupResource, keyOf } from './resource.ts'
import { timestamp } from './timestamp.ts'

export interface UpdateRequest extends WriteRequest {
  name: string
  /** Which writable part of the object this is: '' for the object itself, else the subresource (`status`). */
  subresource: string
}

export interface Update {
  object: KubeObject
  /** The managers are already in the object (an apply patch). */
  isTracked?: boolean
}

/** Changes an object: `change` gets the current state in the resource's version (shared: not to be changed) and makes the
 *  next one; it is called again when somebody else was faster. Nothing is written when nothing changes. */
export async function updateObject(
  update: UpdateRequest,
  change: (current: KubeObject) => Update | Promise<Update>,
): Promise<{ stored: Stored; deleted: boolean }> {
  const { registry, resource, namespace, name } = update
  const key = keyOf(resource.namespaced ? namespace : undefined, name)
  for (;;) {
    const stored = resource.collection.get(key)
    if (!stored) throw notFound(groupResource(resource), name)
    const current = resource.fromStorage(stored.object)
    const { object, isTracked } = await change(current)
    checkPreconditions(update, object, current, key)
    const unconditional = !object.metadata.resourceVersion
    keepServerFields(object, current)
    if (!isTracked) trackChange(update, object, current)
    const admission = {
      operation: 'UPDATE' as const,
      resource,
      subresource: update.subresource,
      namespace,
      name,
      user: update.user,
      dryRun: update.dryRun,
      object,
      old: current,
      warnings: update.warnings,
    }
    const mutated = registry.admission.mutate(admission)
    if (mutated) await mutated
    prepare(update, object, current)
    // Whether an update without a version is welcome is the kind's own rule, and validation words the refusal.
    object.metadata.resourceVersion =
      unconditional && resource.strategy.allowUnconditionalUpdate !== true ? '' : String(stored.revision)
    check(update, object, current)
    const validated = registry.admission.validate(admission)
    if (validated) await validated
    object.metadata.resourceVersion = String(stored.revision)
    if (isGone(object) && resource.strategy.finalizersInSpec?.(object) !== true)
      return { stored: finish(update, key, stored, undefined) ?? stored, deleted: true }
    if (jsonEqual(object, current)) return { stored, deleted: false }
    const written = finish(update, key, stored, object)
    if (written) return { stored: written, deleted: false }
  }
}

function checkPreconditions(
  { resource, name }: UpdateRequest,
  object: KubeObject,
  current: KubeObject,
  key: string,
): void {
  const { uid, resourceVersion } = object.metadata
  if (uid !== undefined && uid !== '' && uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`
    const storageKey = `/registry/${resource.group === '' || !resource.isCustom ? '' : `${resource.group}/`}${resource.name}/${key}`
    throw conflict(
      groupResource(resource),
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
    )
  }
  if (
    resourceVersion !== undefined &&
    resourceVersion !== '' &&
    resourceVersion !== '0' &&
    resourceVersion !== current.metadata.resourceVersion
  ) {
    throw conflict(groupResource(resource), name, MODIFIED)
  }
}

const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'namespace',
] as const

/** What no update can change. */
function keepServerFields(object: KubeObject, current: KubeObject): void {
  for (const field of SERVER_FIELDS) {
    const value = current.metadata[field]
    if (value === undefined) delete object.metadata[field]
    else (object.metadata as Record<string, unknown>)[field] = value
  }
  delete object.metadata.selfLink
}

function trackChange(update: UpdateRequest, object: KubeObject, current: KubeObject): void {
  const { registry, resource, fieldManager, subresource } = update
  const entries = trackUpdate({
    live: current,
    next: object,
    schema: resource.schema,
    manager: fieldManager,
    apiVersion: object.apiVersion,
    subresource,
    now: timestamp(registry.env.clock.now()),
    resetFields: subresource === '' ? resource.resetFields : resource.statusResetFields,
  })
  if (entries) object.metadata.managedFields = entries
  else delete object.metadata.managedFields
}

function prepare({ resource, subresource }: UpdateRequest, object: KubeObject, current: KubeObject): void {
  const { strategy } = resource
  if (subresource === 'status') {
    if (strategy.prepareForStatusUpdate) strategy.prepareForStatusUpdate(object, current)
    else keepAllButStatus(object, current)
    return
  }
  // Subresources that write a part of the object (binding, finalize, scale) bring exactly that part.
  if (subresource !== '' && subresource !== 'scale') return
  strategy.prepareForUpdate?.(object, current)
  if (!strategy.hasGeneration) return
  const grows = strategy.generationChanges?.(object, current) ?? specChanged(object, current)
  if (grows) object.metadata.generation = (current.metadata.generation ?? 0) + 1
}

function keepAllButStatus(object: KubeObject, current: KubeObject): void {
  for (const field of Object.keys(object)) {
    if (field !== 'metadata' && field !== 'status' && !(field in current)) delete object[field]
  }
  for (const field of Object.keys(current)) {
    if (field !== 'metadata' && field !== 'status') object[field] = current[field]
  }
}

/** True when something outside metadata and status differs. */
function specChanged(object: KubeObject, current: KubeObject): boolean {
  const fields = new Set([...Object.keys(object), ...Object.keys(current)])
  for (const field of ['apiVersion', 'kind', 'metadata', 'status']) fields.delete(field)
  for (const field of fields) if (!jsonEqual(object[field], current[field])) return true
  return false
}

function check(
  { resource, name, subresource, warnings }: UpdateRequest,
  object: KubeObject,
  current: KubeObject,
): void {
  const { strategy, isCustom } = resource
  const errors: FieldError[] = validateObjectMetaUpdate(object.metadata, current.metadata, {
    isCustomResource: isCustom,
  })
  const own = validationFor(subresource, strategy)?.(object, current)
  const all = own && own.length > 0 ? [...errors, ...own] : errors
  if (all.length > 0) throw invalid(resource, name, all)
  if (subresource === '') warnings.push(...(strategy.warnings?.(object, current) ?? []))
}

function validationFor(subresource: string, strategy: Strategy): Strategy['validateUpdate'] {
  if (subresource === 'status') return strategy.validateStatusUpdate
  return subresource === '' || subresource === 'scale' ? strategy.validateUpdate : undefined
}

/** A deletion was asked for and nothing holds the object any more. */
const isGone = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).length === 0 &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0

function finish(
  { registry, resource, dryRun }: UpdateRequest,
  key: string,
  stored: Stored,
  object: KubeObject | undefined,
): Stored | undefined {
  const { storage } = registry
  if (dryRun) return object ? { key, revision: stored.revision, object: resource.toStorage(object) } : stored
  if (!object) return storage.write(resource.collection, key, stored, undefined)
  object.metadata.resourceVersion = String(storage.nextRevision)
  return storage.write(resource.collection, key, stored, resource.toStorage(object))
}
