import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Archive } from './archive.ts'
import { migrate, schemaVersion } from './database/migrate.ts'
import { MIGRATIONS, SCHEMA_VERSION, statementsOf } from './database/migrations.ts'
import { openPostgres } from './database/postgres.ts'
import { openSqlite } from './database/sqlite.ts'
import { ALL_TABLES } from './database/tables.ts'
import { openArchive } from './open.ts'
import { type BundledProgram, bundleProgram } from './testing/bundled-worker.ts'
import { NEXT_MIGRATION } from './testing/crash-story.ts'
import { noPostgres, PostgresServer } from './testing/postgres.ts'
import { recordStream } from './testing/record-stream.ts'
import { openScene } from './testing/scene.ts'

const EVENTS = 30
let program: BundledProgram
let folder: string
beforeAll(async () => {
  program = await bundleProgram(new URL('testing/crash-program.ts', import.meta.url))
  folder = mkdtempSync(join(tmpdir(), 'tiphys-upgrade-'))
})
afterAll(() => {
  program.remove()
  rmSync(folder, { recursive: true, force: true })
})

function upgradeKilledAt(place: string, statement: number): 'killed' | 'migrated' {
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    [program.program, 'migrate', place, String(statement)],
    { encoding: 'utf8' },
  )
  if (signal === 'SIGKILL') return 'killed'
  expect([stdout, stderr]).toEqual(['migrated\n', ''])
  return 'migrated'
}

const statementsIn = (dialect: 'sqlite' | 'postgres') => statementsOf(NEXT_MIGRATION, dialect).length + 1

describe('an upgrade that is killed', () => {
  it('before any of its statements leaves the old archive, which works, and can be done again', async () => {
    const old = join(folder, 'old.db')
    const scene = await openScene({ database: { file: old } })
    await scene.add(recordStream({ seed: 1, events: EVENTS }))
    await scene.close()
    for (let statement = 1; statement <= statementsIn('sqlite'); statement++) {
      const file = join(folder, `killed-${statement}.db`)
      copyFileSync(old, file)
      expect(upgradeKilledAt(file, statement)).toBe('killed')
      const archive = await openArchive({ env: systemEnv, database: { file } })
      expect((await archive.events({}, { limit: 1000 })).items).toHaveLength(EVENTS)
      expect((await archive.verify()).damaged).toEqual([])
      await archive.close()
      if (statement < statementsIn('sqlite')) continue
      expect(upgradeKilledAt(file, 0)).toBe('migrated')
      await expect(openArchive({ env: systemEnv, database: { file } })).rejects.toMatchObject({ code: 'archive-newer' })
    }
  })

  it('while the archive is made leaves none, and can be done again', async () => {
    const total = 3 + statementsOf(MIGRATIONS[0] as (typeof MIGRATIONS)[number], 'sqlite').length + 1
    const every = process.env.TIPHYS_FULL ? 1 : 12
    for (let statement = 1; statement <= total; statement += every) {
      const file = join(folder, `made-${statement}.db`)
      expect(upgradeKilledAt(file, statement)).toBe('killed')
      const database = openSqlite({ file, isReadOnly: false })
      expect(await schemaVersion(database)).toBe(0)
      database.becomeWriter()
      await migrate(database)
      expect(await schemaVersion(database)).toBe(SCHEMA_VERSION)
      await database.close()
    }
  })

  const missing = noPostgres()
  it.skipIf(missing)(
    `leaves PostgreSQL as it was${missing ? ` (skipped: ${missing})` : ''}`,
    { timeout: 120_000 },
    async () => {
      const server = await PostgresServer.start()
      try {
        const url = await server.createDatabase()
        const scene = await openScene({ database: { url } })
        await scene.add(recordStream({ seed: 1, events: EVENTS }))
        await scene.close()
        for (let statement = 1; statement <= statementsIn('postgres'); statement++) {
          expect(upgradeKilledAt(url, statement)).toBe('killed')
          const archive = await openArchive({ env: systemEnv, database: { url } })
          expect((await archive.events({}, { limit: 1000 })).items).toHaveLength(EVENTS)
          await archive.close()
        }
      } finally {
        await server.stop()
      }
    },
  )
})

