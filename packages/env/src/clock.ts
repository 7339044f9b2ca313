/** Where time comes from. Nothing in Tiphys reads a global clock or sets a global timer, so that every test can own time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds that only go forward, for measuring durations. */
  monotonic(): number
  /** Runs `task` once, not earlier than `delayMs` from now. The timer alone does not keep the process alive. */
  schedule(delayMs: number, task: () => void): Timer
}

export interface Timer {
  /** After this call the task does not run. Cancelling twice, or after the task ran, does nothing. */
  cancel(): void
}

// Node fires a longer timeout at once; a longer wait is made of several.
const LONGEST_TIMEOUT = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, task) {
    let handle: NodeJS.Timeout
    const arm = (left: number) => {
      const part = Math.min(left, LONGEST_TIMEOUT)
      handle = setTimeout(() => (left > part ? arm(left - part) : task()), Math.max(0, part))
      handle.unref()
    }
    arm(delayMs)
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Resolves after `delayMs` of the clock's time; rejects with the signal's reason when aborted before. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = clock.schedule(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
