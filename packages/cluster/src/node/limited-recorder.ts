import type { Clock, Log } from '@tiphys/env'
import type { EventRecorder } from '../event-recorder.ts'

export interface EventLimit {
  /** So many a second in the long run, … */
  perSecond: number
  /** … and so many at once. */
  burst: number
}

/** What the kubelet allows itself. */
export const KUBELET_LIMIT: EventLimit = { perSecond: 50, burst: 100 }

/** What all nodes of one process allow themselves together. */
export const SHARED_LIMIT: EventLimit = { perSecond: 10, burst: 100 }

/** What the scheduler allows itself for what happens to every pod; its warnings are not limited. */
export const SCHEDULER_LIMIT: EventLimit = { perSecond: 25, burst: 200 }

/** How many Events may be written. The nodes of one process can share it. */
export interface EventBudget {
  /** Takes one if more than `reserve` are left. */
  take(reserve: number): boolean
  readonly burst: number
}

export function createEventBudget(clock: Clock, { perSecond, burst }: EventLimit = KUBELET_LIMIT): EventBudget {
  let left = burst
  let filledAt = clock.monotonic()
  return {
    burst,
    take(reserve) {
      const now = clock.monotonic()
      left = Math.min(burst, left + ((now - filledAt) / 1000) * perSecond)
      filledAt = now
      if (left < 1 + reserve) return false
      left--
      return true
    },
  }
}

/** A recorder that keeps to a budget: a thousand pods that start at once are no reason to write thousands of Events. Half of
 *  what may be said at once is kept for warnings. When even that is spent the log says so, with the first warning that it cost. */
export function limitEvents(recorder: EventRecorder, budget: EventBudget, log: Log): EventRecorder {
  let isShort = false
  return {
    ...recorder,
    normal(...event) {
      if (budget.take(budget.burst / 2)) recorder.normal(...event)
    },
    warning(...event) {
      const isAllowed = budget.take(0)
      if (isAllowed) recorder.warning(...event)
      else if (!isShort) {
        const [{ kind, metadata }, reason, message] = event
        const object = `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`
        log.warn('more goes wrong than Events may be written; some Warning Events are left out', {
          first: { object, reason, message },
        })
      }
      isShort = !isAllowed
    },
  }
}
