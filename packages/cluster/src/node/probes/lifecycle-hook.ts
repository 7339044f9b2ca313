import { delay, type Env } from '@tiphys/env'
import type { LifecycleHandler } from '@tiphys/kube/kinds'
import { type CheckTarget, checkExec, checkHttp } from './container-check.ts'

/** Runs what is to be done after a container's start or before its end. False when it failed; the signal ends it. */
export async function runHook(
  env: Env,
  target: CheckTarget,
  handler: LifecycleHandler,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (handler.exec) return (await checkExec(target, handler.exec.command ?? [], signal)).isSuccess
    // A hook's server only has to answer: what it says does not matter.
    if (handler.httpGet) return (await checkHttp(target, handler.httpGet, signal)).statusCode !== undefined
    if (handler.sleep) await delay(env.clock, handler.sleep.seconds * 1000, signal)
    return handler.sleep !== undefined
  } catch {
    // What a hook did wrong is not shown: it may contain secrets.
    return false
  }
}
