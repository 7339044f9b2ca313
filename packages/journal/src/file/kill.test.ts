import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom, systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Entry } from '../journal.ts'
import { Appender, buildAppender, Ledger } from '../testing/appender.ts'
import { findProblem } from '../testing/known-records.ts'
import { openFileJournal } from './file-journal.ts'

const KILLS = process.env.TIPHYS_FULL ? 50 : 10

let root: string
let program: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'journal-'))
  program = await buildAppender(root)
})

afterAll(() => rm(root, { recursive: true }))

async function inspect(directory: string, { acknowledged, horizon }: Ledger): Promise<string | undefined> {
  const entries: Entry[] = []
  const journal = await openFileJournal({ directory, env: systemEnv, onEntry: entry => entries.push(entry) })
  await journal.close()
  return findProblem({ head: journal.head, horizon: journal.horizon, entries }, acknowledged, horizon)
}

describe('a writer that is killed while it appends', () => {
  it(`has lost nothing that it acknowledged, ${KILLS} times`, { timeout: 120_000 }, async () => {
    const directory = join(root, 'honest')
    const random = seededRandom(4)
    const ledger = new Ledger()
    for (let i = 0; i < KILLS; i++) {
      const before = ledger.acknowledged
      const appender = new Appender(ledger, { program, directory })
      await appender.readUntil('acknowledged', 1 + Math.floor(random.next() * 200))
      await appender.kill()
      expect(appender.process.signalCode).toBe('SIGKILL')
      expect(ledger.acknowledged).toBeGreaterThan(before)
      expect(await inspect(directory, ledger)).toBeUndefined()
    }
    expect(ledger.horizon).toBeGreaterThan(1)
  })

  it('is caught by this test when it acknowledges what it has not written', async () => {
    const directory = join(root, 'hasty')
    const ledger = new Ledger()
    const appender = new Appender(ledger, { program, directory, mode: 'hasty' })
    await appender.readUntil('acknowledged', 20)
    await appender.kill()
    expect(await inspect(directory, ledger)).toBe('record 1 is lost, 20 was acknowledged')
  })
})
