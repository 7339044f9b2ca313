import type { Event } from '../event.ts'

/** An event that a bus has no more: as it was, or why it cannot be had like that. */
export type PastEvent = { event: Event } | { id: string; why: string }

/** Finds what is known elsewhere of the events of a bus.
 *
 *  - It finds only what was on that bus: whoever may replay in one namespace gets nothing of another.
 *  - They come in the order in which they happened, each once and when it is asked for: one at a time is held.
 *  - One of which something was masked or left out comes with the reason, never as if it were whole.
 *  - What is not known is left out.
 *  - After the signal is aborted it ends or rejects soon, whatever it waits for. */
export type FindPastEvents = (
  bus: { namespace: string; name: string },
  ids: readonly string[],
  signal: AbortSignal,
) => AsyncIterable<PastEvent>
