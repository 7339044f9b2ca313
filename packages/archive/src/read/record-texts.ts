import type { EventRow, LogRow, RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { decode } from '../ingest/incoming.ts'
import { docText } from '../ingest/searchable.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { wordsOf } from '../words.ts'
import type { Source } from './source.ts'

/** The words of each of some records that the index of words has, in their order. */
export async function wordsOfRecords(source: Source, rows: readonly RecordRow[]): Promise<string[][]> {
  const texts = await wholeTexts(source, rows, { isOldNeeded: false })
  const logs = await logTexts(source, rows)
  return rows.map(({ id }, i) => {
    const log = logs.get(id)
    const decoded = decode({ text: Buffer.from(texts[i] ?? ''), ...(log && { content: Buffer.from(log.text) }) })
    // Of those that say nothing of their own the index has the first alone.
    return wordsOf(docText(decoded, true))
  })
}

/** Records as they came: those of events with their payloads, and with what an object was where that is needed. */
export async function wholeTexts(
  source: Source,
  rows: readonly RecordRow[],
  { isOldNeeded = true }: { isOldNeeded?: boolean } = {},
): Promise<string[]> {
  const texts = await source.contents(rows)
  const ids = rows.filter(({ kind }) => kind === KIND_NUMBERS.event).map(({ id }) => id)
  const events = await source.byId<EventRow>(tables.EVENTS, ids)
  const payloadOf = await source.payloadTexts(isOldNeeded ? events : events.map(row => ({ ...row, old_hash: null })))
  return rows.map(({ id, kind }, i) => {
    const text = String(texts[i])
    const payload = kind === KIND_NUMBERS.event ? payloadOf(id) : undefined
    return payload === undefined ? text : `${text.slice(0, -1)},"body":${payload}}`
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
