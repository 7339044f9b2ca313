import type { Event } from '../event.ts'

/** What is known of a stored event without its content. */
export interface EventHeader extends Omit<Event, 'data'> {
  /** When it was published, in milliseconds since the epoch: the age that retention goes by. */
  at: number
}

/** An event as its record holds it: a line of JSON, then the payload as it is. Payloads are most of the bytes and are
 *  neither escaped nor parsed on their way. */
export function encodeEvent({ data, ...header }: Event, at: number): string {
  return `${JSON.stringify({ at, ...header })}\n${data}`
}

export function decodeHeader(record: Buffer): EventHeader {
  return JSON.parse(record.toString('utf8', 0, record.indexOf(NEWLINE))) as EventHeader
}

export function decodeEvent(record: Buffer): Event {
  const { at: _, ...header } = decodeHeader(record)
  return { data: record.toString('utf8', record.indexOf(NEWLINE) + 1), ...header }
}

const NEWLINE = 0x0a
