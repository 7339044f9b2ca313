import type { Retention, RetentionResult } from '../archive.ts'
import type { Database } from '../database/database.ts'
import type { CountRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { summed } from '../ingest/ready-rows.ts'
import { MINUTE_MS } from '../ingest/tally.ts'
import { FINAL_PHASES, IS_OPEN, VERDICT_NUMBERS } from '../ingest/vocabulary.ts'
import type { SpaceKeeper } from './space.ts'

/** So many records go in one transaction: what is to be stored meanwhile waits no longer than that. */
const RECORDS_AT_ONCE = 10_000
/** Of machines that keep their time. */
const CLOCKS_DIFFER_MS = 3_600_000
/** How much of the rest goes when the whole is too large. */
const SHARE_AT_ONCE = 0.1

/** Drops the oldest records until the limits hold. Everything in the archive is numbered in the order in which it came, so that what
 *  is to go is everything up to a number; what is still going on, waits for a person or is a present condition stays. */
export async function retain(
  database: Database,
  space: SpaceKeeper,
  { maxAgeMs, maxEvents, maxBytes }: Retention,
  now: number,
): Promise<RetentionResult> {
  const bytesBefore = await space.usedBytes()
  const result = { events: 0, records: 0, bytesBefore, bytesAfter: bytesBefore }
  const drop = async (upTo: number) => {
    for (;;) {
      const next = await boundOf(database, upTo)
      if (next === undefined) break
      const dropped = await dropUpTo(database, next)
      result.events += dropped.events
      result.records += dropped.records
      if (next >= upTo) break
    }
  }
  if (maxAgeMs !== undefined) await drop(await lastBefore(database, now - maxAgeMs, now))
  if (maxEvents !== undefined) await drop(await beyondCount(database, maxEvents))
  if (maxBytes !== undefined) {
    while ((await space.usedBytes()) > maxBytes) {
      const share = await oldestShare(database)
      if (share === undefined) break
      await drop(share)
    }
  }
  if (result.records > 0) await space.giveBack()
  return { ...result, bytesAfter: await space.usedBytes() }
}

/** The number up to which the next piece goes; undefined when nothing is left to drop. */
async function boundOf(database: Database, upTo: number): Promise<number | undefined> {
  const [row] = await database.all<{ bound: number | null }>(
    'SELECT max(id) AS bound FROM (SELECT id FROM records WHERE id <= ? ORDER BY id LIMIT ?) r',
    [upTo, RECORDS_AT_ONCE],
  )
  return row?.bound ?? undefined
}

/** The last before the first that is not older. Records are numbered as they came: those behind it are younger, or were imported since, and stay as
 *  long as it does. A clock that was wrong has made no record younger than now. */
async function lastBefore(database: Database, time: number, now: number): Promise<number> {
  const [first] = await database.all<{ id: number }>(
    'SELECT id FROM records WHERE at >= ? AND at <= ? ORDER BY id LIMIT 1',
    [time, now + CLOCKS_DIFFER_MS],
  )
  if (first) return first.id - 1
  const [ends] = await database.all<{ most: number | null }>('SELECT max(id) AS most FROM records')
  return ends?.most ?? 0
}

async function beyondCount(database: Database, maxEvents: number): Promise<number> {
  const [row] = await database.all<{ id: number }>('SELECT id FROM events ORDER BY id DESC LIMIT 1 OFFSET ?', [
    Math.max(0, Math.floor(maxEvents)),
  ])
  return row?.id ?? 0
}

async function oldestShare(database: Database): Promise<number | undefined> {
  const [ends] = await database.all<{ least: number | null; most: number | null }>(
    'SELECT min(id) AS least, max(id) AS most FROM records',
  )
  if (typeof ends?.least !== 'number' || typeof ends.most !== 'number') return undefined
  return ends.least + Math.floor((ends.most - ends.least) * SHARE_AT_ONCE)
}

/** Nothing that stays is about it. */
const IS_NOT_NEEDED = `id NOT IN (SELECT object FROM conditions)
  AND id NOT IN (SELECT object FROM outcomes WHERE state = ${VERDICT_NUMBERS.parked} AND object IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.object = objects.id)`

async function dropUpTo(database: Database, bound: number): Promise<{ events: number; records: number }> {
  return database.transaction(async () => {
    const count = async (table: string) =>
      (await database.all<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE id <= ?`, [bound]))[0]
        ?.count ?? 0
    const events = await count('events')
    const records = await count('records')
    const [newest] = await database.all<{ at: number | null }>(
      'SELECT at FROM records WHERE id <= ? ORDER BY id DESC LIMIT 1',
      [bound],
    )
    // Traces are numbered as they came, too: what was told up to here is of these.
    const [told] = await database.all<{ trace: number | null }>(
      'SELECT max(trace) AS trace FROM records WHERE id <= ?',
      [bound],
    )
    const trace = told?.trace ?? 0
    await subtractCounts(database, { bound, trace, records })
    const phases = FINAL_PHASES.map(phase => `'${phase}'`).join(', ')
    const isOver = `changed <= ? AND phase IN (${phases})`
    const areOver = `trace <= ? AND changed <= ? AND state <> ${VERDICT_NUMBERS.parked}`
    const statements: [string, number[]][] = [
      [`DELETE FROM outcomes WHERE ${areOver}`, [trace, bound]],
      ['DELETE FROM events WHERE id <= ?', [bound]],
      [`DELETE FROM steps WHERE run IN (SELECT id FROM runs WHERE ${isOver})`, [bound]],
      [`DELETE FROM logs WHERE run IN (SELECT id FROM runs WHERE ${isOver})`, [bound]],
      [`DELETE FROM runs WHERE ${isOver}`, [bound]],
      ['DELETE FROM logs WHERE record <= ?', [bound]],
      ['DELETE FROM writes WHERE id <= ?', [bound]],
      ['DELETE FROM audits WHERE id <= ?', [bound]],
      ['DELETE FROM records WHERE id <= ?', [bound]],
      ['DELETE FROM conditions WHERE record <= ? AND object IN (SELECT id FROM objects WHERE is_deleted = 1)', [bound]],
      [`DELETE FROM objects WHERE changed <= ? AND ${IS_NOT_NEEDED}`, [bound]],
      ['DELETE FROM payloads WHERE pack IN (SELECT id FROM packs WHERE used <= ?)', [bound]],
      ['DELETE FROM packs WHERE used <= ?', [bound]],
      ['DELETE FROM flows WHERE minute < ?', [Math.floor((newest?.at ?? 0) / MINUTE_MS)]],
      ['DELETE FROM counts WHERE minute > 0 AND minute < ?', [Math.floor((newest?.at ?? 0) / MINUTE_MS)]],
    ]
    for (const [sql, values] of statements) await database.run(sql, values)
    await database.forgetWords(bound)
    await dropTraces(database)
    return { events, records }
  })
}

/** Traces are numbered as they came, too: those before the first that something belongs to are not needed. */
async function dropTraces(database: Database): Promise<void> {
  // The trace of a record of a run is the run's.
  const firsts = ['events', 'outcomes', 'runs', 'records', 'writes'].map(
    table =>
      `SELECT min(trace) AS first FROM ${table} WHERE trace IS NOT NULL${table === 'records' ? ' AND run IS NULL' : ''}`,
  )
  const [row] = await database.all<{ first: number | null }>(
    `SELECT min(first) AS first FROM (${firsts.join(' UNION ALL ')}) f WHERE first IS NOT NULL`,
  )
  if (typeof row?.first === 'number')
    await database.run(
      'DELETE FROM traces WHERE id < ? AND id NOT IN (SELECT replay_of FROM events WHERE replay_of IS NOT NULL)',
      [row.first],
    )
}

async function subtractCounts(
  database: Database,
  { bound, trace, records }: { bound: number; trace: number; records: number },
): Promise<void> {
  const phases = FINAL_PHASES.map(phase => `'${phase}'`).join(', ')
  const gone = await database.all<{ name: string; scope: number; count: number }>(
    `SELECT 'events' AS name, scope, count(*) AS count FROM events WHERE id <= ? GROUP BY scope
      UNION ALL SELECT 'verdict:' || verdict, scope, count(*) FROM events WHERE id <= ? GROUP BY verdict, scope
      UNION ALL SELECT 'runs', scope, count(*) FROM runs WHERE changed <= ? AND phase IN (${phases}) GROUP BY scope
      UNION ALL SELECT 'phase:' || phase, scope, count(*) FROM runs WHERE changed <= ? AND phase IN (${phases}) GROUP BY phase, scope
      UNION ALL SELECT 'open:' || state || ':' || trigger_part, scope, count(*) FROM outcomes
        WHERE trace <= ? AND changed <= ? AND ${IS_OPEN} AND state <> ${VERDICT_NUMBERS.parked}
        GROUP BY state, trigger_part, scope`,
    [bound, bound, bound, bound, trace, bound],
  )
  gone.push({ name: 'records', scope: 0, count: records })
  const rows = await database.lookup<CountRow>(
    tables.COUNTS,
    ['minute', 'name', 'scope'],
    gone.map(({ name, scope }) => [0, name, scope]),
  )
  const known = new Map(rows.map(row => [`${row.name}\n${row.scope}`, row]))
  for (const { name, scope, count } of gone) {
    const row = known.get(`${name}\n${scope}`)
    if (row) row.count -= count
  }
  await database.insert(tables.COUNTS, summed(tables.COUNTS, rows) as never, 'replace')
}
