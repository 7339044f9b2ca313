import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, seededRandom, systemEnv } from '@tiphys/env'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Entry } from '../journal.ts'
import { Appender, buildAppender, Ledger } from '../testing/appender.ts'
import { FaultyFileSystem } from '../testing/faulty-file-system.ts'
import { findProblem, knownRecord } from '../testing/known-records.ts'
import { crashModes, SimulatedDisk } from '../testing/simulated-disk.ts'
import { openFileJournal } from './file-journal.ts'
import { type FileSystem, nodeFileSystem } from './file-system.ts'

const directory = '/disk'

interface Outcome {
  acknowledged: number
  horizon: number
  acknowledgedAfterFailure: number
  failures: unknown[]
}

/** Opens, appends over several segments, compacts, appends, closes; goes on after every error. */
async function work(fileSystem: FileSystem): Promise<Outcome> {
  const outcome: Outcome = { acknowledged: 0, horizon: 1, acknowledgedAfterFailure: 0, failures: [] }
  const attempt = async (task: () => Promise<unknown>) => {
    await task().catch(error => outcome.failures.push(error))
  }
  let isRefusing = false
  await attempt(async () => {
    const journal = await openFileJournal({ directory, env: systemEnv, fileSystem, segmentBytes: 2048 })
    for (let round = 0; round < 8; round++) {
      const appends = Array.from({ length: 4 }, () => async () => {
        const position = await journal.append(knownRecord(journal.next)).catch(error => {
          isRefusing = true
          throw error
        })
        outcome.acknowledged = Math.max(outcome.acknowledged, position)
        if (isRefusing) outcome.acknowledgedAfterFailure++
      })
      await Promise.all(appends.map(attempt))
      if (round === 5) {
        outcome.horizon = 15
        await attempt(() => journal.compact({ before: 15 }))
      }
    }
    await attempt(() => journal.close())
  })
  return outcome
}

/** Looks at the disk as it is, and as a power loss would leave it. */
async function findProblems(disk: SimulatedDisk, { acknowledged, horizon }: Outcome): Promise<string[]> {
  const random = seededRandom(5)
  const problems: string[] = []
  for (const image of [disk.copy(), ...crashModes.map(mode => disk.crash(mode, random))]) {
    try {
      const entries: Entry[] = []
      const onEntry = (entry: Entry) => entries.push(entry)
      const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: image, onEntry })
      const problem = findProblem({ head: journal.head, horizon: journal.horizon, entries }, acknowledged, horizon)
      if (problem) problems.push(problem)
    } catch (error) {
      problems.push(String(error))
    }
  }
  return problems
}

/** Opens the journal again on the same disk, without a power loss in between, and takes everything it then serves for
 *  promised: also a record that a failed sync had left in memory only. */
async function findProblemsAfterRestart(disk: SimulatedDisk, { acknowledged, horizon }: Outcome): Promise<string[]> {
  for (const path of disk.paths) if (path.includes('/lock-')) disk.lose(path)
  const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: disk, segmentBytes: 2048 })
  const outcome = {
    acknowledged: Math.max(acknowledged, journal.head),
    horizon,
    acknowledgedAfterFailure: 0,
    failures: [],
  }
  return findProblems(disk, outcome)
}

/** Planted bug: a sync that fails is tried again. */
function retryingSyncs(inner: FileSystem): FileSystem {
  return {
    makeDirectory: path => inner.makeDirectory(path),
    list: path => inner.list(path),
    rename: (from, to) => inner.rename(from, to),
    remove: path => inner.remove(path),
    syncDirectory: path => inner.syncDirectory(path),
    open: async (path, mode) => {
      const file = await inner.open(path, mode)
      return {
        size: () => file.size(),
        read: (buffer, position) => file.read(buffer, position),
        write: (buffer, position) => file.write(buffer, position),
        close: () => file.close(),
        sync: () => file.sync().catch(() => file.sync()),
      }
    },
  }
}

describe.each(['EIO', 'ENOSPC'] as const)('when the disk answers %s', code => {
  it('at any call, acknowledges nothing that is not stable and nothing after a failed append', {
    timeout: 60_000,
  }, async () => {
    const rehearsal = new FaultyFileSystem(new SimulatedDisk())
    expect(await work(rehearsal)).toMatchObject({ acknowledged: 32, failures: [] })
    let failedAppends = 0
    for (let at = 1; at <= rehearsal.calls.length; at++) {
      const disk = new SimulatedDisk()
      const fileSystem = new FaultyFileSystem(disk, { at, code })
      const outcome = await work(fileSystem)
      const label = `call ${at}, ${fileSystem.failed}`
      expect(fileSystem.failed, label).toBeDefined()
      expect(outcome.acknowledgedAfterFailure, label).toBe(0)
      for (const failure of outcome.failures) {
        if (failure instanceof Failure && failure.code === 'journal-write-failed') failedAppends++
        expect(`${(failure as Failure).code} ${String(failure)}`, label).toContain(code)
      }
      expect(await findProblems(disk, outcome), label).toEqual([])
      expect(await findProblemsAfterRestart(disk, outcome), label).toEqual([])
    }
    expect(failedAppends).toBeGreaterThan(20)
  })
})

