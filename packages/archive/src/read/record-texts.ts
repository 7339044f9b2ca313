import type { EventRecord, TraceRecord } from '@tiphys/journal/records'
import type { EventRow, LogRow, RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import type { Decoded } from '../ingest/incoming.ts'
import { docOf } from '../ingest/searchable.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { wordsOf } from '../words.ts'
import type { Source } from './source.ts'

/** The words of each of some records that the index of words has, in their order. */
export async function wordsOfRecords(source: Source, rows: readonly RecordRow[]): Promise<string[][]> {
  const records = await source.records<TraceRecord>(rows)
  const payloads = await payloadTexts(source, rows)
  const logs = await logTexts(source, rows)
  return rows.map(({ id }, i) => {
    const record = records[i] as TraceRecord
    const body = payloads.get(id)
    const whole =
      record.kind === 'event' && body !== undefined ? { ...record, body: body as EventRecord['body'] } : record
    const log = logs.get(id)
    // Of those that say nothing of their own the index has the first alone.
    return wordsOf(docOf({ record: whole, content: log && Buffer.from(log.text), payload: undefined } as Decoded, true))
  })
}

/** Of events, by the number of their record. */
export async function payloadTexts(source: Source, rows: readonly RecordRow[]): Promise<Map<number, unknown>> {
  const ids = rows.filter(({ kind }) => kind === KIND_NUMBERS.event).map(({ id }) => id)
  const events = await source.byId<EventRow>(tables.EVENTS, ids)
  const payloadOf = await source.payloads(events.map(row => ({ ...row, old_hash: null })))
  return new Map(events.map(({ id }) => [id, payloadOf(id)]))
}

/** Of pieces of logs, with how many lines come before. */
export async function logTexts(
  source: Source,
  rows: readonly RecordRow[],
): Promise<Map<number, { text: string; before: number }>> {
  const ids = rows.filter(({ kind }) => kind === KIND_NUMBERS.log).map(({ id }) => id)
  const chunks = (await source.byId<LogRow>(tables.LOGS, ids, 'record')).filter(({ pack }) => pack !== null)
  const contents = await source.contents(
    chunks.map(({ pack, start, bytes }) => ({ pack: pack ?? 0, start: start ?? 0, size: bytes })),
  )
  return new Map(chunks.map(({ record, before }, i) => [record, { text: (contents[i] as Buffer).toString(), before }]))
}
