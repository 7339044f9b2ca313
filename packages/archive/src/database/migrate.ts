import { foreignDatabase, newerSchema } from '../failures.ts'
import type { Database } from './database.ts'
import { MIGRATIONS, type Migration, statementsOf } from './migrations.ts'

/** What `meta` says of an archive that is one. */
const FORMAT = 'tiphys-archive'

export interface MigrateOptions {
  migrations?: readonly Migration[]
  /** Called before each statement; a test ends the process here. */
  onStatement?: (number: number, sql: string) => void
}

/** Brings the schema up to date, one step a transaction: whenever the process dies, the database has an old schema or a new
 *  one, whole. Refuses what is not an archive and what a newer version has made, without changing it. */
export async function migrate(
  database: Database,
  { migrations = MIGRATIONS, onStatement }: MigrateOptions = {},
): Promise<void> {
  let version = await schemaVersion(database, migrations.length)
  let number = 0
  const run = async (sql: string) => {
    onStatement?.(++number, sql)
    await database.run(sql)
  }
  for (const migration of migrations.slice(version)) {
    await database.transaction(async () => {
      if (version === 0) {
        await run(
          `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, sum ${database.dialect === 'sqlite' ? 'INTEGER' : 'BIGINT'} NOT NULL)`,
        )
        await run(`INSERT INTO meta (name, value, sum) VALUES ('format', '${FORMAT}', 0)`)
        await run(`INSERT INTO meta (name, value, sum) VALUES ('schema', '0', 0)`)
      }
      for (const sql of statementsOf(migration, database.dialect)) await run(sql)
      await migration.fill?.(database)
      await run(`UPDATE meta SET value = '${migration.version}' WHERE name = 'schema'`)
    })
    version = migration.version
  }
}

/** 0 for an empty database. */
export async function schemaVersion(database: Database, known = MIGRATIONS.length): Promise<number> {
  const tables = await database.all<{ name: string }>(TABLES[database.dialect])
  if (tables.length === 0) return 0
  if (!tables.some(({ name }) => name === 'meta')) throw foreignDatabase(database.place, whose(tables))
  const meta = await database
    .all<{ name: string; value: string }>("SELECT name, value FROM meta WHERE name IN ('format', 'schema')")
    .catch(() => [])
  const said = new Map(meta.map(({ name, value }) => [name, value]))
  if (said.get('format') !== FORMAT) throw foreignDatabase(database.place, whose(tables))
  const version = Number(said.get('schema'))
  if (version > known) throw newerSchema(database.place, version, known)
  return version
}

function whose(tables: readonly { name: string }[]): string {
  const names = tables.map(({ name }) => name).sort()
  return `it has tables of something else (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`
}

const TABLES = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
  postgres: 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
}
