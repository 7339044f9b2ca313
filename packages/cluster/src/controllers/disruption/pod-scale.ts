import {
  type Client,
  isNotFound,
  type KubeObject,
  kindRef,
  type OwnerReference,
  parseApiVersion,
  type SharedCache,
  UnknownKindFailure,
} from '@tiphys/kube'
import type { Deployment, Pod, ReplicaSet, Scale } from '@tiphys/kube/kinds'
import type { ControllerContext } from '../controller.ts'

/** How many pods the controllers of some pods want together. */
export interface PodScale {
  /** Throws when a pod's controller is not there or cannot be scaled. */
  of(pods: readonly Pod[]): Promise<{ scale: number; unmanaged: Pod[] }>
  whenSynced(): Promise<unknown>
  release(): void
}

export function createPodScale({ caches, client }: ControllerContext): PodScale {
  const deployments = caches.acquire(kindRef('apps/v1', 'Deployment'))
  const replicaSets = caches.acquire(kindRef('apps/v1', 'ReplicaSet'))
  const used: SharedCache[] = [deployments, replicaSets]

  /** A ReplicaSet that belongs to a Deployment counts as that. */
  const deploymentOf = (owner: OwnerReference, namespace: string): Deployment | undefined => {
    if (owner.kind !== 'ReplicaSet' || !isAppsGroup(owner)) return undefined
    const replicaSet = sameObject(replicaSets.get(owner.name, namespace), owner)
    const above = controllerOf(replicaSet)
    if (above?.kind !== 'Deployment' || !isAppsGroup(above)) return undefined
    return sameObject(deployments.get(above.name, namespace), above)
  }

  return {
    async of(pods) {
      const unmanaged: Pod[] = []
      const scales = new Map<string, number>()
      const seen = new Set<string>()
      for (const pod of pods) {
        const { namespace = '', name = '' } = pod.metadata
        const owner = controllerOf(pod)
        if (!owner) unmanaged.push(pod)
        if (!owner || seen.has(owner.uid)) continue
        seen.add(owner.uid)
        const deployment = deploymentOf(owner, namespace)
        const found = deployment
          ? { uid: deployment.metadata.uid ?? '', replicas: deployment.spec?.replicas ?? 1 }
          : await scaleOf(client, owner, namespace)
        if (!found) throw new Error(`found no controllers for pod ${JSON.stringify(name)}`)
        scales.set(found.uid, found.replicas)
      }
      return { scale: [...scales.values()].reduce((sum, scale) => sum + scale, 0), unmanaged }
    },
    whenSynced: () => Promise.all(used.map(cache => cache.whenSynced())),
    release() {
      for (const cache of used) cache.release()
    },
  }
}

/** Undefined when there is no such controller. */
async function scaleOf(client: Client, owner: OwnerReference, namespace: string) {
  const { apiVersion, kind, name, uid } = owner
  const resource = await client.resourceFor(owner).catch((thrown: unknown) => {
    if (!(thrown instanceof UnknownKindFailure)) throw thrown
    throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`)
  })
  if (!resource.subresources.includes('scale')) {
    const group = resource.group === '' ? '' : `.${resource.group}`
    throw new Error(`${resource.resource}${group} does not implement the scale subresource`)
  }
  try {
    const ref = { apiVersion, kind, name, namespace }
    const scale = await client.subresource<Scale & KubeObject>('get', ref, 'scale')
    return scale.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}

const controllerOf = (object: Pod | ReplicaSet | undefined) =>
  object?.metadata.ownerReferences?.find(({ controller }) => controller === true)

const isAppsGroup = ({ apiVersion }: OwnerReference) =>
  ['apps', 'extensions'].includes(parseApiVersion(apiVersion).group)

const sameObject = <T extends KubeObject>(object: T | undefined, { uid }: OwnerReference): T | undefined =>
  object?.metadata.uid === uid ? object : undefined
