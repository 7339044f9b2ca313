import type { Env } from '@tiphys/env'
import type { Consumer, Memory } from '../bus/bus.ts'
import type { Event } from '../event.ts'
import type { Action, Parked } from './action.ts'
import type { Condition } from './condition.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { TriggerDispatcher } from './trigger-dispatcher.ts'

/** What became of an event at one dependency of a trigger. */
export type Evaluation =
  | { dependency: string; outcome: 'passed'; event: Event }
  | { dependency: string; outcome: 'filtered'; by: string }
  /** A filter or a transformation that could not be carried out. */
  | { dependency: string; outcome: 'failed'; error: Error }

/** What a dispatcher tells of its doings, for the records. */
export type DispatchNote =
  | { type: 'filtered'; event: Event; dependency: string; by: string }
  | { type: 'evaluation failed'; event: Event; dependency: string; error: Error }
  /** `present`: the dependencies that have an event. */
  | { type: 'waits for others'; event: Event; dependency: string; present: readonly string[] }
  | { type: 'superseded'; event: Event; by: string }
  /** It waited for others, and its time was over. */
  | { type: 'reset'; event: Event; dependency: string }
  | { type: 'fires'; action: Action }
  /** `heldBackMs`: how long it was held back by `pace`. */
  | { type: 'attempt'; action: Action; attempt: number; heldBackMs: number; isDeadLetter: boolean }
  | {
      type: 'failed'
      action: Action
      attempt: number
      error: Error
      againInMs: number | undefined
      isDeadLetter: boolean
    }
  | { type: 'done'; action: Action; attempts: number; isDeadLetter: boolean }
  /** Nothing of it is left to do. */
  | { type: 'ended'; action: Action }
  | { type: 'parked'; parked: Parked }
  | { type: 'discarded'; parked: Parked; reason: string }

/** What can be tried. */
export interface Attempt {
  /** One attempt. Called again with the same action after a failure or a crash. What it resolves with is waited for before
   *  the next event of the key has its turn. `isAskedFor`: by a person, of what was parked. */
  execute: (
    action: Action,
    signal: AbortSignal,
    isAskedFor: boolean,
    // biome-ignore lint/suspicious/noConfusingVoidType: most attempts have nothing more to say.
  ) => Promise<((stopped: AbortSignal) => Promise<void>) | void>
  retry: RetryPolicy
}

export interface DispatcherOptions extends Attempt {
  env: Env
  consumer: Consumer
  /** What this consumer remembers; nobody else's. */
  memory: Memory
  sensorUid: string
  trigger: string
  condition: Condition
  /** Nothing for an event that no dependency of the trigger is about. */
  evaluate: (event: Event, signal: AbortSignal) => Promise<readonly Evaluation[]>
  /** How many milliseconds to wait before the next attempt, which is made then. */
  pace?: () => number
  /** What is done with the events of an action that failed for good. Only if that fails too, it is parked. */
  deadLetter?: Attempt & { trigger: string }
  /** Whether events that have waited for others since this time (milliseconds) are to be forgotten. */
  isOver?: (since: number) => boolean
  /** A newer event takes the place of waiting ones of its key. */
  coalesces?: boolean
  /** Later events of a key wait while an action of it is parked. */
  blocksOnParked?: boolean
  /** How many actions are carried out at once. */
  concurrency?: number
  /** How many events are held before no more are read from the bus. */
  maxHeld?: number
  tell?: (note: DispatchNote) => void
}

/** Carries out one trigger of one Sensor for the events of a bus.
 *
 *  - An event ends as done, filtered, superseded or parked; until then it, or what came of it, is on the bus or in memory,
 *    and a new dispatcher takes it up again.
 *  - Events of one key are handled one at a time and in order; an action for several events holds the keys of all.
 *  - What fails is tried again as the policy says, then parked: kept until `retry` or `discard`. */
export interface Dispatcher {
  parked(): Promise<readonly Parked[]>
  /** The one that was parked last. */
  lastParked(): Promise<Parked | undefined>
  /** Tries a parked action again, under the same key. Resolves when it is done or parked again. */
  retry(key: string): Promise<'done' | 'parked' | 'unknown'>
  discard(key: string, reason: string): Promise<boolean>
  /** How many are parked. */
  readonly parkedCount: number
  /** How many actions are under way or wait for their turn. */
  readonly held: number
  /** Forgets events that wait for others, if their time is over. */
  reset(): Promise<void>
  /** Nothing is being handled. What waits in a join or is parked does not count, nor what waits for time to pass or for
   *  what it has set off. */
  isIdle(): boolean
  /** Begins nothing more. What is being tried has `graceMs` to end, then it is given up and comes again. */
  stop(options?: { graceMs?: number }): Promise<void>
}

export async function createDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const dispatcher = new TriggerDispatcher(options)
  await dispatcher.begin()
  return dispatcher
}
