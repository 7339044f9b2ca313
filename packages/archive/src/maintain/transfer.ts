import type { Failure } from '@tiphys/env'
import { decodeRecord } from '@tiphys/journal/records'
import type { ExportedRecord, Selection } from '../archive.ts'
import type { Database } from '../database/database.ts'
import type { LogRow, RecordRow, RunRow, TraceRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { importInvalid } from '../failures.ts'
import type { Incoming } from '../ingest/incoming.ts'
import { isObjectAt, slicesOf } from '../ingest/json-slices.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { isRecordOf } from '../members.ts'
import { and, isOneOf } from '../query/sql.ts'
import { listEvents, visible } from '../read/events.ts'
import { wholeTexts } from '../read/record-texts.ts'
import { Source } from '../read/source.ts'
import { togetherWith } from '../read/together.ts'

const RECORDS_AT_ONCE = 500
const EVENTS_AT_ONCE = 50
/** Nothing that is recorded goes nearly as deep. */
const DEEPEST = 1000

export interface ExportPart {
  lines: string[]
  /** Where to go on; undefined at the end. */
  next: string | undefined
}

/** The next lines of an export: of everything, in the order in which it came, or of the traces of the chosen events. */
export async function exportPart(
  source: Source,
  selection: Selection | undefined,
  after: string | undefined,
): Promise<ExportPart> {
  const isChosen = selection !== undefined && (selection.query !== undefined || selection.scope !== undefined)
  if (!isChosen) {
    const rows = await source.database.all<RecordRow>(
      `SELECT * FROM records WHERE id > ? ORDER BY id LIMIT ${RECORDS_AT_ONCE}`,
      [Number(after ?? 0)],
    )
    return {
      lines: await linesOf(source, rows),
      next: rows.length < RECORDS_AT_ONCE ? undefined : String(rows.at(-1)?.id),
    }
  }
  const page = await listEvents(source, selection, {
    order: 'oldest',
    limit: EVENTS_AT_ONCE,
    ...(after === undefined ? {} : { after }),
  })
  const traces = await source.database.lookup<TraceRow>(
    tables.TRACES,
    ['trace'],
    page.items.map(({ id }) => [id]),
  )
  const rows = new Map<number, RecordRow>()
  for (const row of await recordsOfTraces(source.database, traces)) rows.set(row.id, row)
  for (const trace of traces) for (const row of await sharedRecords(source, trace)) rows.set(row.id, row)
  // An event may be seen whose runs, logs and writes may not.
  const shown = await visible(source, [...rows.values()], selection.scope)
  return {
    lines: await linesOf(
      source,
      shown.sort((a, b) => a.id - b.id),
    ),
    next: page.next,
  }
}

/** What came of an event together with others, which is traced by the first of them. */
async function sharedRecords(source: Source, { id, trace }: TraceRow): Promise<RecordRow[]> {
  const { database } = source
  const { actions, traces } = await togetherWith(source, id)
  if (traces.length === 0) return []
  const others = isOneOf('trace', traces)
  const kinds = [KIND_NUMBERS.decision, KIND_NUMBERS.delivery, KIND_NUMBERS.write]
  const hops = await database.all<RecordRow>(
    `SELECT * FROM records WHERE ${others.text} AND run IS NULL AND kind IN (${kinds.join(', ')})`,
    others.values,
  )
  const told = await source.records<{ events?: readonly string[]; action?: string }>(hops)
  const isShared = ({ events = [], action = '' }: (typeof told)[number]) =>
    events.includes(trace) || actions.has(action)
  const shared = and([others, isOneOf('action', [...actions])])
  const runs = await database.all<RunRow>(`SELECT * FROM runs WHERE ${shared.text}`, shared.values)
  const ofRuns = await database.lookup<RecordRow>(
    tables.RECORDS,
    ['run'],
    runs.map(run => [run.id]),
  )
  return [...hops.filter((_, i) => isShared(told[i] ?? {})), ...ofRuns]
}

async function linesOf(source: Source, rows: readonly RecordRow[]): Promise<string[]> {
  const texts = await wholeTexts(source, rows)
  const chunks = await source.byId<LogRow>(
    tables.LOGS,
    rows.filter(({ kind }) => kind === KIND_NUMBERS.log).map(({ id }) => id),
    'record',
  )
  const kept = chunks.filter(({ pack }) => pack !== null)
  const contents = await source.contents(
    kept.map(({ pack, start, bytes }) => ({ pack: pack ?? 0, start: start ?? 0, size: bytes })),
  )
  const outputs = new Map(kept.map(({ record }, i) => [record, (contents[i] as Buffer).toString('base64')]))
  return rows.map(({ id, kind }, i) => {
    const text = texts[i] as string
    // Of a payload all digits are kept; what is of no known kind may be no JSON.
    const record = kind === KIND_NUMBERS.event ? text : JSON.stringify(parse(text))
    const content = outputs.get(id)
    return content === undefined ? `{"record":${record}}` : `{"record":${record},"content":"${content}"}`
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It was no JSON when it came.
    return text
  }
}

/** Reads lines of an export up to the first that is none; `first` is the number of the first of them. */
export function readLines(lines: readonly string[], first: number): { incoming: Incoming[]; invalid?: Failure } {
  const incoming: Incoming[] = []
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue
    if (isTooDeep(line))
      return { incoming, invalid: importInvalid(first + i, `it is nested more than ${DEEPEST} deep`) }
    const parsed = parse(line)
    if (!isRecordOf(parsed) || !Object.hasOwn(parsed, 'record'))
      return { incoming, invalid: importInvalid(first + i, 'it is not an object with a record') }
    const { record, content } = parsed as unknown as ExportedRecord
    if (content !== undefined && typeof content !== 'string')
      return { incoming, invalid: importInvalid(first + i, 'its content is not text') }
    const text = writtenRecord(Buffer.from(line)) ?? Buffer.from(JSON.stringify(record))
    incoming.push({ text, ...(content === undefined ? {} : { content: Buffer.from(content, 'base64') }) })
  }
  return { incoming }
}

/** Before anything is made of it: what goes through values goes only so deep. Brackets in strings are none. */
function isTooDeep(line: string): boolean {
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const character = line.charCodeAt(at)
    if (character === QUOTE) at = closingQuote(line, at)
    else if (character === OPEN || character === OPEN_LIST) depth++
    else if (character === CLOSE || character === CLOSE_LIST) depth--
    if (depth > DEEPEST) return true
  }
  return false
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]

