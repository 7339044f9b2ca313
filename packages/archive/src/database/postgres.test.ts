import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { noPostgres, PostgresServer } from '../testing/postgres.ts'
import { failureOf, openPostgres } from './postgres.ts'

describe('what is said of PostgreSQL', () => {
  it.each([
    ['EAI_AGAIN', 'archive-away'],
    ['ECONNRESET', 'archive-away'],
    ['57P01', 'archive-away'],
    ['53100', 'archive-away'],
    ['28P01', 'archive-inaccessible'],
    ['42501', 'archive-inaccessible'],
    // Of what was to be stored: of these the archive makes a gap, where one record has them.
    ['22021', undefined],
    ['ERR_STRING_TOO_LONG', undefined],
  ])('with the code %s is about the way to it, its rights, or what was sent', (code, expected) => {
    const said = Object.assign(new Error('no'), { code })
    expect(failureOf('postgres://host/archive', said)).toMatchObject({ code: expected ?? code })
  })
})

const missing = noPostgres()
describe.skipIf(missing)(`a connection to PostgreSQL${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await PostgresServer.start()))
  afterAll(() => server.stop())

  it('that the server does not give is refused with its address and what to look at, without a warning', async () => {
    const warnings: unknown[] = []
    const note = (warning: unknown) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const url = `${await server.createDatabase()}&sslmode=require`
    await expect(openPostgres({ url, isReadOnly: true })).rejects.toMatchObject({
      code: 'archive-inaccessible',
      why: expect.stringContaining('SSL'),
      todo: expect.stringContaining('check address and rights'),
    })
    await setImmediate()
    expect(warnings).toEqual([])
  })
})
