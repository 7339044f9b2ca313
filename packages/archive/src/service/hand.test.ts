import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Archive } from '../archive.ts'
import { openSqlite } from '../database/sqlite.ts'
import type { Batch } from '../ingest/ingest.ts'
import { openArchive } from '../open.ts'
import { type BundledProgram, bundleProgram, bundleWorker } from '../testing/bundled-worker.ts'
import { FOLLOWED } from '../testing/crash-story.ts'
import { recordStream } from '../testing/record-stream.ts'
import { streamedJournal } from '../testing/streamed-journal.ts'
import { ArchiveWriter } from './writer.ts'

/** After so many milliseconds, wherever it is then. */
const KILLED_AFTER = process.env.TIPHYS_FULL ? Array.from({ length: 60 }, (_, i) => i * 10) : [60, 200]
let worker: BundledProgram
let folder: string
beforeAll(async () => {
  worker = await bundleWorker()
  folder = mkdtempSync(join(tmpdir(), 'tiphys-hand-'))
})
afterAll(() => {
  worker.remove()
  rmSync(folder, { recursive: true, force: true })
})

async function answers(file: string, workerProgram?: string) {
  const { journal, logs, ended } = streamedJournal(FOLLOWED)
  const options = workerProgram === undefined ? {} : { workerProgram }
  const archive = await openArchive({ env: systemEnv, database: { file }, journal, logs, ...options })
  await ended
  await archive.caughtUp()
  const found = await tell(archive)
  await archive.close()
  return found
}

let one: ReturnType<typeof answers> | undefined
/** What is compared with, made once. */
const byOneThread = () => (one ??= answers(join(folder, 'one.db')))

async function linesOf(archive: Archive): Promise<string[]> {
  const lines: string[] = []
  for await (const line of archive.export({})) lines.push(line)
  return lines
}

async function tell(archive: Archive) {
  const lines = await linesOf(archive)
  const { rows: _, ...report } = await archive.verify()
  // The minutes are the last ones, which differ whenever it is asked.
  const { minutes: _minutes, ...counters } = await archive.counters()
  return {
    lines,
    report,
    counters,
    flow: (await archive.flow({ windowMs: 1e12 })).edges.map(({ rate: _rate, ...edge }) => edge),
    events: await archive.events({}, { limit: 1000 }),
    runs: await archive.runs({}, { limit: 1000 }),
    objects: await archive.objects({}, { limit: 1000 }),
    parked: await archive.parked(),
    found: await archive.search('ECONNREFUSED', {}, { limit: 1000 }),
  }
}

it('stores with a second thread what one thread would have stored', { timeout: 60_000 }, async () => {
  const one = await byOneThread()
  const two = await answers(join(folder, 'two.db'), worker.program)
  expect(one.report).toEqual({ damaged: [], dangling: [] })
  expect(one.lines.length).toBeGreaterThan(5000)
  expect(two).toEqual(one)
})

it('goes on where it was when the process is killed while both store', { timeout: 600_000 }, async () => {
  const crashing = await bundleProgram(new URL('../testing/crash-program.ts', import.meta.url))
  const killed = join(folder, 'killed.db')
  for (const ms of KILLED_AFTER) {
    const args = [crashing.program, 'follow', killed, worker.program, String(ms)]
    expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL')
  }
  crashing.remove()
  expect(await answers(killed)).toEqual(await byOneThread())
})

/** Of so many records that they are worth a hand. */
function batches(...seeds: readonly number[]): Batch[] {
  let position = 0
  return seeds.map(seed => {
    const after = position
    const records = [...recordStream({ seed, events: 430, everyMs: seed })].map(({ record, content }) => ({
      text: Buffer.from(JSON.stringify({ ...record, trace: `${seed}-${record.trace}` })),
      ...(content && { content }),
    }))
    position += records.length
    return { records, position: { journal: position, sum: seed }, ...(after > 0 && { after }) }
  })
}

it('stores a batch that was given ahead after the one before, also when that had to be stored twice', async () => {
  const told = async (name: string, store: (writer: ArchiveWriter, all: readonly Batch[]) => Promise<void>) => {
    const file = join(folder, name)
    const writer = await ArchiveWriter.open({ file }, systemEnv, worker.program)
    const [known, first, second] = batches(1, 2, 3) as [Batch, Batch, Batch]
    // Something else writes to the tables in between, so that it is not remembered that these events are known.
    await writer.store(known)
    await writer.rest()
    await store(writer, [{ ...first, records: [...first.records, ...known.records.slice(0, 50)] }, second])
    expect(await writer.position()).toEqual({ journal: second.position?.journal, sum: 3 })
    await writer.close()
    const archive = await openArchive({ env: systemEnv, database: { file } })
    const { damaged, dangling } = await archive.verify()
    const found = { damaged, dangling, lines: await linesOf(archive), events: await archive.events() }
    await archive.close()
    return found
  }
  const ahead = await told('ahead.db', async (writer, all) => {
    const results = await Promise.allSettled(all.map(batch => writer.store(batch)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })
  const oneByOne = await told('one-by-one.db', async (writer, all) => {
    for (const batch of all) await writer.store(batch)
  })
  expect(ahead).toMatchObject({ damaged: [], dangling: [] })
  expect(ahead).toEqual(oneByOne)
})

it('stores no batch that was given ahead when the one before is not stored', async () => {
  const file = join(folder, 'refused.db')
  const writer = await ArchiveWriter.open({ file }, systemEnv, worker.program)
  const [first, second, third] = batches(1, 2, 3) as [Batch, Batch, Batch]
  await writer.store(first)
  const other = openSqlite({ file, isReadOnly: false })
  await other.run('PRAGMA query_only = 0')
  await other.run('ALTER TABLE audits RENAME TO elsewhere; ALTER TABLE outcomes RENAME TO lost')
  const results = await Promise.allSettled([writer.store(second), writer.store(third)])
  await other.run('ALTER TABLE lost RENAME TO outcomes; ALTER TABLE elsewhere RENAME TO audits')
  await other.close()
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  // Nor later, as long as the one before is missing.
  await expect(writer.store(third)).rejects.toMatchObject({ code: 'archive-away' })
  expect(await writer.position()).toEqual({ journal: first.position?.journal, sum: 1 })
  const { after: _, ...again } = second
  await Promise.all([writer.store(again), writer.store(third)])
  expect(await writer.position()).toEqual({ journal: third.position?.journal, sum: 3 })
  await writer.close()
})
