import { sumOf } from '../database/checksum.ts'
import {
  type Cell,
  cellsOf,
  type Database,
  type Docs,
  type OnConflict,
  type Table,
  type TableRow,
} from '../database/database.ts'
import type { CountRow, FlowRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import type { BatchEnd } from './batch-rows.ts'
import { compress, type LoosePack } from './packer.ts'
import type { Projection } from './projection.ts'

/** What is to be stored, as cells: it can be sent to another thread. */
export interface ReadyRows {
  tables: readonly (readonly [table: Table, cells: readonly Cell[], onConflict: OnConflict, known?: number])[]
  packs: readonly LoosePack[]
  counts: CountRow[]
  flows: FlowRow[]
  docs: Docs
  used: ReadonlyMap<number, number>
}

/** What there is to write, as it stands now: the records that follow change some of the rows again. */
export function readyRows({ rows: batch, records }: Projection): ReadyRows {
  const { register } = batch
  return {
    tables: [
      add(tables.TRACES, register.traces),
      add(tables.PARTS, register.parts),
      add(tables.SCOPES, register.scopes),
      add(tables.PAYLOADS, batch.payloads, 'replace-few'),
      add(tables.RECORDS, records),
      add(tables.WRITES, batch.writes),
      add(tables.LOGS, batch.logs),
      add(tables.AUDITS, batch.audits),
      put(tables.EVENTS, batch.events),
      put(tables.OUTCOMES, batch.outcomes),
      put(tables.RUNS, batch.runs),
      put(tables.STEPS, batch.steps),
      add(tables.CONDITIONS, batch.conditions, 'replace'),
    ],
    packs: batch.packs(),
    counts: [],
    flows: [],
    docs: batch.end.docs.take({ all: false }),
    used: new Map(),
  }
}

/** What is left to write when all records of a batch were applied, and small facts about the whole. */
export function endRows(end: BatchEnd, facts: readonly (readonly [name: string, value: string])[]): ReadyRows {
  const { tally, objects, used } = end
  const meta = facts.map(([name, value]) => ({ name, value, sum: 0 }))
  return {
    tables: [add(tables.OBJECTS, objects, 'replace'), add(tables.META, meta, 'replace')],
    packs: [],
    ...tally.finish(),
    docs: end.docs.take({ all: true }),
    used,
  }
}

const add = <R extends { sum: number }>(table: Table, rows: Iterable<R>, onConflict: OnConflict = 'fail') =>
  [table, cellsOf(table, summed(table, rows)), onConflict] as const

/** Those that were stored before have a sum, and come last. */
function put<R extends { sum: number }>(table: Table, rows: ReadonlySet<R>) {
  const [added, known]: [R[], R[]] = [[], []]
  for (const row of rows) (row.sum === 0 ? added : known).push(row)
  return [...add(table, [...added, ...known], 'replace-few'), known.length] as const
}

/** Stores them, in the order in which one needs the other. */
export async function writeRows(
  database: Database,
  { tables: all, packs, counts, flows, docs, used }: ReadyRows,
): Promise<void> {
  for (const [table, cells, onConflict, known] of all)
    if (cells.length > 0) await database.insertCells(table, cells, onConflict, known)
  // Their sum is that of the content.
  await database.insert(tables.PACKS, packs.map(compress) as unknown as TableRow[], 'fail')
  await putCounts(database, counts)
  await putFlows(database, flows)
  await database.index(docs)
  for (const [pack, record] of used)
    await database.run('UPDATE packs SET used = ? WHERE id = ? AND used < ?', [record, pack, record])
}

export function summed<R extends { sum: number }>(table: Table, rows: Iterable<R>): R[] {
  const result = [...rows]
  for (const row of result) row.sum = sumOf(table, row)
  return result
}

async function putCounts(database: Database, added: CountRow[]): Promise<void> {
  const keyOf = ({ minute, name, scope }: CountRow) => `${minute}\n${name}\n${scope}`
  const keys = added.map(({ minute, name, scope }) => [minute, name, scope])
  const rows = await database.lookup<CountRow>(tables.COUNTS, tables.COUNTS.key, keys)
  const known = new Map(rows.map(row => [keyOf(row), row]))
  const merged = added.map(row => ({ ...row, count: row.count + (known.get(keyOf(row))?.count ?? 0) }))
  await database.insert(tables.COUNTS, summed(tables.COUNTS, merged), 'replace')
}

async function putFlows(database: Database, added: FlowRow[]): Promise<void> {
  const keyOf = (row: FlowRow) => `${row.minute}\n${row.from_part}\n${row.to_part}\n${row.scope}`
  const keys = added.map(row => [row.minute, row.from_part, row.to_part, row.scope])
  const rows = await database.lookup<FlowRow>(tables.FLOWS, tables.FLOWS.key, keys)
  const known = new Map(rows.map(row => [keyOf(row), row]))
  const merged = added.map(row => {
    const { count = 0, errors = 0, last_at = 0 } = known.get(keyOf(row)) ?? {}
    return { ...row, count: row.count + count, errors: row.errors + errors, last_at: Math.max(row.last_at, last_at) }
  })
  await database.insert(tables.FLOWS, summed(tables.FLOWS, merged), 'replace')
}
