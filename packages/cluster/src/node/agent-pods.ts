import type { LogRun, LogStore } from './logs/log-store.ts'
import { type ContainerRef, type NodePods, NodeRefusal } from './node-pods.ts'
import type { ObservedContainer } from './observed-pod.ts'
import type { PodWorker } from './pod-worker.ts'
import type { PodWorkers } from './pod-workers.ts'

/** What others may do with the pods of these workers. */
export function createNodePods(workers: PodWorkers, logs: LogStore): NodePods {
  const find = (namespace: string, pod: string): PodWorker => {
    const worker = workers.named(namespace, pod)
    if (!worker) throw new NodeRefusal(404, `pod "${pod}" in namespace "${namespace}" is not on this node`)
    return worker
  }

  const running = ({ namespace, pod, container }: ContainerRef) => {
    const found = find(namespace, pod).running(container)
    if (!found) throw new NodeRefusal(404, `container not found ("${container}")`)
    return found
  }

  return {
    pods: () => Array.from(workers.all(), ({ pod }) => pod),
    pod: (namespace, name) => workers.named(namespace, name)?.pod,
    logs({ namespace, pod, container }, { previous = false, ...options }) {
      const worker = find(namespace, pod)
      const observed = worker.observed.containers.get(container)
      if (!observed) throw new NodeRefusal(400, `container ${container} is not valid for pod ${pod}`)
      const restartCount = runToRead(observed, previous)
      if (restartCount === undefined) {
        throw new NodeRefusal(
          400,
          previous
            ? `previous terminated container "${container}" in pod "${pod}" not found`
            : `container "${container}" in pod "${pod}" is waiting to start: ${waitingReason(observed.activity)}`,
        )
      }
      const run: LogRun = { namespace, pod, uid: worker.pod.metadata.uid ?? '', container, restartCount }
      return logs.read(run, options) ?? nothing()
    },
    exec: async (container, config) => running(container).exec(config),
    async attach({ namespace, pod, container }, config) {
      const session = find(namespace, pod).attach(container, config)
      if (!session) throw new NodeRefusal(404, `container not found ("${container}")`)
      return session
    },
    async dial({ namespace, pod }, port) {
      const { sandbox } = find(namespace, pod)
      if (!sandbox) throw new NodeRefusal(400, `pod "${pod}" is not running`)
      return sandbox.dial(port)
    },
    usage: async container => running(container).usage(),
  }
}

/** Which run somebody means. While a container waits for its next run, its last one is both the newest and the previous. */
function runToRead({ activity, restartCount, lastTermination, backoff }: ObservedContainer, isPrevious: boolean) {
  const { state } = activity
  const before = restartCount > 0 ? restartCount - 1 : undefined
  if (state === 'running') return isPrevious ? before : restartCount
  if (state === 'exited') return isPrevious && !backoff ? before : restartCount
  if (state !== 'unstarted' && activity.after) return restartCount
  return lastTermination ? before : undefined
}

const waitingReason = (activity: { state: string; reason?: string }) => activity.reason ?? 'ContainerCreating'

async function* nothing(): AsyncGenerator<Uint8Array> {}
