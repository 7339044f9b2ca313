import { afterAll, beforeAll, describe } from 'vitest'
import { archiveSuite } from './testing/archive-suite.ts'
import { bundleWorker } from './testing/bundled-worker.ts'
import { noPostgres, PostgresServer } from './testing/postgres.ts'

describe('an archive in SQLite', () => archiveSuite(async () => ({})))

describe('an archive in SQLite, in threads of its own', () => {
  let worker: Awaited<ReturnType<typeof bundleWorker>>
  beforeAll(async () => void (worker = await bundleWorker()))
  afterAll(() => worker.remove())
  archiveSuite(async () => ({ workerProgram: worker.program }))
})

const missing = noPostgres()
describe.skipIf(missing)(`an archive in PostgreSQL${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await PostgresServer.start()))
  afterAll(() => server.stop())
  archiveSuite(async () => ({ database: { url: await server.createDatabase() } }))
})
