import type { DeliveryRecord } from '@tiphys/journal/records'
import type { Page, PageRequest, ParkedGroup, ParkedItem, Row, Scope, Selection, Total } from '../archive.ts'
import type { OutcomeRow, RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { KIND_NUMBERS, VERDICT_NUMBERS } from '../ingest/vocabulary.ts'
import { compile } from '../query/compile.ts'
import { and, areOnly, isOneOf, type Sql, sql } from '../query/sql.ts'
import { eventsByTrace, outcomeItems } from './events.ts'
import { chosenByWords } from './judged.ts'
import { keptCount, pageOf, readRows } from './list.ts'
import { maybe, type Source, within } from './source.ts'

const MOST_GROUPS = 500
/** So many of the newest are put into groups, counted, or looked at for a page. */
const MOST_GROUPED = 500
/** With words, for which the records of each are looked at. */
const MOST_GROUPED_BY_WORDS = 200
const IS_PARKED = `o.state = ${VERDICT_NUMBERS.parked}`
/** The newest of all, which an index has in their order. */
const NEWEST = `SELECT o.* FROM outcomes o WHERE ${IS_PARKED} ORDER BY o.changed DESC LIMIT`
/** Without what an index does not have. */
const INDEXED = ['changed', 'fingerprint', 'trigger_part', 'action', 'at', 'scope']
const NEWEST_BRIEFLY = `SELECT ${INDEXED.map(column => `o.${column}`).join(', ')} FROM outcomes o WHERE ${IS_PARKED}
  ORDER BY o.changed DESC LIMIT`
const newestFor = (conditions: readonly Sql[]) => (areOnly(conditions, 'o', INDEXED) ? NEWEST_BRIEFLY : NEWEST)

export async function listParked(source: Source, selection: Selection = {}): Promise<ParkedGroup[]> {
  const { conditions, words } = compile('parked', selection, source.context)
  const all = and(conditions)
  const most = words ? MOST_GROUPED_BY_WORDS : MOST_GROUPED
  const chosen = await chosenByWords(source, words, () =>
    source.database.all<OutcomeRow>(`SELECT o.* FROM (${NEWEST} ${most}) o WHERE ${all.text}`, all.values),
  )
  const where = and([...conditions, ...chosen])
  const rows = await source.database.all<{
    fingerprint: string
    trigger_part: number
    count: number
    outcomes: number
    first: number
    last: number
    newest: number
  }>(
    `SELECT o.fingerprint AS fingerprint, max(o.trigger_part) AS trigger_part, count(DISTINCT o.action) AS count, count(*) AS outcomes,
        min(o.at) AS first, max(o.at) AS last, max(o.changed) AS newest
      FROM (${newestFor([where])} ${most}) o WHERE ${where.text}
      GROUP BY o.fingerprint ORDER BY newest DESC LIMIT ${MOST_GROUPS}`,
    where.values,
  )
  const parts = await source.parts(rows.map(row => row.trigger_part))
  const isCut = await hasMore(source, most)
  const sampled = and([
    sql(IS_PARKED),
    isOneOf(
      'o.changed',
      rows.map(row => row.newest),
    ),
  ])
  const samples = await source.database.all<OutcomeRow>(
    `SELECT o.* FROM outcomes o WHERE ${sampled.text}`,
    sampled.values,
  )
  const newest = new Map(samples.map(row => [row.changed, row]))
  return rows.map(row => {
    const sample = newest.get(row.newest)
    return {
      fingerprint: row.fingerprint,
      count: row.count,
      ...(isCut ? { isAtLeast: true } : {}),
      firstAt: row.first,
      lastAt: row.last,
      trigger: parts(row.trigger_part) ?? { namespace: '', name: '', part: '' },
      ...maybe('reason', sample?.reason),
      ...maybe('message', sample?.message),
    }
  })
}

export async function listParkedItems(
  source: Source,
  { fingerprint, ...selection }: Selection & { fingerprint?: string } = {},
  page: PageRequest = {},
): Promise<Page<ParkedItem>> {
  const { conditions, words, isFiltered } = compile('parked', selection, source.context)
  const chosen: Sql[] = fingerprint === undefined ? [] : [sql('o.fingerprint = ?', fingerprint)]
  const plan = {
    from: 'outcomes o',
    number: 'o.changed',
    conditions: [sql(IS_PARKED), ...chosen, ...conditions],
    words,
    isFiltered: false,
  }
  const found = await readRows<OutcomeRow>(source, plan, page, row => row.changed)
  // A trigger that waits for several events gives up once for all of them; the record that tells it, by which rows are ordered, is one.
  const shown = {
    ...found,
    rows: [...new Map(found.rows.toReversed().map(row => [row.changed, row])).values()].reverse(),
  }
  return pageOf(shown, await parkedItems(source, shown.rows), async () => {
    if (shown.found) return shown.found
    if (!isFiltered && fingerprint === undefined) return countAllParked(source, selection.scope)
    return countParked(source, [...chosen, ...conditions], shown.rows.length)
  })
}

/** Where there are many, each is counted for all of its events. */
export async function countAllParked(source: Source, scope: Scope | undefined): Promise<Total> {
  const counted = await countParked(source, [within('o.scope', scope)], 0)
  return counted.exact ? counted : { count: await keptCount(source, ['parked'], within('scope', scope)), exact: true }
}

/** How many of the newest there are, and no fewer than are shown. */
async function countParked(source: Source, conditions: readonly Sql[], shown: number): Promise<Total> {
  const where = and(conditions)
  const found = await source.one<{ count: number }>(
    `SELECT count(DISTINCT o.action) AS count FROM (${newestFor(conditions)} ${MOST_GROUPED}) o WHERE ${where.text}`,
    where.values,
  )
  return { count: Math.max(shown, found?.count ?? 0), exact: !(await hasMore(source, MOST_GROUPED)) }
}

/** Whether there are more than are put into groups. */
async function hasMore(source: Source, most: number): Promise<boolean> {
  return (
    (await source.one(
      `SELECT o.changed FROM outcomes o WHERE ${IS_PARKED} ORDER BY o.changed DESC LIMIT 1 OFFSET ${most}`,
      [],
    )) !== undefined
  )
}

async function parkedItems(source: Source, rows: readonly OutcomeRow[]): Promise<Row<ParkedItem>[]> {
  const outcomes = await outcomeItems(source, rows)
  const objects = await source.objects(rows.map(({ object }) => object))
  const events = await eventsByTrace(
    source,
    rows.map(({ trace }) => trace),
  )
  const traces = await source.traces(rows.map(({ trace }) => trace))
  // Which events were joined, its last record tells.
  const recordRows = (
    await source.byId<RecordRow>(
      tables.RECORDS,
      rows.map(({ changed }) => changed),
    )
  ).filter(({ kind }) => kind === KIND_NUMBERS.delivery)
  const texts = await source.records<DeliveryRecord>(recordRows)
  const records = new Map(recordRows.map(({ id }, i) => [id, texts[i]]))
  return rows.map((row, i) => ({
    cursor: String(row.changed),
    ...(outcomes[i] as (typeof outcomes)[number]),
    action: row.action ?? '',
    fingerprint: row.fingerprint ?? '',
    events: records.get(row.changed)?.events ?? [traces(row.trace)],
    ...maybe('object', objects(row.object)),
    ...maybe('key', events.get(row.trace)?.key),
  }))
}
