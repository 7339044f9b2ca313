import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Archive } from '../archive.ts'
import { openArchive } from '../open.ts'
import { type BundledProgram, bundleProgram, bundleWorker } from '../testing/bundled-worker.ts'
import { FOLLOWED } from '../testing/crash-story.ts'
import { streamedJournal } from '../testing/streamed-journal.ts'

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
