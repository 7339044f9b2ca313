import type { AuditRecord, HealthRecord } from '@tiphys/journal/records'
import type { AuditItem, HealthItem, Page, PageRequest, Selection } from '../archive.ts'
import type { AuditRow, ConditionRow, RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { isOfRareKind } from '../ingest/vocabulary.ts'
import { compile } from '../query/compile.ts'
import { and, isOneOf, type Sql, sql } from '../query/sql.ts'
import { judge } from './judged.ts'
import { countRows, pageOf, readRows } from './list.ts'
import { healthOf } from './objects.ts'
import type { Source } from './source.ts'

const MOST_CONDITIONS = 2000

export async function listHealth(source: Source, selection: Selection = {}): Promise<HealthItem[]> {
  const rows = await conditionRows(source, selection)
  const objects = await source.objects(rows.map(({ object }) => object))
  const traces = await source.traces(rows.map(({ trace }) => trace))
  return rows.flatMap(row => {
    const object = objects(row.object)
    return object ? [healthOf(row, object, traces(row.trace))] : []
  })
}

/** What is not well first. */
async function conditionRows(source: Source, selection: Selection): Promise<ConditionRow[]> {
  const { conditions, words } = compile('health', selection, source.context)
  const where = and(conditions)
  const rows = await source.database.all<ConditionRow>(
    `SELECT c.* FROM conditions c WHERE ${where.text}
      ORDER BY CASE c.status WHEN 'False' THEN 0 WHEN 'Unknown' THEN 1 ELSE 2 END, c.record DESC LIMIT ${MOST_CONDITIONS}`,
    where.values,
  )
  return judge(source, words, rows)
}

/** The changes of conditions, chosen by the conditions as they are now. */
export async function ofHealth(source: Source, selection: Selection): Promise<Sql[]> {
  const isHealth = sql(isOfRareKind('t.kind', 'health'))
  const { conditions, words } = compile('health', selection, source.context)
  if (words) {
    const objects = new Set((await conditionRows(source, selection)).map(({ object }) => object))
    return [isHealth, isOneOf('t.object', [...objects])]
  }
  if (conditions.length === 0) return [isHealth]
  const inner = and(conditions)
  return [isHealth, sql(`t.object IN (SELECT c.object FROM conditions c WHERE ${inner.text})`, ...inner.values)]
}

/** Every change of a condition. Its fields are those of the conditions as they are now. */
export async function listHealthHistory(
  source: Source,
  selection: Selection = {},
  page: PageRequest = {},
): Promise<Page<HealthItem>> {
  const plan = {
    from: 'records t',
    number: 't.id',
    conditions: await ofHealth(source, selection),
    isFiltered: false,
  }
  const shown = await readRows<RecordRow>(source, plan, page, row => row.id)
  const { rows } = shown
  const records = await source.records<HealthRecord>(rows)
  const items = records.map(({ v: _v, kind: _kind, ...item }, i) => ({ ...item, cursor: String(rows[i]?.id) }))
  return pageOf(shown, items, () => countRows(source, plan))
}

export async function listAudit(
  source: Source,
  selection: Selection = {},
  page: PageRequest = {},
): Promise<Page<AuditItem>> {
  const { conditions, words } = compile('audit', selection, source.context)
  const plan = {
    from: 'audits a',
    number: 'a.id',
    conditions,
    words,
    isNumberedByFirst: true,
    isFiltered: conditions.length > 0,
  }
  const shown = await readRows<AuditRow>(source, plan, page, row => row.id)
  return pageOf(shown, await auditItems(source, shown.rows), () => countRows(source, plan, shown))
}

export async function auditItems(
  source: Source,
  rows: readonly AuditRow[],
): Promise<(AuditItem & { cursor: string })[]> {
  const recordRows = await source.byId<RecordRow>(
    tables.RECORDS,
    rows.map(({ id }) => id),
  )
  const texts = await source.records<AuditRecord>(recordRows)
  const records = new Map(recordRows.map(({ id }, i) => [id, texts[i] as AuditRecord]))
  return rows.flatMap(({ id }) => {
    const record = records.get(id)
    if (!record) return []
    const { v: _v, kind: _kind, ...item } = record
    return [{ ...item, cursor: String(id) }]
  })
}