/** Takes back what the seventh schema has brought: nobody knows for which time a run was made. */
const AS_THE_SIXTH = 'ALTER TABLE runs DROP COLUMN scheduled_at; UPDATE runs SET sum = 0'
/** And what the fifth and the sixth have: logs have no pods, and nobody knows the newest of an object. */
const AS_THE_FOURTH = `${AS_THE_SIXTH}; ALTER TABLE logs DROP COLUMN pod; ALTER TABLE logs DROP COLUMN upto; UPDATE logs SET sum = 0;
  DROP INDEX events_newest; DROP INDEX writes_newest`

describe('an archive of the first schema', () => {
  it('is brought up to date when it is opened, and then knows what is counted now', async () => {
    const file = join(folder, 'first.db')
    const scene = await openScene({ database: { file } })
    await scene.add(recordStream({ seed: 3, events: 200 }))
    const answers = async (archive: Archive) => ({
      flow: (await archive.flow({ windowMs: 1e12 })).nodes.map(({ id, backlog, parked }) => [id, backlog, parked]),
      sources: await archive.complete('source', '', { scope: { grants: [{ kind: '*', namespaces: ['shop'] }] } }),
      groups: await archive.runGroups('fingerprint'),
    })
    const before = await answers(scene.archive)
    expect(before.flow.some(([, , parked]) => Number(parked) > 0)).toBe(true)
    expect(before.sources).not.toEqual([])
    await scene.close()
    const database = openSqlite({ file, isReadOnly: false })
    database.becomeWriter()
    await database.run(`DELETE FROM counts WHERE name LIKE 'open:%' OR name LIKE 'part:%';
      DROP INDEX runs_failed; DROP INDEX outcomes_parked; DROP INDEX runs_name;
      CREATE INDEX runs_name ON runs (namespace, name, id);
      CREATE INDEX outcomes_open ON outcomes (state, changed, trigger_part, scope) WHERE state >= 5;
      ALTER TABLE runs DROP COLUMN attempt; ${AS_THE_FOURTH};
      UPDATE meta SET value = '1' WHERE name = 'schema'`)
    await database.close()
    await expect(openArchive({ env: systemEnv, database: { file } })).rejects.toMatchObject({
      message: expect.stringContaining('start Tiphys on it once'),
    })
    const journal = await openFileJournal({ directory: join(folder, 'first-records'), env: systemEnv })
    const archive = await openArchive({ env: systemEnv, database: { file }, journal })
    expect(await answers(archive)).toEqual(before)
    expect((await archive.verify()).damaged).toEqual([])
    await archive.close()
    await journal.close()
  })
})

describe('an archive of the third schema', () => {
  it('stores the words of a batch as one piece from then on, and finds the old ones and the new', async () => {
    const file = join(folder, 'third.db')
    const scene = await openScene({ database: { file } })
    const jane = { namespace: 'default', name: 'web', part: 'hook' }
    await scene.record({ kind: 'event', trace: 'e1', source: jane, type: 'webhook', body: { user: 'jane' } })
    await scene.close()
    const database = openSqlite({ file, isReadOnly: false })
    database.becomeWriter()
    await database.run(`DELETE FROM docs_config WHERE k = 'hashsize'; ${AS_THE_FOURTH};
      UPDATE meta SET value = '3' WHERE name = 'schema'`)
    await database.close()
    const after = await openScene({ database: { file } })
    await after.record({ kind: 'event', trace: 'e2', source: jane, type: 'webhook', body: { user: 'jane' } })
    const found = await after.archive.events({ query: 'jane' })
    expect(found.items.map(({ id }) => id)).toEqual(['e2', 'e1'])
    expect((await after.archive.verify()).damaged).toEqual([])
    await after.close()
    const looked = openSqlite({ file, isReadOnly: true })
    expect(await looked.all("SELECT v FROM docs_config WHERE k = 'hashsize'")).toEqual([{ v: 8 * 2 ** 20 }])
    await looked.close()
  })
})

