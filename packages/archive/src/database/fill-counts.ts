import { openCount, partCount } from '../ingest/tally.ts'
import { VERDICT_NUMBERS } from '../ingest/vocabulary.ts'
import { sumOf } from './checksum.ts'
import type { Database } from './database.ts'
import type { CountRow } from './rows.ts'
import { COUNTS } from './tables.ts'

/** Counts what an archive of the first schema has of that which is counted from the second on: deliveries that are open, and with
 *  which scopes each part was seen. */
export async function fillCounts(database: Database): Promise<void> {
  const open = await database.all<{ trigger_part: number; state: number; scope: number; count: number }>(
    `SELECT trigger_part, state, scope, count(*) AS count FROM outcomes WHERE state >= ${VERDICT_NUMBERS.waiting}
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

function rowOf(name: string, scope: number, count: number): CountRow {
  const row = { minute: 0, name, scope, count, sum: 0 }
  row.sum = sumOf(COUNTS, row)
  return row
}
