/** What goes over the one WebSocket of a tab, each way as JSON. */

export const LIVE_PROTOCOL = 'tiphys.live.v1'

/** What can be followed. `events` and `runs` send rows; `changes` says that something a page shows has changed. */
export type LiveTopic = 'events' | 'runs' | 'changes'

export interface LiveSubscription {
  id: number
  topic: LiveTopic
  q?: string
  ns?: string
  /** Everything after it is sent, also what came while there was no connection; from now on, when it is left out. */
  cursor?: string
}

export type LiveRequest = { subscribe: LiveSubscription } | { unsubscribe: number }

export type LiveMessage =
  /** Rows that came or changed, oldest first. */
  | { id: number; rows: readonly unknown[]; cursor: string }
  /** The receiver was too slow, or was away for too long: rows are missing, read the list anew. */
  | { id: number; gap: true; cursor: string }
  | { id: number; error: { code: string; what: string } }
  /** Sent every few seconds, so that a silent connection is told from a dead one. */
  | { beat: number }
