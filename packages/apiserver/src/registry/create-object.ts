import { uuid } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { trackUpdate } from '../apply/managed-fields.ts'
import { validateObjectMeta } from '../builtin/object-meta.ts'
import type { User } from '../request/api-request.ts'
import { alreadyExists, forbidden, invalid, notFound, StatusError } from '../status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { generateName } from './names.ts'
import type { Registry } from './registry.ts'
import { groupResource, keyOf, type Resource } from './resource.ts'
import { timestamp } from './timestamp.ts'

export interface WriteRequest {
  registry: Registry
  resource: Resource
  namespace: string
  user: User
  fieldManager: string
  dryRun: boolean
  warnings: string[]
}

const GENERATED_NAME_ATTEMPTS = 8

/** Stores a new object. It is in the form of the resource's version and belongs to storage from here on. */
export async function createObject(
  write: WriteRequest,
  object: KubeObject,
  { isApply = false }: { isApply?: boolean } = {},
): Promise<Stored> {
  const { registry, resource, namespace, warnings } = write
  const { metadata } = object
  if (resource.createRefusal !== undefined)
    throw forbidden(groupResource(resource), metadata.name ?? '', resource.createRefusal)
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '' && metadata.resourceVersion !== '0') {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  if (resource.namespaced) metadata.namespace = namespace
  else delete metadata.namespace
  prepareMeta(write, metadata)
  if (!isApply) trackCreation(write, object)
  const admission = {
    operation: 'CREATE' as const,
    resource,
    subresource: '',
    namespace,
    name: metadata.name ?? '',
    user: write.user,
    dryRun: write.dryRun,
    object,
    old: undefined,
    warnings,
  }
  const mutated = registry.admission.mutate(admission)
  if (mutated) await mutated
  const generated = metadata.name === undefined || metadata.name === ''
  for (let attempt = 0; ; attempt++) {
    if (generated && metadata.generateName) metadata.name = generateName(metadata.generateName, registry.env.random)
    if (attempt === 0) {
      resource.strategy.prepareForCreate?.(object, write.user)
      resource.complete(object)
      if (resource.strategy.hasGeneration) metadata.generation = 1
      checkNewObject(resource, object)
      warnings.push(...(resource.strategy.warnings?.(object, undefined) ?? []))
      const validated = registry.admission.validate(admission)
      if (validated) await validated
    }
    resource.allocate?.(object, undefined)
    const stored = store(write, object)
    if (stored) return stored
    if (!generated || attempt === GENERATED_NAME_ATTEMPTS - 1)
      throw alreadyExists(groupResource(resource), metadata.name as string)
  }
}

/** What the server alone decides about a new object. */
function prepareMeta({ registry: { env } }: WriteRequest, metadata: KubeObject['metadata']): void {
  metadata.uid = uuid(env.random)
  metadata.creationTimestamp = timestamp(env.clock.now())
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
  delete metadata.resourceVersion
}

function trackCreation({ registry, resource, fieldManager }: WriteRequest, object: KubeObject): void {
  const entries = trackUpdate({
    live: undefined,
    next: object,
    schema: resource.schema,
    manager: fieldManager,
    apiVersion: object.apiVersion,
    subresource: '',
    now: timestamp(registry.env.clock.now()),
    resetFields: resource.resetFields,
  })
  if (entries) object.metadata.managedFields = entries
  else delete object.metadata.managedFields
}

function checkNewObject(resource: Resource, object: KubeObject): void {
  const { strategy, namespaced, isCustom } = resource
  const rule = {
    namespaced,
    nameRule: strategy.nameRule,
    nameReasons: strategy.nameReasons,
    isCustomResource: isCustom || strategy.allowsPlainFinalizers === true,
  }
  const errors = validateObjectMeta(object.metadata, rule)
  const own = strategy.validate?.(object)
  const all = own && own.length > 0 ? [...errors, ...own] : errors
  if (all.length > 0) throw invalid(resource, object.metadata.name ?? '', all)
}

/** Undefined when the name is taken. */
function store({ registry, resource, namespace, dryRun }: WriteRequest, object: KubeObject): Stored | undefined {
  const { storage } = registry
  const key = keyOf(resource.namespaced ? namespace : undefined, object.metadata.name as string)
  if (dryRun) {
    if (resource.collection.get(key)) return undefined
    return { key, revision: 0, object: resource.toStorage(object) }
  }
  // The namespace may have gone while admission was waiting for somebody outside.
  if (resource.namespaced && !namespaceExists(registry, namespace))
    throw notFound({ group: '', resource: 'namespaces' }, namespace)
  object.metadata.resourceVersion = String(storage.nextRevision)
  return storage.write(resource.collection, key, undefined, resource.toStorage(object))
}

const namespaceExists = (registry: Registry, namespace: string): boolean =>
  registry.resources.find('', 'v1', 'namespaces')?.collection.get(namespace) !== undefined
