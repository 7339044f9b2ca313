import { goQuote, type KubeObject } from '@tiphys/kube'
import { keepTimesOfUnchanged, trackUpdate } from '../apply/managed-fields.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../builtin/object-meta.ts'
import { invalid as invalidField } from '../field-error.ts'
import { jsonEqual } from '../json-value.ts'
import { conflict, invalid, MODIFIED, notFound, StatusError } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import type { Strategy } from '../strategy.ts'
import { adoptUnchanged } from './adopt-unchanged.ts'
import type { WriteRequest } from './create-object.ts'
import { groupResource, keyOf, sharesFields } from './resource.ts'
import { timestamp } from './timestamp.ts'

export interface UpdateRequest extends WriteRequest {
  name: string
  /** Which writable part of the object this is: '' for the object itself, else the subresource (`status`). */
  subresource: string
  /** A uid in the object is a precondition (an update); in a patch it is a field like others. */
  checksUid?: boolean
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
    giveBack(object, current)
    if (sharesFields(resource)) adoptUnchanged(object, current)
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
    object.metadata.resourceVersion = String(stored.revision)
    check(update, object, current)
    const validated = registry.admission.validate(admission)
    if (validated) await validated
    if (update.subresource === '') resource.allocate?.(object, current)
    if (isGone(object)) {
      // The answer is the state that let it go, under the version it last had.
      const state: Stored = { key, revision: stored.revision, object: resource.toStorage(object) }
      if (write(update, key, stored, undefined)) return { stored: state, deleted: true }
    } else {
      // A manager's time alone is no change.
      const managers = keepTimesOfUnchanged(current, object)
      if (managers) object.metadata.managedFields = managers
      if (jsonEqual(object, current)) return { stored, deleted: false }
      const written = write(update, key, stored, object)
      if (written) return { stored: written, deleted: false }
    }
  }
}

function checkPreconditions(update: UpdateRequest, object: KubeObject, current: KubeObject, key: string): void {
  const { resource, name, checksUid } = update
  const { uid = '', resourceVersion = '' } = object.metadata
  if (checksUid && uid !== '' && uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`
    const storageKey = `/registry/${resource.isCustom ? `${resource.group}/` : ''}${resource.name}/${key}`
    const text = `StorageError: invalid object, Code: 4, Key: ${storageKey}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
    throw conflict(groupResource(resource), name, text)
  }
  if (resourceVersion === '' || resourceVersion === '0') {
    if (resource.strategy.allowUnconditionalUpdate !== true) throw versionRequired(update)
  } else if (!/^\d+$/.test(resourceVersion)) throw notANumber(resourceVersion)
  else if (resourceVersion !== current.metadata.resourceVersion) throw conflict(groupResource(resource), name, MODIFIED)
}

const notANumber = (version: string): StatusError =>
  new StatusError(500, '', `strconv.ParseUint: parsing ${goQuote(version)}: invalid syntax`)

function versionRequired({ resource: { group, name: resource }, name }: UpdateRequest): StatusError {
  const error = invalidField('metadata.resourceVersion', 0, 'must be specified for an update')
  return invalid({ group, kind: resource }, name, [error])
}

/** What a client may leave out of an update; another value than there is, is an error that validation words. */
const GIVEN_BACK = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'namespace'] as const

function giveBack(object: KubeObject, current: KubeObject): void {
  const metadata = object.metadata as Record<string, unknown>
  for (const field of GIVEN_BACK) {
    const value = current.metadata[field]
    if (value !== undefined && (metadata[field] === undefined || metadata[field] === null)) metadata[field] = value
  }
  metadata.creationTimestamp = current.metadata.creationTimestamp
  if (current.metadata.generation === undefined) delete metadata.generation
  else metadata.generation = current.metadata.generation
  delete metadata.selfLink
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
    resetFields: subresource === 'status' ? resource.statusResetFields : resource.resetFields,
  })
  if (entries) object.metadata.managedFields = entries
  else delete object.metadata.managedFields
}

/** Subresources that write a part of the object (binding, finalize) bring exactly that part. */
const isWhole = (subresource: string): boolean => subresource === '' || subresource === 'scale'

/** Assigning a node and letting a namespace go are not changes of what somebody wants. */
const KEEPS_GENERATION: ReadonlySet<string> = new Set(['binding', 'finalize', 'approval'])

function prepare({ resource, subresource }: UpdateRequest, object: KubeObject, current: KubeObject): void {
  const { strategy } = resource
  if (subresource === 'status') {
    if (strategy.prepareForStatusUpdate) strategy.prepareForStatusUpdate(object, current)
    else keepAllButStatus(object, current)
  } else {
    if (isWhole(subresource)) strategy.prepareForUpdate?.(object, current)
    else strategy.prepareForSubresourceUpdate?.(subresource, object, current)
    if (
      strategy.hasGeneration &&
      !KEEPS_GENERATION.has(subresource) &&
      (strategy.generationChanges?.(object, current) ?? specChanged(object, current))
    ) {
      object.metadata.generation = (current.metadata.generation ?? 0) + 1
    }
  }
  resource.complete(object)
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
  const { strategy, namespaced } = resource
  const isCustomResource = resource.isCustom || strategy.allowsPlainFinalizers === true
  const { nameRule, nameReasons } = strategy
  const whole = validateObjectMeta(object.metadata, { namespaced, nameRule, nameReasons, isCustomResource })
  const changed = validateObjectMetaUpdate(object.metadata, current.metadata, {
    isCustomResource,
    isValid: whole.length === 0,
  })
  const ofMetadata = [...whole, ...changed]
  const own = validationFor(subresource, strategy)?.(object, current) ?? []
  // The real server looks at metadata twice, once for every kind and once in the kind's own validation.
  if (ofMetadata.length + own.length > 0) throw invalid(resource, name, [...ofMetadata, ...ofMetadata, ...own])
  if (subresource === '') warnings.push(...(strategy.warnings?.(object, current) ?? []))
}

function validationFor(subresource: string, strategy: Strategy): Strategy['validateUpdate'] {
  if (subresource === 'status') return strategy.validateStatusUpdate
  if (isWhole(subresource)) return strategy.validateUpdate
  return (object, old) => strategy.validateSubresourceUpdate?.(subresource, object, old) ?? []
}

/** A deletion was asked for and nothing holds the object any more (a Namespace has finalizers in its spec too). */
function isGone({ metadata, spec }: KubeObject): boolean {
  const { finalizers = [] } = (spec ?? {}) as { finalizers?: string[] }
  const isHeld = finalizers.length + (metadata.finalizers ?? []).length > 0
  return metadata.deletionTimestamp !== undefined && !isHeld && (metadata.deletionGracePeriodSeconds ?? 0) === 0
}

function write(
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
