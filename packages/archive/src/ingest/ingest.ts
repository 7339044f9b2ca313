import { Failure } from '@tiphys/env'
import { sumOf } from '../database/checksum.ts'
import type { Database, Table, TableRow } from '../database/database.ts'
import type { CountRow, FlowRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { decode, type Incoming } from './incoming.ts'
import { Ledger } from './ledger.ts'
import { Projection } from './projection.ts'

export interface Batch {
  records: readonly Incoming[]
  /** How far the journal has been read with these, and a checksum of the last of them; not for what is imported. */
  position?: { journal: number; sum: number }
}

/** So many records of a batch are looked at together: what is made of them is gone before it is moved to the memory of what stays. */
const AT_ONCE = 1000

/** Stores batches of records: rows, content, words and the journal's position, all in one transaction or not at all. One at a
 *  time, and the only writer of its database. */
export class Ingest {
  readonly #database: Database
  #ledger: Ledger | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The number of the last record that was stored. */
  get last(): number {
    return this.#ledger?.last.record ?? 0
  }

  /** After something else than this has changed the tables. */
  forget(): void {
    this.#ledger = undefined
  }

  async store(batch: Batch): Promise<{ stored: number; last: number }> {
    try {
      return await this.#store(batch, true)
    } catch (error) {
      // A failure has a code and would come again; what the tables refuse is an event that was known already.
      if (error instanceof Failure) throw error
      return this.#store(batch, false)
    }
  }

  async #store({ records, position }: Batch, isHopeful: boolean): Promise<{ stored: number; last: number }> {
    const database = this.#database
    try {
      const ledger = (this.#ledger ??= await Ledger.open(database))
      let stored = 0
      await database.transaction(async () => {
        for (let at = 0; at < records.length; at += AT_ONCE) {
          const decoded = records.slice(at, at + AT_ONCE).map(decode)
          await ledger.load(database, decoded, isHopeful)
          const projection = new Projection(ledger)
          for (const record of decoded) if (projection.apply(record)) stored++
          await write(database, projection)
        }
        const meta: [string, string][] = [['record', String(ledger.last.record)]]
        if (position) meta.push(['position', String(position.journal)], ['position-sum', String(position.sum)])
        await putMeta(database, meta)
      })
      ledger.trim()
      return { stored, last: ledger.last.record }
    } catch (error) {
      // What it knows is not what is stored.
      this.#ledger = undefined
      throw error
    }
  }
}

async function write(database: Database, projection: Projection): Promise<void> {
  const add = (table: Table, rows: readonly object[]) => database.insert(table, rows as readonly TableRow[], 'fail')
  const put = (table: Table, rows: Iterable<object>) => database.insert(table, [...rows] as TableRow[], 'replace')
  await add(tables.TRACES, summed(tables.TRACES, projection.names.traces))
  await add(tables.PARTS, summed(tables.PARTS, projection.names.parts))
  await add(tables.SCOPES, summed(tables.SCOPES, projection.names.scopes))
  await database.insert(tables.PAYLOADS, summed(tables.PAYLOADS, projection.payloads) as never, 'replace')
  await add(tables.RECORDS, summed(tables.RECORDS, projection.records))
  await add(tables.WRITES, summed(tables.WRITES, projection.writes))
  await add(tables.LOGS, summed(tables.LOGS, projection.logs))
  await add(tables.AUDITS, summed(tables.AUDITS, projection.audits))
  await put(tables.OBJECTS, summed(tables.OBJECTS, projection.names.objects))
  await put(tables.EVENTS, summed(tables.EVENTS, projection.events))
  await put(tables.OUTCOMES, summed(tables.OUTCOMES, projection.outcomes))
  await put(tables.RUNS, summed(tables.RUNS, projection.runs))
  await put(tables.STEPS, summed(tables.STEPS, projection.steps))
  await put(tables.CONDITIONS, summed(tables.CONDITIONS, projection.conditions))
  await putCounts(database, [...projection.tally.counts.values()])
  await putFlows(database, [...projection.tally.flows.values()])
  await database.index(projection.docs)
  await add(tables.PACKS, projection.packs())
  for (const [pack, used] of projection.used)
    await database.run('UPDATE packs SET used = ? WHERE id = ? AND used < ?', [used, pack, used])
}

/** Small facts about the whole. */
export async function putMeta(database: Database, facts: readonly (readonly [string, string])[]): Promise<void> {
  const rows = facts.map(([name, value]) => ({ name, value, sum: 0 }))
  await database.insert(tables.META, summed(tables.META, rows), 'replace')
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
