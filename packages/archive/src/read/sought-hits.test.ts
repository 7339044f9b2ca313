import { systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres, type PostgresConnection } from '../database/postgres.ts'
import { ArchiveWriter } from '../service/writer.ts'
import { noPostgres, PostgresServer } from '../testing/postgres.ts'
import type { HitRequest } from './hits.ts'
import { SoughtHits } from './sought-hits.ts'
import { Source } from './source.ts'

/** More than are looked through before the index is asked, and more than are fetched by it. */
const MANY = 4200

const missing = noPostgres()
describe.skipIf(missing)(`hits in PostgreSQL${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: PostgresServer
  let database: PostgresConnection
  let statements: string[]
  let source: Source

  beforeAll(async () => {
    server = await PostgresServer.start()
    const url = await server.createDatabase()
    const writer = await ArchiveWriter.open({ url }, systemEnv)
    const messages = [
      ...Array.from({ length: MANY }, (_, i) => (i % 100 === 0 ? 'storm of size 7 quince' : `storm, size ${i}`)),
      ...Array.from({ length: MANY }, (_, i) => (i % 100 === 0 ? 'calm, blue size 7' : 'calm, blue, 7 of size 3')),
    ]
    const records = messages.map((message, i) => ({
      text: Buffer.from(
        JSON.stringify({
          v: 1,
          kind: 'health',
          at: 1,
          trace: '',
          object: { apiVersion: 'v1', kind: 'Pod', name: `p${i}` },
          condition: 'Ready',
          status: 'False',
          reason: 'Waiting',
          message,
        }),
      ),
    }))
    await writer.store({ records, position: { journal: records.length, sum: 0 } })
    await writer.close()
    database = await openPostgres({ url, isReadOnly: true })
    const heard = new Proxy(database, {
      get(target, name) {
        if (name !== 'all') return Reflect.get(target, name)
        return (text: string, values: never) => {
          statements.push(text)
          return target.all(text, values)
        }
      },
    })
    source = new Source(heard, () => 0)
  })
  afterAll(async () => {
    await database.close()
    await server.stop()
  })

  /** All hits, and whether the index was asked for them. */
  async function all(match: string, request: HitRequest): Promise<{ ids: number[]; isIndexed: boolean }> {
    const ids: number[] = []
    statements = []
    let reader = new SoughtHits(source, match, request)
    while (!reader.isWhole) {
      ids.push(...(await reader.next(500)).map(({ id }) => id))
      if (reader.isTired) reader = new SoughtHits(source, match, { ...request, beyond: reader.end })
    }
    return { ids, isIndexed: statements.some(text => text.includes('MATERIALIZED')) }
  }

  it.each([
    { match: "('quince')", what: 'a rare word', isIndexed: true },
    { match: "('nowheretobefound')", what: 'no word', isIndexed: true },
    { match: "('storm')", what: 'a word that was frequent long ago', isIndexed: false },
    { match: "('calm')", what: 'a frequent word', isIndexed: false },
    { match: "('size' <-> '7')", what: 'a phrase of frequent words', isIndexed: false },
  ])('finds all records with $what, newest or oldest first', async ({ match, isIndexed }) => {
    const expected = await database.all<{ id: number }>('SELECT id FROM docs WHERE words @@ ?::tsquery ORDER BY id', [
      match,
    ])
    const inOrder = expected.map(({ id }) => id)
    const newestFirst = await all(match, {})
    expect(newestFirst).toEqual({ ids: inOrder.toReversed(), isIndexed })
    const { ids } = await all(match, { isDescending: false })
    expect(ids).toEqual(inOrder)
  })
})
