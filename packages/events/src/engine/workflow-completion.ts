import type { Env } from '@tiphys/env'
import {
  type Client,
  createListWatch,
  isNotFound,
  type KubeObject,
  type ListWatch,
  type ObjectChange,
} from '@tiphys/kube'

/** Tells when Workflows are over. */
export interface WorkflowCompletion {
  /** Resolves when the Workflow has completed or is gone. Rejects when the signal is aborted before. */
  of(workflow: { namespace: string; name: string; uid?: string }, signal: AbortSignal): Promise<void>
  stop(): void
}

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' } as const
const OVER = new Set(['Succeeded', 'Failed', 'Error'])
/** Workflows are large, and little of them is asked for here. */
const ESSENCE = ['status.phase', 'metadata.labels'] as const
const COMPLETED_LABEL = 'workflows.argoproj.io/completed'

/** Follows the Workflows of a namespace from the first time somebody waits for one of them. */
export function createWorkflowCompletion(client: Client, env: Env): WorkflowCompletion {
  const watches = new Map<string, ListWatch>()

  const watchIn = (namespace: string): ListWatch => {
    const known = watches.get(namespace)
    if (known) return known
    const watch = createListWatch(client, { ...WORKFLOW, namespace }, { env, project: ESSENCE })
    watches.set(namespace, watch)
    return watch
  }

  return {
    of({ namespace, name, uid }, signal) {
      return new Promise((resolve, reject) => {
        let isEnded = false
        const end = (settle: () => void) => {
          isEnded = true
          signal.removeEventListener('abort', onAbort)
          unsubscribe()
          settle()
        }
        const onAbort = () => end(() => reject(signal.reason))
        const onChange = ({ type, object }: ObjectChange) => {
          if (object.metadata.name !== name) return
          const isOther = uid !== undefined && object.metadata.uid !== uid
          if (isOther || type === 'deleted' || isOver(object)) end(resolve)
        }
        let unsubscribe = () => {}
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        unsubscribe = watchIn(namespace).subscribe(onChange)
        // The watch tells of what it knows before it returns.
        if (isEnded) return unsubscribe()
        // One that is over and gone already is never shown by the watch.
        client.get({ ...WORKFLOW, namespace, name }).then(
          object => {
            if (isOver(object) || (uid !== undefined && object.metadata.uid !== uid)) end(resolve)
          },
          error => {
            if (isNotFound(error)) end(resolve)
          },
        )
      })
    },
    stop() {
      for (const watch of watches.values()) watch.stop()
      watches.clear()
    },
  }
}

function isOver({ metadata, status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { phase?: string }
  return metadata.labels?.[COMPLETED_LABEL] === 'true' || OVER.has(phase ?? '')
}
