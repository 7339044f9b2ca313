import type { Database } from '../database/database.ts'

/** How much room an archive takes, and how it is given back. */
export interface SpaceKeeper {
  /** Of what is there; not of what was dropped and is kept for later. */
  usedBytes(): Promise<number>
  giveBack(): Promise<void>
}

/** Pages that are vacuumed in one go. */
const PAGES_AT_ONCE = 2000
/** What a record's rows, words and indexes take in PostgreSQL, beside its content, as measured; its files only say what they once took. */
const BYTES_A_RECORD = 750

export function spaceOf(database: Database): SpaceKeeper {
  return database.dialect === 'sqlite' ? sqliteSpace(database) : postgresSpace(database)
}

function sqliteSpace(database: Database): SpaceKeeper {
  const pragma = async (name: string) => Number(Object.values((await database.all(`PRAGMA ${name}`))[0] ?? {})[0] ?? 0)
  return {
    async usedBytes() {
      return ((await pragma('page_count')) - (await pragma('freelist_count'))) * (await pragma('page_size'))
    },
    async giveBack() {
      await database.run("INSERT INTO docs (docs, rank) VALUES ('merge', 500)")
      for (let free = await pragma('freelist_count'); free > 0; ) {
        await database.run(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`)
        const left = await pragma('freelist_count')
        if (left >= free) break
        free = left
      }
      await database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}

function postgresSpace(database: Database): SpaceKeeper {
  return {
    async usedBytes() {
      const [row] = await database.all<{ bytes: number; records: number }>(
        'SELECT (SELECT COALESCE(sum(octet_length(data)), 0) FROM packs)::bigint AS bytes, (SELECT count(*) FROM records) AS records',
      )
      return (row?.bytes ?? 0) + (row?.records ?? 0) * BYTES_A_RECORD
    },
    async giveBack() {
      await database.run('VACUUM (ANALYZE)')
    },
  }
}
