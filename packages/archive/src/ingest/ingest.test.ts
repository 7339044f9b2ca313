import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeRecord, type NewRecord } from '@tiphys/journal/records'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { openSqlite } from '../database/sqlite.ts'
import { databaseAway } from '../failures.ts'
import { recordStream } from '../testing/record-stream.ts'
import { type Batch, Ingest } from './ingest.ts'

let folder: string
let database: Database
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-ingest-'))
  const connection = openSqlite({ file: join(folder, 'archive.db'), isReadOnly: false })
  connection.becomeWriter()
  await migrate(connection)
  database = connection
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Stores what it is given, and does not come to say so. */
function deafAfter(commits: number): Database {
  let left = commits
  const transaction: Database['transaction'] = async work => {
    const result = await database.transaction(work)
    if (--left === 0) throw databaseAway(database.place, new Error('Connection terminated unexpectedly'))
    return result
  }
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'transaction') return transaction
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

it('stores a batch once when the answer of the database was lost', async () => {
  const records = [...recordStream({ seed: 4, events: 20 })].map(({ record }) => ({
    text: Buffer.from(encodeRecord(record)),
  }))
  const half = Math.floor(records.length / 2)
  const batches: Batch[] = [
    { records: records.slice(0, half), position: { journal: half, sum: 1 } },
    { records: records.slice(half), position: { journal: records.length, sum: 2 } },
  ]
  const ingest = new Ingest(deafAfter(1))
  await expect(ingest.store(batches[0] as Batch)).rejects.toMatchObject({ code: 'archive-away' })
  expect(await ingest.store(batches[0] as Batch)).toEqual({ stored: 0, last: half })
  expect(await ingest.store(batches[1] as Batch)).toEqual({ stored: records.length - half, last: records.length })
  expect(await database.all('SELECT count(*) AS count FROM records')).toEqual([{ count: records.length }])
})

it('stores the words of a batch as one piece, though some of its records change rows that others have added', async () => {
  const records = [...recordStream({ seed: 4, events: 1500, runShare: 0.1 })].map(({ record }) => ({
    text: Buffer.from(encodeRecord(record)),
  }))
  await new Ingest(database).store({ records, position: { journal: records.length, sum: 1 } })
  expect(await database.all('SELECT count(DISTINCT segid) AS pieces FROM docs_idx')).toEqual([{ pieces: 1 }])
})

const store = (ingest: Ingest, ...records: NewRecord[]) =>
  ingest.store({ records: records.map(record => ({ text: Buffer.from(encodeRecord({ v: 1, at: 5, ...record })) })) })
const runOf = (uid: string) => ({ namespace: 'default', name: uid, uid })
const run = (uid: string, trace: string, phase: string): NewRecord => ({ kind: 'run', trace, run: runOf(uid), phase })
const source = { namespace: 'default', name: 's', part: 'p' }
const event = (trace: string): NewRecord => ({ kind: 'event', trace, source, type: 'webhook' })

it('counts a run once that was told of long before its event, and remembered anew', async () => {
  const ingest = new Ingest(database)
  await store(ingest, run('u', 'e', 'Running'))
  // More than are remembered, each of a run that a person has started.
  await store(ingest, ...Array.from({ length: 9000 }, (_, i) => run(`u${i}`, `u${i}`, 'Running')))
  await store(ingest, run('u', 'e', 'Failed'))
  await store(ingest, event('e'))
  expect(await database.all('SELECT runs, failed_runs FROM events')).toEqual([{ runs: 1, failed_runs: 1 }])
})

it('knows the steps of a run that its event reminded it of', async () => {
  const step = (phase: string): NewRecord => {
    const named = { step: 's', name: 's', displayName: 's', type: 'Pod', attempt: 1 } as const
    return { kind: 'step', trace: 'e', run: runOf('u'), ...named, phase }
  }
  await store(new Ingest(database), run('u', 'e', 'Running'), step('Running'))
  const ingest = new Ingest(database)
  await store(ingest, event('e'))
  await store(ingest, step('Succeeded'))
  expect(await database.all('SELECT steps FROM runs')).toEqual([{ steps: '{"Succeeded":1}' }])
  expect(await database.all('SELECT first, last FROM steps')).toEqual([{ first: 2, last: 4 }])
})
