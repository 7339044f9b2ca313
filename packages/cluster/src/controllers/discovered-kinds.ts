import { asError, delay } from '@tiphys/env'
import { formatApiVersion, type KubeObject, kindRef, type ResourceInfo, type SharedCacheOptions } from '@tiphys/kube'
import type { CustomResourceDefinition } from '@tiphys/kube/kinds'
import type { ControllerContext } from './controller.ts'

/** The kinds of a cluster, one version of each, kept up to date while definitions of kinds come and go. */
export interface DiscoveredKinds {
  /** Resolves when the kinds are known for the first time. */
  whenReady(): Promise<void>
  list(): readonly ResourceInfo[]
  /** Tells of every change after the first answer. */
  onChange(listener: () => void): () => void
  stop(): void
}

/** The form in which objects of any kind are cached here: who they are, who owns them and what holds them. One form for
 *  all who need no more, so that they share streams. */
export const BARE: SharedCacheOptions = { metadataOnly: true, project: ['metadata.finalizers'] }

const RETRY_MS = 1000
const LONGEST_RETRY_MS = 30_000
const CUSTOM_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Kinds that the server brings are read once; custom kinds follow from their definitions, which are watched. */
export function createDiscoveredKinds({ caches, client, env }: ControllerContext): DiscoveredKinds {
  const definitions = caches.acquire(kindRef<Definition>('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), {
    project: withoutSchemas,
  })
  const custom = new Map<string, ResourceInfo>()
  /** Every resource that was ever custom: what discovery said of it does not count. */
  const everCustom = new Set<string>()
  const listeners = new Set<() => void>()
  let builtin: readonly ResourceInfo[] = []
  let isReady = false
  const stopping = new AbortController()

  const follow = (definition: Definition, isGone: boolean) => {
    const name = definition.metadata.name ?? ''
    const resource = isGone ? undefined : resourceOf(definition)
    const before = custom.get(name)
    everCustom.add(name)
    if (resource) custom.set(name, resource)
    else custom.delete(name)
    const isChanged = formatResource(before) !== formatResource(resource)
    if (isReady && isChanged) for (const listener of listeners) listener()
  }
  definitions.subscribe(({ type, object }) => follow(object, type === 'deleted'))

  const readBuiltin = async () => {
    for (let failures = 0; ; failures++) {
      try {
        return await client.resources()
      } catch (thrown) {
        env.log.warn('the kinds of the cluster could not be read', { error: asError(thrown) })
        await delay(env.clock, Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS), stopping.signal)
      }
    }
  }
  const ready = Promise.all([readBuiltin(), definitions.whenSynced()]).then(([resources]) => {
    builtin = preferred(resources)
    isReady = true
  })
  // Whoever waits for it is told; nobody has to.
  ready.catch(() => {})

  return {
    whenReady: () => ready,
    list: () => [
      ...builtin.filter(({ resource, group }) => !everCustom.has(`${resource}.${group}`)),
      ...custom.values(),
    ],
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop() {
      stopping.abort()
      definitions.release()
    },
  }
}

type Definition = CustomResourceDefinition & KubeObject

/** Of every resource the first version, which is the one that its group prefers. */
function preferred(resources: readonly ResourceInfo[]): ResourceInfo[] {
  const seen = new Set<string>()
  return resources.filter(({ group, resource }) => {
    const key = `${resource}.${group}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function resourceOf({ spec, status }: Definition): ResourceInfo | undefined {
  const isEstablished = status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')
  const served = spec.versions.filter(({ served }) => served).map(({ name }) => name)
  const [version] = served.sort(compareByPriority)
  if (!isEstablished || version === undefined) return undefined
  const { kind, plural, singular = '', shortNames = [], categories = [] } = spec.names
  return {
    group: spec.group,
    version,
    kind,
    resource: plural,
    singular,
    namespaced: spec.scope === 'Namespaced',
    verbs: CUSTOM_VERBS,
    shortNames,
    categories,
    subresources: [],
  }
}

/** Kubernetes' order of versions: stable before beta before alpha, then the newer first; other names come last. */
function compareByPriority(a: string, b: string): number {
  const [rankA, rankB] = [priorityOf(a), priorityOf(b)]
  for (let i = 0; i < rankA.length; i++) {
    const order = (rankB[i] ?? 0) - (rankA[i] ?? 0)
    if (order !== 0) return order
  }
  return a < b ? -1 : 1
}

const STAGES = ['alpha', 'beta', undefined]

function priorityOf(version: string): [stage: number, major: number, minor: number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  return match ? [STAGES.indexOf(match[2]), Number(match[1]), Number(match[3] ?? 0)] : [-1, 0, 0]
}

const formatResource = (resource: ResourceInfo | undefined) =>
  resource && `${formatApiVersion(resource)} ${resource.kind} ${resource.resource} ${resource.namespaced}`

/** Schemas are most of a definition, and not needed here. */
function withoutSchemas(definition: Definition): Definition {
  const { spec, status } = definition
  const versions = spec.versions.map(({ name, served, storage }) => ({ name, served, storage }))
  return { ...definition, spec: { ...spec, versions }, ...(status && { status }) }
}