it('the test of failed syncs notices a sync that is tried again and then believed', async () => {
  const rehearsal = new FaultyFileSystem(new SimulatedDisk())
  await work(rehearsal)
  const problems: string[] = []
  for (let at = 1; at <= rehearsal.calls.length; at++) {
    if (!rehearsal.calls[at - 1]?.startsWith('sync')) continue
    const disk = new SimulatedDisk()
    problems.push(
      ...(await findProblems(disk, await work(retryingSyncs(new FaultyFileSystem(disk, { at, code: 'EIO' }))))),
    )
  }
  expect(problems.join('\n')).toContain('the checksum of the record is wrong')
})

describe('on a real machine', () => {
  let root: string
  let program: string

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'journal-'))
    await chmod(root, 0o755)
    program = await buildAppender(root)
  })

  afterAll(() => rm(root, { recursive: true }))

  const isRoot = process.getuid?.() === 0
  const run = async (place: string, under: string[]): Promise<Ledger> => {
    const ledger = new Ledger()
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' }
    const appender = new Appender(ledger, { program, directory: place, under, segmentBytes: 65_536, spawn: { env } })
    await appender.readUntil('nothing more')
    await appender.exited
    return ledger
  }
  const requireIntact = async (place: string, ledger: Ledger) => {
    const entries: Entry[] = []
    const journal = await openFileJournal({ directory: place, env: systemEnv, onEntry: entry => entries.push(entry) })
    await journal.close()
    expect(
      findProblem({ head: journal.head, horizon: journal.horizon, entries }, ledger.acknowledged, ledger.horizon),
    ).toBeUndefined()
  }

  const noStrace = canRun('strace', ['-V']) ? '' : ' (skipped: strace is not installed)'
  it.skipIf(noStrace && !process.env.CI)(`stops when the kernel reports one failed fdatasync${noStrace}`, async () => {
    const place = join(root, 'strace')
    const inject = [
      'strace',
      '-f',
      '-o',
      '/dev/null',
      '-e',
      'trace=fdatasync',
      '-e',
      'inject=fdatasync:error=EIO:when=12',
    ]
    const ledger = await run(place, inject)
    expect(ledger.failure).toMatch(/^journal-write-failed .*EIO/)
    expect(ledger.acknowledged).toBeGreaterThan(0)
    expect(ledger.acknowledgementsAfterFailure).toBe(0)
    await requireIntact(place, ledger)
  })

  const noMount =
    isRoot && process.platform === 'linux' ? '' : ' (skipped: only root on Linux can mount a small file system)'
  it.skipIf(noMount && !process.env.CI)(`stops when the file system is full${noMount}`, async () => {
    const mount = join(root, 'small')
    await mkdir(mount)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', mount])
    try {
      const place = join(mount, 'journal')
      const ledger = await run(place, [])
      expect(ledger.failure).toMatch(/^journal-write-failed .*ENOSPC/)
      expect(ledger.acknowledged).toBeGreaterThan(500)
      expect(ledger.acknowledgementsAfterFailure).toBe(0)
      await requireIntact(place, ledger)
    } finally {
      execFileSync('umount', [mount])
    }
  })

  it('refuses a folder that it may not write to and leaves it as it is', async () => {
    const place = join(root, 'read-only')
    const journal = await openFileJournal({ directory: place, env: systemEnv })
    await journal.append({ data: 'a' })
    await journal.close()
    const before = await readdir(place)
    await chmod(place, 0o555)
    // The superuser may write anywhere, so that it has to ask somebody else to try.
    const ledger = new Ledger()
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
    const appender = new Appender(ledger, { program, directory: place, spawn: user })
    await appender.readUntil('nothing more')
    await chmod(place, 0o755)
    expect(ledger.failure).toMatch(/^journal-inaccessible .*read-only cannot be opened for writing: EACCES/)
    expect(await readdir(place)).toEqual(before)
  })

  it('refuses a path that is not a folder', async () => {
    const place = join(root, 'file')
    const file = await nodeFileSystem.open(place, 'create')
    await file.close()
    await expect(openFileJournal({ directory: place, env: systemEnv })).rejects.toMatchObject({
      code: 'journal-inaccessible',
    })
  })
})

function canRun(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    // Not there.
    return false
  }
}
