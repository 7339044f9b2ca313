import { type Clock, delay, RetryableFailure } from '@tiphys/env'
import { ApiError, isConflict } from '@tiphys/kube'

/** Whether a request failed for a reason that is not its own: the same one can succeed later. A conflict is one with somebody who
 *  wrote at the same time, such as a quota that changed while it was counted. */
export function isPassing(thrown: unknown): boolean {
  if (thrown instanceof RetryableFailure) return true
  if (!(thrown instanceof ApiError)) return false
  return thrown.statusCode === 429 || thrown.statusCode >= 500 || isConflict(thrown)
}

/** There is no room in the namespace for now: others have to go first. */
export const isBeyondQuota = (thrown: unknown): boolean =>
  thrown instanceof ApiError && thrown.statusCode === 403 && thrown.message.includes('exceeded quota')

const FIRST_PAUSE_MS = 100

/** Does something again that fails for a passing reason, up to `most` times, after ever longer pauses. */
export async function tryAgain<T>(
  { clock, most, signal }: { clock: Clock; most: number; signal?: AbortSignal },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (tries === most || !isPassing(thrown)) throw thrown
      await delay(clock, FIRST_PAUSE_MS * 2 ** (tries - 1), signal)
    }
  }
}
