import SqliteDatabase from 'libsql'
import pg from 'pg'
import type { StreamedRecord } from './record-stream.ts'

const ROWS_AT_ONCE = 12_000

/** What there is to do without an archive: the same bytes into one table, as many in a transaction as the archive stores. Resolves with the
 *  milliseconds it took. */
export async function bareInserts(
  database: { file: string } | { url: string },
  records: readonly StreamedRecord[],
): Promise<number> {
  const rows = records.map(({ record, content }) => [Buffer.from(JSON.stringify(record)), content ?? null] as const)
  return 'file' in database ? intoSqlite(database.file, rows) : intoPostgres(database.url, rows)
}

type Rows = readonly (readonly [Buffer, Buffer | null])[]

function intoSqlite(file: string, rows: Rows): number {
  const database = new SqliteDatabase(file)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE records (id INTEGER PRIMARY KEY, data BLOB, content BLOB)',
  )
  const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?)')
  const begin = performance.now()
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    database.exec('BEGIN')
    for (const [i, [data, content]] of rows.slice(at, at + ROWS_AT_ONCE).entries()) insert.run(at + i, data, content)
    database.exec('COMMIT')
  }
  const elapsed = performance.now() - begin
  database.close()
  return elapsed
}

async function intoPostgres(url: string, rows: Rows): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('CREATE TABLE bare (id BIGINT PRIMARY KEY, data BYTEA, content BYTEA)')
  const begin = performance.now()
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const batch = rows.slice(at, at + ROWS_AT_ONCE)
    await client.query('INSERT INTO bare SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])', [
      batch.map((_, i) => at + i),
      batch.map(([data]) => data),
      batch.map(([, content]) => content),
    ])
  }
  const elapsed = performance.now() - begin
  await client.query('DROP TABLE bare')
  await client.end()
  return elapsed
}
