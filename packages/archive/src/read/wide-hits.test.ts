import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { encodeRecord } from '@tiphys/journal/records'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSqlite, type SqliteConnection } from '../database/sqlite.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { sql } from '../query/sql.ts'
import { ArchiveWriter } from '../service/writer.ts'
import { recordStream } from '../testing/record-stream.ts'
import { type HitReader, type HitRequest, hitsAmong } from './hits.ts'
import { OrderedHits } from './ordered-hits.ts'
import { Source } from './source.ts'
import { WideHits } from './wide-hits.ts'

const folder = mkdtempSync(join(tmpdir(), 'tiphys-wide-'))
let database: SqliteConnection
let source: Source

beforeAll(async () => {
  const file = join(folder, 'archive.db')
  const writer = await ArchiveWriter.open({ file }, systemEnv)
  // A few old ones, and many that say other things.
  const rare = Array.from({ length: 120 }, (_, i) => ({
    text: JSON.stringify({
      v: 1,
      kind: 'health',
      at: 1,
      trace: '',
      object: { apiVersion: 'v1', kind: 'Pod', name: `p${i}` },
      condition: 'Ready',
      status: 'False',
      reason: 'Waiting',
      message: `Zoë\nquince${i}`,
    }),
  }))
  const stream = [...recordStream({ seed: 3, events: 1100 })]
  const frequent = stream.map(({ record, content }) => ({
    text: encodeRecord(record),
    ...(content ? { content } : {}),
  }))
  const records = [...rare, ...frequent].map(record => ({ ...record, text: Buffer.from(record.text) }))
  await writer.store({ records, position: { journal: records.length, sum: 0 } })
  await writer.close()
  database = openSqlite({ file, isReadOnly: true })
  source = new Source(database, () => 0)
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** All hits, and how often the reader was asked anew because it had looked at enough. */
async function all(
  open: (request: HitRequest) => HitReader,
  request: HitRequest,
): Promise<[ids: number[], pauses: number]> {
  const ids: number[] = []
  let [reader, pauses] = [open(request), 0]
  while (!reader.isWhole) {
    ids.push(...(await reader.next(150)).map(({ id }) => id))
    if (!reader.isTired) continue
    pauses++
    reader = open({ ...request, beyond: reader.end })
  }
  return [ids, pauses]
}

it.each([
  ['"a"*', true],
  ['"memcached" AND "c"*', true],
  ['"shop cache"*', true],
  ['("econnrefused" OR "timeout") AND "e"*', true],
  ['"e"* AND "f"*', true],
  ['"zoe quince"*', true],
  ['"nowheretobefound"*', false],
])('%s finds in the records what the index finds', async (match, isFrequent) => {
  const requests = [
    { isDescending: true, conditions: [sql(`t.kind <> ${KIND_NUMBERS.event}`)] },
    { isDescending: false, conditions: [] },
  ]
  for (const request of requests) {
    const [expected] = await all(asked => new OrderedHits(source, match, asked), request)
    const [found, pauses] = await all(asked => new WideHits(source, match, asked), request)
    expect(found).toEqual(expected)
    if (!isFrequent) expect(pauses).toBe(0)
  }
})

it('what is rare is asked of the index once that is known', async () => {
  const [found, pauses] = await all(asked => new WideHits(source, '"quince"*', asked), {})
  expect([found.length, pauses]).toEqual([120, 0])
})

it.each(['"econnrefused"', '"memcached"'])('of some records finds those with %s that the index finds', async match => {
  const [hits] = await all(asked => new OrderedHits(source, match, asked), {})
  const ids = [...hits.filter((_, i) => i % 7 === 3), hits[0] as number]
  expect(await hitsAmong(source, match, [...ids, 1, 2, 3], [])).toEqual(new Set(ids))
  // Together, and far from each other.
  const some = [hits[1], hits.at(-1), hits.at(-2)] as number[]
  expect(await hitsAmong(source, match, some, [])).toEqual(new Set(some))
})
