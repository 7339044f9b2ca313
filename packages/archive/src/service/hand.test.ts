import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Archive } from '../archive.ts'
import { openArchive } from '../open.ts'
import { type BundledProgram, bundleWorker } from '../testing/bundled-worker.ts'
import { streamedJournal } from '../testing/streamed-journal.ts'

const STREAM = { seed: 11, events: 900 }
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
  const { journal, logs, ended } = streamedJournal(STREAM)
  const options = workerProgram === undefined ? {} : { workerProgram }
  const archive = await openArchive({ env: systemEnv, database: { file }, journal, logs, ...options })
  await ended
  await archive.caughtUp()
  const found = await tell(archive)
  await archive.close()
  return found
}

async function tell(archive: Archive) {
  const lines: string[] = []
  for await (const line of archive.export({})) lines.push(line)
  const { rows: _, ...report } = await archive.verify()
  return {
    lines,
    report,
    counters: await archive.counters({ minutes: 1440 }),
    flow: (await archive.flow({ windowMs: 1e12 })).edges.map(({ rate: _rate, ...edge }) => edge),
    events: await archive.events({}, { limit: 1000 }),
    runs: await archive.runs({}, { limit: 1000 }),
    objects: await archive.objects({}, { limit: 1000 }),
    parked: await archive.parked(),
    found: await archive.search('ECONNREFUSED', {}, { limit: 1000 }),
  }
}

it('stores with a second thread what one thread would have stored', { timeout: 60_000 }, async () => {
  const one = await answers(join(folder, 'one.db'))
  const two = await answers(join(folder, 'two.db'), worker.program)
  expect(one.report).toEqual({ damaged: [], dangling: [] })
  expect(one.lines.length).toBeGreaterThan(5000)
  expect(two).toEqual(one)
})
