import type { Event } from '../event.ts'

/** The events of one EventBus, in order, kept until whoever wants them has handled them.
 *
 *  - A published event is on stable storage when `publish` resolves. An id that the bus still knows is not stored twice.
 *  - What a consumer has not handled is never discarded: a bus that is full refuses new events instead.
 *  - Events, and what is remembered beside them, are stored in the order of the calls: after a crash there is no
 *    remembered value without the events that were published before it. */
export interface Bus {
  publish(event: Event): Promise<'stored' | 'duplicate'>
  /** Position of the last event. */
  readonly head: number
  /** Opens the named consumer. A new one begins after `from`, by default at the head: it sees what is published from now
   *  on, and of what was published before the positions in `also`. One that was opened before goes on where it was. A
   *  consumer can be open once at a time. */
  consumer(name: string, options?: { from?: number; also?: readonly number[] }): Consumer
  /** Frees what the consumer holds back. */
  removeConsumer(name: string): Promise<void>
  readonly consumers: readonly string[]
  readonly memory: Memory
  find(id: string): Promise<Event | undefined>
  /** Position of the first event that was published at this time (milliseconds) or later; one more than the head if there
   *  is none. */
  firstSince(time: number): number
  /** From the oldest that is kept. */
  events(from?: number): AsyncIterable<{ position: number; event: Event }>
  health(): BusHealth
  close(): Promise<void>
}

export interface Consumer {
  readonly name: string
  /** What is not handled yet, in order, then what comes, until the signal is aborted. After a crash also what was being
   *  handled comes again. */
  deliveries(signal: AbortSignal): AsyncIterable<{ position: number; event: Event }>
  /** The event is handled, in any order. Stored soon, not at once: after a crash it may come again. */
  done(position: number): void
  /** How many are not handled yet. */
  readonly backlog: number
  /** How many of those were not even handed out. */
  readonly unread: number
  /** The position up to which everything is handled. */
  readonly handledUpTo: number
  /** Stores what is done and ends; the consumer can be opened again. */
  close(): Promise<void>
}

/** Small durable values by key: checkpoints of sources, waiting joins, parked deliveries. Reads see every earlier call. */
export interface Memory {
  get(key: string): Promise<string | undefined>
  /** Resolves when it is on stable storage. */
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  keys(prefix: string): readonly string[]
  /** Every value whose key begins so, read in one pass. */
  entries(prefix: string): AsyncIterable<{ key: string; value: string }>
}

export type BusHealth =
  | { state: 'healthy'; events: number; bytes: number }
  /** Nothing more is taken until consumers have handled some. */
  | { state: 'full'; events: number; bytes: number; slowest: string }
  | { state: 'unreachable'; since: number; why: Error }
