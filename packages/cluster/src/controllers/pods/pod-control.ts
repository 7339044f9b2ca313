import { asError } from '@tiphys/env'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { EventRecorder } from '../../event-recorder.ts'
import { isNamespaceTerminating } from '../namespace/active.ts'

/** Creates and deletes the pods of a controller and tells of it with Events on the controller's object. */
export interface PodControl {
  /** Nothing when the namespace is being deleted: then no creation can succeed, and none needs to. */
  create(owner: KubeObject, pod: Pod): Promise<Pod | undefined>
  /** A pod that is gone already is as good as deleted. */
  delete(owner: KubeObject, pod: Pod): Promise<void>
}

export function createPodControl(client: Client, recorder: EventRecorder): PodControl {
  return {
    async create(owner, pod) {
      try {
        const created = await client.create(pod)
        recorder.normal(owner, 'SuccessfulCreate', `Created pod: ${created.metadata.name}`)
        return created
      } catch (thrown) {
        if (isNamespaceTerminating(thrown)) return undefined
        recorder.warning(owner, 'FailedCreate', `Error creating: ${asError(thrown).message}`)
        throw thrown
      }
    },
    async delete(owner, pod) {
      const { namespace, name = '' } = pod.metadata
      try {
        await client.delete({ apiVersion: 'v1', kind: 'Pod', name, ...(namespace === undefined ? {} : { namespace }) })
        recorder.normal(owner, 'SuccessfulDelete', `Deleted pod: ${name}`)
      } catch (thrown) {
        if (isNotFound(thrown)) return
        const { message } = asError(thrown)
        recorder.warning(owner, 'FailedDelete', `Error deleting: ${message}`)
        throw new Error(`unable to delete pods: ${message}`, { cause: thrown })
      }
    },
  }
}

/** What a batch of calls came to: the results, and the first failure, which ended it. */
export interface Batch<T> {
  done: T[]
  failure?: Error
}

/** Calls `act` for the items in batches of 1, 2, 4, …, each batch at once. A failure in a batch ends the work after it: what
 *  fails for all fails but a few times. */
export async function inSlowStart<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<Batch<R>> {
  const done: R[] = []
  for (let begun = 0, size = 1; begun < items.length; begun += size, size *= 2) {
    const batch = await allAtOnce(items.slice(begun, begun + size), act)
    done.push(...batch.done)
    if (batch.failure) return { done, failure: batch.failure }
  }
  return { done }
}

/** Calls `act` for all items at once. */
export async function allAtOnce<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<Batch<R>> {
  const done: R[] = []
  let failure: Error | undefined
  for (const outcome of await Promise.allSettled(items.map(act))) {
    if (outcome.status === 'fulfilled') done.push(outcome.value)
    else failure ??= asError(outcome.reason)
  }
  return failure ? { done, failure } : { done }
}
