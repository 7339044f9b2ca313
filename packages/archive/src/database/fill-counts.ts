import { openCount, partCount } from '../ingest/tally.ts'
import { IS_OPEN, VERDICT_NUMBERS } from '../ingest/vocabulary.ts'
import { sumOf } from './checksum.ts'
import type { Database } from './database.ts'
import type { CountRow } from './rows.ts'
import { COUNTS } from './tables.ts'

/** Counts what an archive of the first schema has of that which is counted from the second on: deliveries that are open, and with
 *  which scopes each part was seen. */
export async function fillCounts(database: Database): Promise<void> {
  const open = await database.all<{ trigger_part: number; state: number; scope: number; count: number }>(
    `SELECT trigger_part, state, scope, count(*) AS count FROM outcomes WHERE ${IS_OPEN}
      GROUP BY trigger_part, state, scope`,
  )
  const seen = await database.all<{ part: number; scope: number; count: number }>(
    `SELECT part, scope, sum(count) AS count FROM (SELECT from_part AS part, scope, count FROM flows
      UNION ALL SELECT to_part, scope, count FROM flows) f GROUP BY part, scope`,
  )
  const rows = [
    ...open.map(({ trigger_part, state, scope, count }) => rowOf(openCount(trigger_part, state), scope, count)),
    ...seen.map(({ part, scope, count }) => rowOf(partCount(part), scope, Number(count))),
  ]
  await database.insert(COUNTS, rows as never, 'replace')
}

/** Takes events that could not be decided about out of what waits, where they were counted before the seventh schema. */
export async function recountFailed(database: Database): Promise<void> {
  const { failed } = VERDICT_NUMBERS
  const ended = await database.all<{ trigger_part: number; scope: number; count: number }>(
    `SELECT trigger_part, scope, count(*) AS count FROM outcomes WHERE state = ${failed} AND attempt IS NULL
      GROUP BY trigger_part, scope`,
  )
  const known = await database.lookup<CountRow>(
    COUNTS,
    ['minute', 'name', 'scope'],
    ended.map(({ trigger_part, scope }) => [0, openCount(trigger_part, failed), scope]),
  )
  const rows = known.map(({ name, scope, count }) => {
    const gone = ended.find(each => openCount(each.trigger_part, failed) === name && each.scope === scope)
    return rowOf(name, scope, count - (gone?.count ?? 0))
  })
  await database.insert(COUNTS, rows as never, 'replace')
}

function rowOf(name: string, scope: number, count: number): CountRow {
  const row = { minute: 0, name, scope, count, sum: 0 }
  row.sum = sumOf(COUNTS, row)
  return row
}
