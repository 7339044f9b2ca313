import { Failure, RetryableFailure } from '@tiphys/env'
import { parseDuration } from '@tiphys/expressions/duration'

/** `retryStrategy` of a trigger, as manifests write it. */
export interface RetryStrategy {
  /** A Go duration, or nanoseconds. */
  duration?: string | number
  factor?: string | number
  jitter?: string | number
  /** How many attempts there are in all. */
  steps?: number
}

export interface RetryPolicy {
  /** The time in milliseconds after which to try again, or undefined when enough has been tried. `attempts` failed so far,
   *  the last one with `error`; `chance` is between 0 and 1. */
  delayAfter(error: Error, attempts: Attempts, chance: number): number | undefined
}

export interface Attempts {
  /** That the receiver saw and refused, or that failed for good. */
  counted: number
  all: number
}

/** What a manifest means that names a retryStrategy without all of its parts. */
const DEFAULT: Required<RetryStrategy> = { duration: '1s', factor: 1, jitter: 1, steps: 5 }

/** Attempts that never reached the receiver, or that it asked to repeat, do not count; but so many are enough. */
const MOST_ATTEMPTS = 20
const FIRST_UNCOUNTED_DELAY_MS = 200
const LONGEST_UNCOUNTED_DELAY_MS = 60_000

/** The cluster itself is away. That says nothing of the event, and ends: as long as it lasts nothing is given up. */
const OUTAGES = new Set(['kube-connection-failed', 'events-no-answer'])
const isOutage = (error: Error): boolean => error instanceof Failure && OUTAGES.has(error.code)

/** It is known what another attempt would do. */
const isQuarantined = (error: Error): boolean => error instanceof Failure && error.code === 'trigger-quarantined'

/** Without a strategy a trigger is tried once. In any case an attempt that may pass by itself (`RetryableFailure`: the
 *  server was not reached, 429, 503) is repeated. Throws an Error with what cannot be read. */
export function retryPolicy(strategy: RetryStrategy | null | undefined): RetryPolicy {
  if (typeof strategy === 'string' || Array.isArray(strategy)) throw new Error('must have fields')
  const { duration, factor, jitter, steps } = { ...DEFAULT, ...strategy }
  if (typeof duration !== 'number' && typeof duration !== 'string')
    throw new Error(`duration is neither a text such as "1s" nor a number: ${JSON.stringify(duration)}`)
  const firstMs = typeof duration === 'number' ? duration / 1e6 : Number(parseDuration(duration)) / 1e6
  const growth = numberOf('factor', factor)
  const spread = numberOf('jitter', jitter)
  const most = strategy ? Math.max(1, numberOf('steps', steps || DEFAULT.steps)) : 1
  return {
    delayAfter(error, { counted, all }, chance) {
      if (isQuarantined(error)) return undefined
      if (all >= Math.max(MOST_ATTEMPTS, most) && !isOutage(error)) return undefined
      if (error instanceof RetryableFailure) {
        const delay = FIRST_UNCOUNTED_DELAY_MS * 2 ** Math.min(all - counted, 20)
        return Math.min(LONGEST_UNCOUNTED_DELAY_MS, delay) * (0.5 + chance / 2)
      }
      if (counted >= most) return undefined
      const delay = firstMs * growth ** (counted - 1)
      return spread > 0 ? delay * (1 + chance * spread) : delay
    },
  }
}

function numberOf(name: string, value: string | number): number {
  const number = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value)
  if (!Number.isFinite(number)) throw new Error(`${name} is not a number: ${JSON.stringify(value)}`)
  return number
}
