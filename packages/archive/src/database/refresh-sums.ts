import { sumOf } from './checksum.ts'
import type { Database, Table, TableRow } from './database.ts'

const ROWS_AT_ONCE = 1000

/** For a table that got new columns: a row's checksum covers them, too. Its rows are gone through by a column that tells them apart;
 *  `filled` says what is in them. */
export const refreshSums =
  (table: Table, by: string, filled = (row: TableRow) => row) =>
  async (database: Database) => {
    for (let last = 0; ; ) {
      const rows = await database.all<TableRow>(
        `SELECT * FROM ${table.name} WHERE ${by} > ? ORDER BY ${by} LIMIT ${ROWS_AT_ONCE}`,
        [last],
      )
      if (rows.length === 0) return
      await database.insert(
        table,
        rows.map(filled).map(row => ({ ...row, sum: sumOf(table, row) })),
        'replace',
      )
      last = Number(rows.at(-1)?.[by])
    }
  }
