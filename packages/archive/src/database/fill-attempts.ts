import { sumOf } from './checksum.ts'
import type { Database, TableRow } from './database.ts'
import type { RunRow } from './rows.ts'
import { RUNS } from './tables.ts'

const ROWS_AT_ONCE = 1000

/** A row's checksum covers the new column, too. */
export async function fillAttempts(database: Database): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await database.all<RunRow>(`SELECT * FROM runs WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`, [last])
    if (rows.length === 0) return
    for (const row of rows) row.sum = sumOf(RUNS, row)
    await database.insert(RUNS, rows as unknown as TableRow[], 'replace')
    last = rows.at(-1)?.id ?? last
  }
}
