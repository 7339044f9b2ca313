import type { KubeObject } from '@tiphys/kube'
import { deleteObject } from '../registry/delete-object.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { timestamp } from '../registry/timestamp.ts'
import { updateObject } from '../registry/update-object.ts'
import type { User } from '../request/api-request.ts'
import { compileCustomSchema } from '../schema/custom-schema.ts'
import { StatusError } from '../status-error.ts'
import type { Collection } from '../storage/collection.ts'
import { type CrdStatus, type CrdVersion, type CustomResourceDefinition, isEstablished, storageVersion } from './crd.ts'
import { decideEstablished, decideNames, withTerminating } from './crd-status.ts'
import { CLEANUP_FINALIZER } from './crd-strategy.ts'
import { customResource } from './custom-resource.ts'

export { crdStrategy } from './crd-strategy.ts'

const SYSTEM: User = { name: 'system:apiserver', groups: ['system:masters'] }

interface Served {
  crd: CustomResourceDefinition
  resources: Resource[]
}

/** Follows CustomResourceDefinitions: accepts their names, serves their versions, and takes their instances along when
 *  they are deleted. Decisions are in crd-status.ts; this does what they say. */
export class Definitions {
  readonly #registry: Registry
  readonly #definitions: Resource
  readonly #served = new Map<string, Served>()
  readonly #waiting = new Set<string>()
  #isRunning = false

  constructor(registry: Registry) {
    this.#registry = registry
    const definitions = registry.resources.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    if (!definitions) throw new Error('CustomResourceDefinitions are not served')
    this.#definitions = definitions
  }

  /** Serves what is stored already, and follows what changes. */
  start(): void {
    for (const stored of this.#definitions.collection.values()) this.#lookAt(stored.key)
    this.#definitions.collection.onChange(change => this.#lookAt(change.key))
  }

  #lookAt(name: string): void {
    this.#serve(name)
    this.#waiting.add(name)
    if (this.#isRunning) return
    this.#isRunning = true
    // After the answer to the request that caused it, as on the real server, where controllers do this.
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    try {
      for (const name of this.#waiting) {
        this.#waiting.delete(name)
        await this.#reconcile(name).catch((error: Error) => {
          this.#registry.env.log.error('a CustomResourceDefinition could not be brought up to date', { name, error })
        })
      }
    } finally {
      this.#isRunning = false
    }
  }

  #find(name: string): CustomResourceDefinition | undefined {
    return this.#definitions.collection.get(name)?.object as CustomResourceDefinition | undefined
  }

  async #reconcile(name: string): Promise<void> {
    const crd = this.#find(name)
    if (!crd) return this.#lookAtNamesakes(name)
    if (crd.metadata.deletionTimestamp !== undefined) return this.#finalize(crd)
    const all = [...this.#definitions.collection.values()].map(({ object }) => object as CustomResourceDefinition)
    await this.#writeStatus(name, current => decideNames(current, all, this.#now()))
    await this.#writeStatus(name, current => decideEstablished(current, this.#now()))
  }

  /** A name may have become free for another definition of the group. */
  #lookAtNamesakes(name: string): void {
    const group = name.slice(name.indexOf('.') + 1)
    for (const { key, object } of this.#definitions.collection.values()) {
      const crd = object as CustomResourceDefinition
      if (crd.spec.group === group && key !== name) this.#waiting.add(key)
    }
  }

  #now(): string {
    return timestamp(this.#registry.env.clock.now())
  }

  async #writeStatus(name: string, decide: (crd: CustomResourceDefinition) => CrdStatus | undefined): Promise<void> {
    const crd = this.#find(name)
    const status = crd && decide(crd)
    if (!status) return
    await this.#update(name, 'status', current => ({ ...current, metadata: { ...current.metadata }, status }))
  }

  async #update(name: string, subresource: string, change: (current: KubeObject) => KubeObject): Promise<void> {
    const request = {
      registry: this.#registry,
      resource: this.#definitions,
      namespace: '',
      name,
      subresource,
      user: SYSTEM,
      fieldManager: 'kube-apiserver',
      dryRun: false,
      warnings: [],
    }
    await updateObject(request, current => ({ object: change(current) }))
  }

  /** Serves the versions of an established definition. Runs with every change, before anybody can see the change. */
  #serve(name: string): void {
    const { resources } = this.#registry
    const crd = this.#find(name)
    const served = this.#served.get(name)
    const isWanted = crd !== undefined && isEstablished(crd)
    if (
      isWanted &&
      served &&
      served.crd.metadata.generation === crd.metadata.generation &&
      served.crd.status?.acceptedNames === crd.status?.acceptedNames
    ) {
      served.crd = crd
      return
    }
    if (served) {
      for (const resource of served.resources) resources.remove(resource)
      this.#served.delete(name)
    }
    if (!isWanted) return
    const collection = this.#collection(name, crd)
    const versions = crd.spec.versions.filter(version => version.served)
    const version = storageVersion(crd) as CrdVersion
    const stored = { version, schema: compileCustomSchema(version) }
    const made = versions.map(served => customResource(crd, served, collection, stored))
    for (const resource of made) resources.add(resource)
    this.#served.set(name, { crd, resources: made })
  }

  #collection(_name: string, crd: CustomResourceDefinition): Collection {
    return this.#registry.storage.collection(`${crd.spec.group}/${crd.spec.names.plural}`)
  }

  /** Deletes the instances of a definition, and then lets the definition go. */
  async #finalize(crd: CustomResourceDefinition): Promise<void> {
    const name = crd.metadata.name as string
    if (!crd.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return
    const collection = this.#collection(name, crd)
    const resource = this.#served.get(name)?.resources[0]
    if (resource && collection.size > 0) {
      await this.#writeStatus(name, current =>
        withTerminating(
          current.status ?? {},
          { status: 'True', reason: 'InstanceDeletionInProgress', message: 'CustomResource deletion is in progress' },
          this.#now(),
        ),
      )
      await this.#deleteInstances(resource)
    }
    if (collection.size > 0) {
      const stop = collection.onChange(() => {
        if (collection.size > 0) return
        stop()
        this.#lookAt(name)
      })
      return
    }
    await this.#writeStatus(name, current =>
      withTerminating(
        current.status ?? {},
        { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' },
        this.#now(),
      ),
    )
    await this.#update(name, '', current => {
      const finalizers = (current.metadata.finalizers ?? []).filter(finalizer => finalizer !== CLEANUP_FINALIZER)
      return { ...current, metadata: { ...current.metadata, finalizers } }
    })
  }

  async #deleteInstances(resource: Resource): Promise<void> {
    const options = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {} }
    const instances = [...resource.collection.values()]
    for (const { object } of instances) {
      const { namespace = '', name = '' } = object.metadata
      try {
        await deleteObject({
          registry: this.#registry,
          resource,
          namespace,
          name,
          user: SYSTEM,
          fieldManager: '',
          dryRun: false,
          warnings: [],
          options,
        })
      } catch (thrown) {
        // Somebody else deleted it first.
        if (!(thrown instanceof StatusError) || thrown.code !== 404) throw thrown
      }
    }
  }
}
