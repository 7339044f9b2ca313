import type { KubeObject, ObjectMeta } from '@tiphys/kube'
import { jsonCopy } from '../json-value.ts'
import type { DeleteOptions } from '../request/options.ts'
import { conflict, notFound } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import type { WriteRequest } from './create-object.ts'
import { groupResource, keyOf, type Resource } from './resource.ts'
import { timestamp } from './timestamp.ts'

export interface DeleteRequest extends WriteRequest {
  name: string
  options: DeleteOptions
}

export interface Deletion {
  /** The last state, or the state in which the object waits for its finalizers or its grace period to end. */
  stored: Stored
  deleted: boolean
}

/** Deletes an object, or marks it for deletion when finalizers or a grace period hold it. */
export async function deleteObject(request: DeleteRequest): Promise<Deletion> {
  const { registry, resource, namespace, name, options } = request
  const key = keyOf(resource.namespaced ? namespace : undefined, name)
  for (;;) {
    const stored = resource.collection.get(key)
    if (!stored) throw notFound(groupResource(resource), name)
    checkPreconditions(resource, name, options, stored.object.metadata)
    const admission = {
      operation: 'DELETE' as const,
      resource,
      subresource: '',
      namespace,
      name,
      user: request.user,
      dryRun: options.dryRun,
      object: undefined,
      old: stored.object,
      warnings: request.warnings,
    }
    const mutated = registry.admission.mutate(admission)
    if (mutated) await mutated
    const validated = registry.admission.validate(admission)
    if (validated) await validated

    const next = markForDeletion(request, stored.object)
    if (next === 'unchanged') return { stored, deleted: false }
    if (options.dryRun)
      return { stored: next ? { key, revision: stored.revision, object: next } : stored, deleted: !next }
    if (next) next.metadata.resourceVersion = String(registry.storage.nextRevision)
    const written = registry.storage.write(resource.collection, key, stored, next)
    if (written) return { stored: next ? written : asDeleted(request, written), deleted: !next }
  }
}

/** Kinds with a grace period show in the answer that theirs is over. */
function asDeleted({ registry, resource }: DeleteRequest, written: Stored): Stored {
  const { object } = written
  if (!resource.strategy.gracePeriod) return written
  const metadata = { ...object.metadata, deletionGracePeriodSeconds: 0 }
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = timestamp(registry.env.clock.now())
    if (resource.strategy.hasGeneration) metadata.generation = (metadata.generation ?? 0) + 1
  }
  return { ...written, object: { ...object, metadata } }
}

function checkPreconditions(
  resource: Resource,
  name: string,
  { preconditions }: DeleteOptions,
  metadata: ObjectMeta,
): void {
  const { uid, resourceVersion } = preconditions
  const subject = { group: resource.group, resource: resource.kind }
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(subject, name, why)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(subject, name, why)
  }
}

const GC_FINALIZERS = ['foregroundDeletion', 'orphan']

/** The object as it waits for its end; undefined when it can go now; 'unchanged' when it waits already. */
function markForDeletion(request: DeleteRequest, object: KubeObject): KubeObject | 'unchanged' | undefined {
  const { registry, resource, options } = request
  const { metadata } = object
  const finalizers = finalizersAfter(options.propagationPolicy, metadata.finalizers ?? [])
  const finalizersChanged = finalizers.join() !== (metadata.finalizers ?? []).join()
  const grace = gracePeriod(resource, object, options.gracePeriodSeconds)

  const holdsItself = resource.strategy.isHeldOnDelete?.(object) ?? false
  if (metadata.deletionTimestamp !== undefined) {
    const left = metadata.deletionGracePeriodSeconds ?? 0
    const isShorter = grace < left
    if (finalizers.length === 0 && (grace === 0 || left === 0) && !holdsItself) return undefined
    if (!isShorter && !finalizersChanged) return 'unchanged'
    const next = withMetadata(object, { finalizers })
    if (isShorter) setDeletion(next.metadata, registry.env.clock.now(), grace)
    return next
  }
  if (finalizers.length === 0 && grace === 0 && !holdsItself) return undefined
  const next = withMetadata(resource.strategy.prepareForDeletion ? jsonCopy(object) : object, { finalizers })
  setDeletion(next.metadata, registry.env.clock.now(), grace)
  // Namespaces have no grace period, not even none at all.
  if (resource.strategy.hasNoGracePeriod) delete next.metadata.deletionGracePeriodSeconds
  if (resource.strategy.hasGeneration) next.metadata.generation = (metadata.generation ?? 0) + 1
  resource.strategy.prepareForDeletion?.(next)
  return next
}

function finalizersAfter(policy: DeleteOptions['propagationPolicy'], finalizers: readonly string[]): string[] {
  if (policy === undefined) return [...finalizers]
  const others = finalizers.filter(finalizer => !GC_FINALIZERS.includes(finalizer))
  if (policy === 'Orphan') return [...others, 'orphan']
  if (policy === 'Foreground') return [...others, 'foregroundDeletion']
  return others
}

function gracePeriod(resource: Resource, object: KubeObject, asked: number | undefined): number {
  const usual = resource.strategy.gracePeriod?.(object)
  if (usual === undefined) return 0
  return Math.max(0, usual === 0 ? 0 : (asked ?? usual))
}

function withMetadata(object: KubeObject, { finalizers }: { finalizers: string[] }): KubeObject {
  const metadata: ObjectMeta = { ...object.metadata }
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
  return { ...object, metadata }
}

function setDeletion(metadata: ObjectMeta, now: number, grace: number): void {
  metadata.deletionTimestamp = timestamp(now + grace * 1000)
  metadata.deletionGracePeriodSeconds = grace
}
