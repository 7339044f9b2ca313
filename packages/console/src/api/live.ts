import type { EventItem, FollowBatch, Row, RunItem } from '@tiphys/archive'
import type { LIVE_REQUEST, LIVE_SUBSCRIPTION } from './live-request.ts'
import type { TypeOf } from './schema.ts'

/** What goes over the one WebSocket of a tab, each way as JSON. */

export const LIVE_PROTOCOL = 'tiphys.live.v1'

export type LiveSubscription = TypeOf<typeof LIVE_SUBSCRIPTION>
export type LiveTopic = LiveSubscription['topic']
export type LiveRequest = TypeOf<typeof LIVE_REQUEST>

/** Of the topic `events` an event, of `runs` a run, of `changes` what has changed. */
export type LiveRow = Row<EventItem> | Row<RunItem> | FollowBatch['items'][number]['type']

export type LiveUpdate = LiveRows | LiveGap

/** Rows that came or changed, oldest first. */
export interface LiveRows {
  rows: readonly LiveRow[]
  /** Where to go on after an interruption. */
  cursor: string
}

/** The receiver was too slow, or was away for too long: rows are missing, read the list anew. */
export interface LiveGap {
  gap: true
  cursor: string
}

export type LiveMessage = (LiveRows & Subscribed) | (LiveGap & Subscribed) | LiveError | LiveBeat

interface Subscribed {
  /** Of the subscription. */
  id: number
}

/** The subscription ends with it. With the id 0 it is about a message that cannot be read, and the connection ends. */
export interface LiveError extends Subscribed {
  error: { code: string; what: string }
}

/** Sent every few seconds, so that a silent connection is told from a dead one. */
export interface LiveBeat {
  /** The server's time. */
  beat: number
}
