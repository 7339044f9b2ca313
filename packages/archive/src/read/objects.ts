import type { ObjectReference } from '@tiphys/journal/records'
import type {
  EventItem,
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
import { kindOf } from '../ingest/ledger.ts'
import { FINAL_PHASES } from '../ingest/vocabulary.ts'
import { compile } from '../query/compile.ts'
import { and, isOneOf, sql } from '../query/sql.ts'
import { eventItems, outcomesOf } from './events.ts'
import { countRows, pageOf, readRows } from './list.ts'
import { runItems } from './runs.ts'
import { maybe, referenceOf, type Source, within } from './source.ts'
import { provenanceOf } from './writes.ts'

const USUAL_CHANGES = 50

export async function listKinds(source: Source, selection: Selection = {}): Promise<KindItem[]> {
  const { conditions } = compile('objects', selection, source.context)
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
  const { conditions } = compile('objects', selection, source.context)
  const plan = {
    from: 'objects b',
    number: 'b.changed',
    at: 'b.last_at',
    conditions,
    isFiltered: conditions.length > 0,
  }
  const shown = await readRows<ObjectRow>(source, plan, page, row => row.changed)
  return pageOf(shown, await objectItems(source, shown.rows), () => countRows(source, plan))
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
    `SELECT * FROM objects WHERE ${where.text} ORDER BY id DESC LIMIT 100`,
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
  const writes = await source.database.all<WriteRow>(
    `SELECT * FROM writes WHERE ${of.text} ORDER BY id DESC LIMIT ${count}`,
    of.values,
  )
  const conditions = await source.database.all<ConditionRow>(
    `SELECT * FROM conditions WHERE ${of.text} ORDER BY record DESC`,
    of.values,
  )
  const lastEvent = await newestEvent(source, rows)
  const ended = isOneOf('phase', [...FINAL_PHASES])
  const runs = await source.database.all<RunRow>(
    `SELECT * FROM runs WHERE ${of.text} AND NOT (${ended.text}) AND ${within('scope', scope).text} ORDER BY id DESC LIMIT 20`,
    [...of.values, ...ended.values, ...within('scope', scope).values],
  )
  const reference = referenceOf(newest)
  return {
    ...summary,
    events: rows.reduce((sum, row) => sum + row.events, 0),
    writes: rows.reduce((sum, row) => sum + row.writes, 0),
    changes: await provenanceOf(source, writes, scope),
    conditions: conditions.map((row): HealthItem => healthOf(row, reference)),
    ...maybe('lastEvent', lastEvent),
    runs: await runItems(source, runs),
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

async function newestEvent(source: Source, rows: readonly ObjectRow[]): Promise<ObjectHistory['lastEvent']> {
  const of = isOneOf(
    'object',
    rows.map(({ id }) => id),
  )
  const [row] = await source.database.all<EventRow>(
    `SELECT * FROM events WHERE ${of.text} ORDER BY id DESC LIMIT 1`,
    of.values,
  )
  if (!row) return undefined
  const [item] = await eventItems(source, [row])
  const { cursor: _, ...event } = item as Row<EventItem>
  return { ...event, outcomes: await outcomesOf(source, row.trace) }
}