describe('an archive of the sixth schema', () => {
  it('learns which runs a schedule has started, and which events had ended where they were counted as waiting', async () => {
    const file = join(folder, 'sixth.db')
    const scene = await openScene({ database: { file } })
    const trigger = { namespace: 'default', name: 'web', part: 'greet' }
    const undecided = { kind: 'decision', trigger, dependency: 'asked', verdict: 'failed', by: 'exprs' } as const
    const run = (name: string) =>
      ({
        kind: 'run',
        trace: name,
        run: { namespace: 'default', name, uid: name },
        phase: 'Succeeded',
        template: 'CronWorkflow/nightly',
      }) as const
    await scene.record(
      { ...undecided, trace: 'e1', events: ['e1'] },
      { ...undecided, trace: 'e2', events: ['e2'] },
      { kind: 'delivery', trace: 'e3', trigger, action: 'a', events: ['e3'], attempt: 1, outcome: 'failed' },
      run('nightly-1795022400'),
      run('nightly-x7k2p'),
    )
    await scene.close()
    const database = openSqlite({ file, isReadOnly: false })
    database.becomeWriter()
    // So it was counted: every failure waits.
    await database.run(`${AS_THE_SIXTH}; UPDATE counts SET count = 3 WHERE name LIKE 'open:7:%';
      UPDATE meta SET value = '6' WHERE name = 'schema'`)
    await database.close()
    const after = await openScene({ database: { file } })
    const { nodes } = await after.archive.flow({ windowMs: Date.now() })
    expect(nodes.find(({ column }) => column === 'trigger')?.backlog).toBe(1)
    const { items } = await after.archive.runs({})
    expect(Object.fromEntries(items.map(each => [each.run.name, each.scheduledAt]))).toEqual({
      'nightly-1795022400': 1_795_022_400_000,
      'nightly-x7k2p': undefined,
    })
    expect((await after.archive.verify()).damaged).toEqual([])
    await after.close()
  })
})

describe('the schema', () => {
  it('of SQLite is what the tables say', async () => {
    const database = openSqlite({ file: join(folder, 'schema.db'), isReadOnly: false })
    database.becomeWriter()
    await migrate(database)
    for (const table of ALL_TABLES) {
      const columns = await database.all<{ name: string }>(`PRAGMA table_info(${table.name})`)
      expect([table.name, columns.map(({ name }) => name)]).toEqual([table.name, Object.keys(table.columns)])
    }
    await database.close()
  })

  const missing = noPostgres()
  it.skipIf(missing)(
    `of PostgreSQL is the same, and has one writer${missing ? ` (skipped: ${missing})` : ''}`,
    async () => {
      const server = await PostgresServer.start()
      try {
        const url = await server.createDatabase()
        const scene = await openScene({ database: { url } })
        const database = await openPostgres({ url, isReadOnly: true })
        for (const table of ALL_TABLES) {
          const columns = await database.all<{ name: string }>(
            'SELECT column_name AS name FROM information_schema.columns WHERE table_name = ? ORDER BY ordinal_position',
            [table.name],
          )
          expect([table.name, columns.map(({ name }) => name)]).toEqual([table.name, Object.keys(table.columns)])
        }
        await expect(database.run('DELETE FROM events')).rejects.toThrow()
        await database.close()
        await expect(openScene({ database: { url } })).rejects.toMatchObject({
          code: 'archive-locked',
          message: expect.stringContaining(`tiphys-archive ${process.pid}`),
        })
        await scene.close()
        const other = await server.createDatabase()
        await server.query('archive2', 'CREATE TABLE customers (id int)')
        await expect(openScene({ database: { url: other } })).rejects.toMatchObject({ code: 'archive-foreign' })
        await expect(openScene({ database: { url: server.url('nowhere') } })).rejects.toMatchObject({
          code: 'archive-inaccessible',
        })
      } finally {
        await server.stop()
      }
    },
  )
})
