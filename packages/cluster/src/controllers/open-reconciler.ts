import { asError } from '@tiphys/env'
import { createWorkQueue } from '@tiphys/kube'
import type { Controller, ControllerContext } from './controller.ts'

/** A control loop for which keys are found on the way, from caches that come and go. */
export interface OpenReconciler extends Controller {
  add(key: string): void
}

export interface OpenReconcilerOptions {
  name: string
  /** Nothing is reconciled before. */
  whenReady: Promise<unknown>
  /** As for a reconciler: a number is the time in milliseconds after which to look again even if nothing changes. */
  reconcile: (key: string, signal: AbortSignal) => Promise<number | undefined>
}

export function createOpenReconciler(
  { env }: Pick<ControllerContext, 'env'>,
  { name, whenReady, reconcile }: OpenReconcilerOptions,
): OpenReconciler {
  const queue = createWorkQueue<string>({
    env,
    concurrency: 4,
    backoff: { initialMs: 5, maxMs: 60_000 },
    async process(key, { signal }) {
      const again = await reconcile(key, signal)
      if (again !== undefined) queue.add(key, { delayMs: again })
    },
    onError(key, error, { attempt, inMs }) {
      if (attempt > 3) env.log.warn(`${name}: ${key} could not be brought up to date`, { error, attempt, inMs })
    },
  })
  queue.pause()
  let isReady = false
  let isStopped = false
  whenReady.then(
    () => {
      isReady = true
      if (!isStopped) queue.resume()
    },
    (thrown: unknown) => {
      if (!isStopped) env.log.error(`${name} cannot start`, { error: asError(thrown) })
    },
  )
  return {
    name,
    add: key => void queue.add(key),
    isIdle() {
      const { waiting, processing } = queue.metrics()
      return isReady && waiting.fresh + waiting.backlog + processing === 0
    },
    async stop() {
      isStopped = true
      await queue.shutdown()
    },
  }
}
