import type { ObjectReference } from '@tiphys/journal/records'
import type {
  HealthItem,
  KindItem,
  ObjectHistory,
  ObjectItem,
  Page,
  PageRequest,
  Row,
  Scope,
  Selection,
} from '../archive.ts'
import type { ConditionRow, EventRow, ObjectRow, RunRow, WriteRow } from '../database/rows.ts'
import { queryInvalid } from '../failures.ts'
import { kindOf } from '../ingest/ledger.ts'
import { FAILED_PHASES, FINAL_PHASES } from '../ingest/vocabulary.ts'
import { compile, type Words } from '../query/compile.ts'
import { and, isOneOf, type Sql, sql, TRUE } from '../query/sql.ts'
import { mayMatch, wordMatch } from '../query/word-match.ts'
import { wordsOf } from '../words.ts'
import { eventItems, outcomesOf } from './events.ts'
import { readHits, withWholeWords } from './hits.ts'
import { countRows, type Keys, pageOf, readRows } from './list.ts'
import { runItems } from './runs.ts'
import { maybe, referenceOf, type Source, within } from './source.ts'
import { provenanceOf } from './writes.ts'

const USUAL_CHANGES = 50
/** Of so many events about an object the newest of so many sources is told. */
const [RECENT_EVENTS, MOST_SOURCES] = [50, 5]
/** So many of the newest hits of a text are looked at for what they are about, first and then, and the names of so many objects. */
const [FIRST_HITS, MOST_HITS, MOST_CALLED] = [150, 4000, 20_000]

export async function listKinds(source: Source, selection: Selection = {}): Promise<KindItem[]> {
  const { conditions, words } = compile('objects', selection, source.context)
  if (words) {
    const { query = '' } = selection
    const text = typeof query === 'string' ? query : query.text
    throw queryInvalid(text, 0, 'kinds are not looked for by words: list the objects that have them')
  }
  const where = and(conditions)
  const rows = await source.database.all<{ kind: string; version: string; objects: number; last: number }>(
    `SELECT kind, max(version) AS version, count(*) AS objects, max(last_at) AS last FROM objects b WHERE ${where.text}
      GROUP BY kind ORDER BY kind`,
    where.values,
  )
  return rows.map(({ kind, version, objects, last }) => ({ apiVersion: version, kind, objects, lastAt: last }))
}

export async function listObjects(
  source: Source,
  selection: Selection = {},
  page: PageRequest = {},
): Promise<Page<ObjectItem>> {
  const { conditions, words } = compile('objects', selection, source.context)
  const plan = {
    from: 'objects b',
    number: 'b.changed',
    at: 'b.last_at',
    conditions,
    words: words && { ...words, wanted: undefined },
    keys: words && (await calledSo(source, words)),
    isFiltered: conditions.length > 0,
  }
  const shown = await readRows<ObjectRow>(source, plan, page, row => row.changed)
  return pageOf(shown, await objectItems(source, shown.rows), () => countRows(source, plan, shown))
}

/** Objects with the words that are wanted. */
async function calledSo(source: Source, { wanted, column, ...words }: Words): Promise<Keys | undefined> {
  return wanted === undefined ? undefined : { column, ...(await objectsWith(source, wanted, words)) }
}

/** Objects that the newest records with a text are about. When there are more of these: also objects that are called so, and those alone when the
 *  very newest records are about no others. */
async function objectsWith(
  source: Source,
  match: string,
  { spelt, reach }: Pick<Words, 'spelt' | 'reach'>,
): Promise<Omit<Keys, 'column'>> {
  const conditions = [sql('t.object IS NOT NULL'), ...reach]
  const hits = await readHits(source, await withWholeWords(source, match), { conditions })
  const keys = new Set<number>()
  const look = async (most: number) => {
    for (const { object } of await hits.next(most)) if (object !== null) keys.add(object)
  }
  await look(FIRST_HITS)
  if (hits.isWhole) return { keys: [...keys], areAll: true }
  const called = await objectsCalled(source, spelt)
  if (![...keys].every(key => called.has(key))) await look(MOST_HITS)
  return { keys: [...new Set([...keys, ...called])], areAll: hits.isWhole }
}

async function objectsCalled(source: Source, spelt: string): Promise<Set<number>> {
  const may = mayMatch(source.database.dialect, spelt, 'b.text')
  const known = await source.database.all<Pick<ObjectRow, 'id' | 'kind' | 'namespace' | 'name'>>(
    `SELECT b.id, b.kind, b.namespace, b.name FROM (SELECT id, kind, namespace, name, ' ' || kind || ' ' || namespace || ' ' || name || ' ' AS text
      FROM objects ORDER BY changed DESC LIMIT ${MOST_CALLED}) b WHERE ${may.text}`,
    may.values,
  )
  const areIn = wordMatch(spelt)
  // A word that there is not keeps them apart.
  const wordsOfName = ({ kind, namespace, name }: (typeof known)[number]) =>
    [kind, namespace, name].flatMap(text => [...wordsOf(text), ''])
  return new Set(known.filter(row => areIn(wordsOfName(row))).map(({ id }) => id))
}

export async function objectItems(source: Source, rows: readonly ObjectRow[]): Promise<Row<ObjectItem>[]> {
  const where = isOneOf(
    'object',
    rows.map(({ id }) => id),
  )
  const conditions = await source.database.all<ConditionRow>(
    `SELECT * FROM conditions WHERE status <> 'True' AND ${where.text} ORDER BY record`,
    where.values,
  )
  // The newest comes last and stays.
  const worst = new Map(conditions.map(row => [row.object, row]))
  return rows.map(row => {
    const condition = worst.get(row.id)
    return {
      cursor: String(row.changed),
      object: referenceOf(row),
      events: row.events,
      writes: row.writes,
      firstAt: row.first_at,
      lastAt: row.last_at,
      ...maybe('lastVerb', row.last_verb as ObjectItem['lastVerb'] | null),
      ...maybe('condition', condition && conditionOf(condition)),
      isDeleted: row.is_deleted === 1,
    }
  })
}