/** Of the string that begins at `start`; the end of the line when it has none. A pattern would run out of stack in a long one. */
function closingQuote(line: string, start: number): number {
  let at = start + 1
  while (at < line.length && line.charCodeAt(at) !== QUOTE) at += line.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

/** The record as it stands in the line, when that is as we write it: in a value long numbers lose digits. */
function writtenRecord(line: Buffer): Buffer | undefined {
  const slice = slicesOf(line, [['record', []]])?.record
  return slice && isObjectAt(line, slice) ? line.subarray(slice.start, slice.end) : undefined
}

/** Everything that belongs to traces; what belongs to a run is found by it. */
async function recordsOfTraces(database: Database, traces: readonly TraceRow[]): Promise<RecordRow[]> {
  const ids = traces.map(({ id }) => id)
  const rows = new Map<number, RecordRow>()
  for (const id of ids)
    for (const row of await database.all<RecordRow>('SELECT * FROM records WHERE trace = ? AND run IS NULL', [id]))
      rows.set(row.id, row)
  const runs = await database.lookup<RunRow>(
    tables.RUNS,
    ['trace'],
    ids.map(id => [id]),
  )
  for (const row of await database.lookup<RecordRow>(
    tables.RECORDS,
    ['run'],
    runs.map(({ id }) => [id]),
  ))
    if (row.trace !== null && ids.includes(row.trace)) rows.set(row.id, row)
  return [...rows.values()]
}

/** Those that are not there yet, each once: a record is known by its trace or run, its time and its text. */
export async function newOnes(database: Database, incoming: readonly Incoming[]): Promise<Incoming[]> {
  const decoded = incoming.map(({ text }) => decodeRecord(Buffer.from(text).toString()))
  const traces = [...new Set(decoded.map(({ trace }) => trace).filter(trace => trace !== ''))]
  const traceIds = await database.lookup<TraceRow>(
    tables.TRACES,
    ['trace'],
    traces.map(trace => [trace]),
  )
  const uids = [...new Set(decoded.flatMap(record => ('run' in record && record.run ? [record.run.uid] : [])))]
  const runs = await database.lookup<RunRow>(
    tables.RUNS,
    ['uid'],
    uids.map(uid => [uid]),
  )
  const times = [...new Set(decoded.filter(record => record.trace === '' && !('run' in record)).map(({ at }) => at))]
  const rare = `SELECT * FROM records WHERE kind >= 8 AND trace IS NULL AND at = ?`
  const rows = [
    ...(await recordsOfTraces(database, traceIds)),
    ...(await database.lookup<RecordRow>(
      tables.RECORDS,
      ['run'],
      runs.map(({ id }) => [id]),
    )),
  ]
  for (const at of times) rows.push(...(await database.all<RecordRow>(rare, [at])))
  const source = new Source(database, () => 0)
  const known = new Set((await source.contents(rows)).map(text => withoutBody(text.toString())))
  return incoming.filter(({ text }) => {
    const identity = withoutBody(Buffer.from(text).toString())
    if (known.has(identity)) return false
    known.add(identity)
    return true
  })
}

/** An event's payload is kept apart; its id is enough. */
function withoutBody(text: string): string {
  const record = parse(text)
  return isRecordOf(record) && record.kind === 'event' ? `event ${String(record.trace)}` : text
}
