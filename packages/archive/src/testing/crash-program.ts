import { writeSync } from 'node:fs'
import { systemClock, systemEnv, systemRandom } from '@tiphys/env'
import { type MigrateOptions, migrate } from '../database/migrate.ts'
import { MIGRATIONS } from '../database/migrations.ts'
import { openPostgres } from '../database/postgres.ts'
import { openSqlite } from '../database/sqlite.ts'
import { Ingest, WORTH_A_HAND } from '../ingest/ingest.ts'
import { openArchive } from '../open.ts'
import { ArchiveWriter } from '../service/writer.ts'
import { crashBatches, FOLLOWED, NEXT_MIGRATION } from './crash-story.ts'
import { streamedJournal } from './streamed-journal.ts'

/** What is started to be ended: `store FILE careful|careless COUNT`; `follow FILE WORKER MS`, which ends itself so long after it began to store; or
 *  `migrate PLACE STATEMENT`, which ends itself before that one. */
const [, , task, place = '', how = '', count = '0'] = process.argv

if (task === 'store') await store(place, how === 'careless', Number(count))
else if (task === 'follow') await follow(place, how, Number(count))
else await upgrade(place, Number(how))

async function store(file: string, isCareless: boolean, batches: number): Promise<void> {
  // The schema is there before the first record is promised.
  await (await ArchiveWriter.open({ file }, { clock: systemClock, random: systemRandom })).close()
  const database = openSqlite({ file, isReadOnly: false })
  database.becomeWriter()
  // A defect that the test has to find.
  if (isCareless) await database.run('PRAGMA synchronous = OFF')
  const ingest = new Ingest(database)
  for (const [i, records] of crashBatches(batches).entries()) {
    await ingest.store({ records, position: { journal: i + 1, sum: 0 } })
    writeSync(1, `stored ${i + 1}\n`)
  }
}

async function follow(file: string, workerProgram: string, ms: number): Promise<void> {
  const { journal, logs } = streamedJournal(FOLLOWED, position => {
    if (position > WORTH_A_HAND) setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms)
  })
  await openArchive({ env: systemEnv, database: { file }, journal, logs, workerProgram })
}

async function upgrade(target: string, statement: number): Promise<void> {
  const isServer = target.startsWith('postgres:')
  const database = isServer
    ? await openPostgres({ url: target, isReadOnly: false })
    : openSqlite({ file: target, isReadOnly: false })
  await database.becomeWriter()
  const options: MigrateOptions = {
    migrations: [...MIGRATIONS, NEXT_MIGRATION],
    onStatement(number) {
      if (number === statement) process.kill(process.pid, 'SIGKILL')
    },
  }
  await migrate(database, options)
  writeSync(1, 'migrated\n')
  await database.close()
}