export const conditionOf = ({
  condition,
  status,
  reason,
  message,
  at,
}: ConditionRow): NonNullable<ObjectItem['condition']> => ({
  condition,
  status,
  reason,
  ...maybe('message', message),
  at,
})

/** All that were called so, newest first; only that one when the uid is given. */
export function objectRows(source: Source, object: ObjectReference, scope: Scope | undefined): Promise<ObjectRow[]> {
  const allowed = within('scope', scope)
  const isGroupKnown = object.apiVersion !== ''
  const where = and([
    isGroupKnown ? sql('kind = ?', kindOf(object)) : sql('(kind = ? OR kind LIKE ?)', object.kind, `${object.kind}.%`),
    sql('namespace = ? AND name = ?', object.namespace ?? '', object.name),
    ...(object.uid === undefined ? [] : [sql("(uid = ? OR uid = '')", object.uid)]),
    allowed,
  ])
  return source.database.all<ObjectRow>(
    `SELECT * FROM objects WHERE ${where.text} ORDER BY last_at DESC, id DESC LIMIT 100`,
    where.values,
  )
}

/** Without an `apiVersion` any group's kind of that name is taken. */
export async function readObject(
  source: Source,
  object: ObjectReference,
  { scope, limit = USUAL_CHANGES }: { scope?: Scope; limit?: number } = {},
): Promise<ObjectHistory | undefined> {
  const rows = await objectRows(source, object, scope)
  const [newest] = rows
  if (!newest) return undefined
  const [item] = await objectItems(source, [newest])
  const { cursor: _, ...summary } = item as Row<ObjectItem>
  const of = isOneOf(
    'object',
    rows.map(({ id }) => id),
  )
  const count = Math.min(1000, Math.max(1, Math.floor(limit)))
  const writes = await newestOf<WriteRow>(source, 'writes', rows, count)
  const conditions = await source.database.all<ConditionRow>(
    `SELECT * FROM conditions WHERE ${of.text} ORDER BY at DESC, record DESC`,
    of.values,
  )
  const [lastEvent, ...otherEvents] = await lastEvents(source, rows)
  const ended = isOneOf('phase', [...FINAL_PHASES])
  const visible = within('scope', scope)
  const runs = await source.database.all<RunRow>(
    `SELECT * FROM runs WHERE ${of.text} AND NOT (${ended.text}) AND ${visible.text} ORDER BY id DESC LIMIT 20`,
    [...of.values, ...ended.values, ...visible.values],
  )
  const last = await source.database.all<RunRow>(
    `SELECT * FROM runs WHERE ${of.text} AND ${visible.text} ORDER BY id DESC LIMIT 1`,
    [...of.values, ...visible.values],
  )
  const [failedRun] = await runItems(
    source,
    last.filter(({ phase }) => FAILED_PHASES.includes(phase)),
  )
  const reference = referenceOf(newest)
  return {
    ...summary,
    events: rows.reduce((sum, row) => sum + row.events, 0),
    writes: rows.reduce((sum, row) => sum + row.writes, 0),
    changes: await provenanceOf(source, writes, scope),
    conditions: conditions.map((row): HealthItem => healthOf(row, reference)),
    ...maybe('lastEvent', lastEvent),
    otherEvents,
    runs: await runItems(source, runs),
    ...maybe('failedRun', failedRun),
  }
}

export function healthOf(row: ConditionRow, object: ObjectReference, trace = ''): HealthItem {
  return {
    at: row.at,
    trace,
    object,
    condition: row.condition,
    status: row.status as HealthItem['status'],
    ...maybe('was', row.was as HealthItem['was'] | null),
    reason: row.reason,
    ...maybe('message', row.message),
  }
}

/** The newest of each entry of a source: what one of them told may have come to nothing while another's led to a run. */
async function lastEvents(source: Source, objects: readonly ObjectRow[]): Promise<ObjectHistory['otherEvents']> {
  const newest = await newestOf<EventRow>(source, 'events', objects, RECENT_EVENTS)
  const ofSources = newest.filter((row, i) => newest.findIndex(other => other.source === row.source) === i)
  const rows = ofSources.slice(0, MOST_SOURCES)
  const items = await eventItems(source, rows)
  const outcomes = await Promise.all(rows.map(({ trace }) => outcomesOf(source, trace)))
  return items.map((item, i) => {
    const { cursor: _, ...event } = item
    return { ...event, outcomes: outcomes[i] ?? [] }
  })
}

/** The newest about objects, by their times: what was imported may be older than what was there. Of each object those in an index; all together
 *  would have to be sorted, however many there are. */
export function newestOf<R extends EventRow | WriteRow>(
  source: Source,
  table: 'events' | 'writes',
  objects: readonly ObjectRow[],
  most: number,
  condition: Sql = TRUE,
): Promise<R[]> {
  if (objects.length === 0) return Promise.resolve([])
  const newest = `ORDER BY at DESC, id DESC LIMIT ${most}`
  const ways = objects.map(
    (_, i) => `SELECT * FROM (SELECT * FROM ${table} WHERE object = ? AND ${condition.text} ${newest}) n${i}`,
  )
  return source.database.all<R>(
    `SELECT * FROM (${ways.join(' UNION ALL ')}) n ${newest}`,
    objects.flatMap(({ id }) => [id, ...condition.values]),
  )
}
