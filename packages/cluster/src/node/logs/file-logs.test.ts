import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Env, seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileLogs } from './file-logs.ts'
import type { LogRun, LogStore, ReadOptions, RunLog } from './log-store.ts'

const RUN: LogRun = { namespace: 'default', pod: 'web', uid: 'u1', container: 'main', restartCount: 0 }

let directory: string
let clock: VirtualClock
let env: Env
let logs: LogStore
const opened: RunLog[] = []

const openLog = (run = RUN) => {
  const log = logs.open(run)
  opened.push(log)
  return log
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tiphys-logs-'))
  clock = new VirtualClock()
  env = { clock, random: seededRandom(1), log: silentLog }
  logs = createFileLogs(env, directory)
})

afterEach(async () => {
  for (const log of opened.splice(0)) log.end()
  await logs.remove(RUN)
  await rm(directory, { recursive: true, force: true })
})

const print = (log: RunLog, text: string, stream: 'stdout' | 'stderr' = 'stdout') =>
  log.write(stream, Buffer.from(text))

const read = async (options: ReadOptions = {}, run = RUN) => {
  let text = ''
  for await (const chunk of logs.read(run, options) ?? []) text += Buffer.from(chunk).toString()
  return text
}

describe('the log of a container', () => {
  it('is a file in the format of the CRI', async () => {
    const log = openLog(RUN)
    await print(log, 'one\ntwo\n')
    await print(log, 'oops\n', 'stderr')
    log.end()
    await read()
    expect(await readFile(join(directory, 'default_web_u1/main/0.log'), 'utf8')).toBe(
      [
        '2024-01-01T00:00:00.000000000Z stdout F one',
        '2024-01-01T00:00:00.000000000Z stdout F two',
        '2024-01-01T00:00:00.000000000Z stderr F oops',
        '',
      ].join('\n'),
    )
  })

  it('shows the last lines, lines since a time, timestamps and a number of bytes', async () => {
    const log = openLog(RUN)
    await print(log, 'one\n')
    await read()
    await clock.advance(60_000)
    await print(log, 'two\nthree\n')
    expect(await read({ tailLines: 1 })).toBe('three\n')
    expect(await read({ tailLines: 0 })).toBe('')
    expect(await read({ tailLines: 9 })).toBe('one\ntwo\nthree\n')
    expect(await read({ sinceSeconds: 30 })).toBe('two\nthree\n')
    expect(await read({ sinceTime: '2024-01-01T00:00:30Z' })).toBe('two\nthree\n')
    expect(await read({ tailLines: 1, timestamps: true })).toBe('2024-01-01T00:01:00.000000000Z three\n')
    expect(await read({ limitBytes: 6 })).toBe('one\ntw')
  })

  it('keeps a line without an end, and a very long one whole', async () => {
    const log = openLog(RUN)
    const long = 'x'.repeat(50_000)
    await print(log, `${long}\nrest`)
    log.end()
    expect(await read()).toBe(`${long}\nrest`)
    expect(await read({ timestamps: true })).toBe(
      `2024-01-01T00:00:00.000000000Z ${long}\n2024-01-01T00:00:00.000000000Z rest`,
    )
  })

  it('is followed until the container ends', async () => {
    const log = openLog(RUN)
    await print(log, 'one\n')
    const followed = read({ follow: true })
    await print(log, 'two\n')
    await read()
    await print(log, 'three\n')
    log.end()
    expect(await followed).toBe('one\ntwo\nthree\n')
  })

  it('stops being followed when the reader goes', async () => {
    openLog()
    const abort = new AbortController()
    const followed = read({ follow: true, signal: abort.signal })
    abort.abort()
    expect(await followed).toBe('')
  })

  it('takes bounded space, and is followed through its rotations', async () => {
    logs = createFileLogs(env, directory, { maxBytes: 10_000, maxFiles: 3 })
    const log = openLog(RUN)
    await print(log, 'first\n')
    await read()
    const followed = read({ follow: true })
    for (let line = 0; line < 2000; line++) {
      await print(log, `line ${line}\n`)
      if (line % 50 === 0) await read({ tailLines: 1 })
    }
    log.end()
    expect((await followed).endsWith('line 1999\n')).toBe(true)
    const folder = join(directory, 'default_web_u1/main')
    const names = await readdir(folder)
    expect(names.length).toBeLessThanOrEqual(3)
    for (const name of names) expect((await stat(join(folder, name))).size).toBeLessThan(15_000)
  })

  it('is whole for whoever follows it, however far behind, as long as its files are kept', async () => {
    logs = createFileLogs(env, directory, { maxBytes: 1000, maxFiles: 4 })
    const log = openLog(RUN)
    const line = (number: number) => `line ${String(number).padStart(4, '0')}\n`
    await print(log, line(0))
    const lines = logs.read(RUN, { follow: true })?.[Symbol.asyncIterator]()
    await lines?.next()
    const wanted = Array.from({ length: 60 }, (_, index) => line(index + 1))
    for (const text of wanted) {
      await print(log, text)
      await read({ tailLines: 0 })
    }
    log.end()
    expect((await readdir(join(directory, 'default_web_u1/main'))).length).toBeGreaterThan(2)
    let followed = ''
    for (let next = await lines?.next(); next?.done === false; next = await lines?.next())
      followed += Buffer.from(next.value).toString()
    expect(followed).toBe(wanted.join(''))
    expect(await read()).toBe(line(0) + wanted.join(''))
  })

  it('says up to where it was dropped before it was read', async () => {
    logs = createFileLogs(env, directory, { maxBytes: 1000, maxFiles: 2 })
    const log = openLog(RUN)
    const printed = Array.from({ length: 200 }, (_, index) => `line ${String(index).padStart(4, '0')}\n`)
    for (const text of printed) {
      await print(log, text)
      await read({ tailLines: 0 })
    }
    log.end()
    const [note = '', ...kept] = (await read()).split(/(?<=\n)/u)
    expect(note).toBe(
      `[tiphys] missing up to byte ${(200 - kept.length) * 10}: nodes keep only the newest part of a log\n`,
    )
    expect(kept).toEqual(printed.slice(-kept.length))
    expect(await read({ tailLines: 1 })).toBe('line 0199\n')
  })

  it('still has its last lines when they filled a file', async () => {
    logs = createFileLogs(env, directory, { maxBytes: 10_000, maxFiles: 3 })
    const log = openLog(RUN)
    await print(log, `${'x'.repeat(9990)}\nend\n`)
    log.end()
    expect(await read({ tailLines: 1 })).toBe('end\n')
    expect(await logs.tail(RUN, 1, 80)).toBe('end\n')
  })

  it('keeps the run before, and gives the end for a termination message', async () => {
    for (let restartCount = 0; restartCount < 3; restartCount++) {
      const log = openLog({ ...RUN, restartCount })
      await print(log, `run ${restartCount}\n`)
      log.end()
      await read({}, { ...RUN, restartCount })
    }
    expect(await read({}, { ...RUN, restartCount: 1 })).toBe('run 1\n')
    expect(await logs.tail({ ...RUN, restartCount: 2 }, 80, 2048)).toBe('run 2\n')
    expect(await logs.tail({ ...RUN, restartCount: 2 }, 80, 3)).toBe(' 2\n'.slice(-3))
    await logs.remove(RUN)
    expect(await readdir(directory)).toEqual([])
  })
})
