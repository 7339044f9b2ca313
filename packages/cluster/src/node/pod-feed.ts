import { type Env, systemEnv } from '@tiphys/env'
import {
  type Caches,
  type Client,
  createListWatch,
  kindRef,
  type ListWatch,
  type ObjectCache,
  type ObjectChange,
} from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'

const POD = kindRef('v1', 'Pod')

/** Tells a node of its pods. */
export interface PodFeed {
  /** Of every pod of the node that is there, then of every change. Returns how to end it. */
  follow(node: string, handler: (change: ObjectChange<Pod>) => void): () => void
  /** It is a pod of the nodes that this feed tells of. */
  isKnown(uid: string): boolean
  hasSynced(): boolean
  /** Resolves when every pod that was there has been told of. Rejects when the stream was stopped before. */
  whenSynced(): Promise<void>
}

/** A stream of one node's pods alone: what a node on a machine of its own needs. */
export function createNodePodFeed(client: Client, env: Env = systemEnv): PodFeed {
  let stream: ListWatch<Pod> | undefined
  return {
    follow(node, handler) {
      const pods = createListWatch(client, { ...POD, fieldSelector: `spec.nodeName=${node}` }, { env })
      stream = pods
      pods.subscribe(handler)
      return () => pods.stop()
    },
    isKnown: uid => hasUid(stream?.list() ?? [], uid),
    hasSynced: () => stream?.hasSynced() ?? false,
    whenSynced: async () => stream?.whenSynced(),
  }
}

/** One stream of all pods, for the many nodes of one process. */
export function createSharedPodFeed(caches: Caches): PodFeed & { release(): void } {
  const pods = caches.acquire(POD)
  const byNode: Parameters<ObjectCache<Pod>['indexBy']>[0] = ({ spec }) => (spec?.nodeName ? [spec.nodeName] : [])
  const index = pods.indexBy(byNode)
  const handlers = new Map<string, (change: ObjectChange<Pod>) => void>()
  pods.subscribe(change => {
    const node = change.object.spec?.nodeName
    if (!node) return
    // A node meets a pod when it is bound to it, which is a change of the pod.
    const isNew = change.type === 'updated' && change.old.spec?.nodeName !== node
    handlers.get(node)?.(isNew ? { type: 'added', object: change.object, initial: false } : change)
  })
  return {
    follow(node, handler) {
      handlers.set(node, handler)
      for (const object of index.get(node)) handler({ type: 'added', object, initial: true })
      return () => handlers.delete(node)
    },
    isKnown: uid => hasUid(pods.list(), uid),
    hasSynced: () => pods.hasSynced(),
    whenSynced: () => pods.whenSynced(),
    release: () => pods.release(),
  }
}

const hasUid = (pods: readonly Pod[], uid: string) => pods.some(({ metadata }) => metadata.uid === uid)
