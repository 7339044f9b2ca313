import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, type LogLine, systemEnv } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Appender, buildAppender, Ledger } from '../testing/appender.ts'
import { openFileJournal } from './file-journal.ts'

let root: string
let directory: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'journal-'))
  directory = join(root, 'journal')
  await (await openFileJournal({ directory, env: systemEnv })).close()
})

afterEach(() => rm(root, { recursive: true }))

const open = () => openFileJournal({ directory, env: systemEnv })
const locks = async () => (await readdir(directory)).filter(name => name.startsWith('lock-'))
const plantLock = (content: string) => writeFile(join(directory, 'lock-0'), content)

describe('the lock of a journal', () => {
  it('refuses a second writer in the same process and names file, process and command', async () => {
    const journal = await open()
    const [lock] = await locks()
    const failure = await open().catch(error => error)
    expect(failure).toMatchObject({ code: 'journal-locked' })
    expect(failure.message).toContain(join(directory, lock as string))
    expect(failure.message).toContain(`process ${process.pid} on ${hostname()}`)
    expect(failure.message).toContain(process.argv[1])
    expect(await locks()).toEqual([lock])
    await journal.append({ data: 'still the writer' })
    await journal.close()
  })

  it('goes with its holder', async () => {
    await (await open()).close()
    expect(await locks()).toEqual([])
  })

  it('of a living process is respected, of a killed one taken over and said aloud', async () => {
    const program = await buildAppender(root)
    const appender = new Appender(new Ledger(), { program, directory, mode: 'idle' })
    await appender.readUntil('open')
    await expect(open()).rejects.toMatchObject({
      code: 'journal-locked',
      message: expect.stringContaining(`process ${appender.process.pid} `),
    })
    await appender.kill()
    const lines: LogLine[] = []
    const log = createLog({ now: () => 0, write: line => lines.push(line) })
    const journal = await openFileJournal({ directory, env: { ...systemEnv, log } })
    expect(lines).toMatchObject([{ level: 'warn', fields: { pid: appender.process.pid } }])
    expect(await locks()).toHaveLength(1)
    await journal.close()
  })

  it.runIf(process.platform === 'linux')('of an earlier process with the same number is taken over', async () => {
    const holder = { pid: process.pid, host: hostname(), command: 'x', since: 'y', started: 'another run:12345' }
    await plantLock(JSON.stringify(holder))
    const journal = await open()
    expect(await locks()).not.toContain('lock-0')
    await journal.close()
  })

  it('of another machine is respected, for nobody here can tell whether it runs', async () => {
    const content = JSON.stringify({ pid: 999_999_999, host: 'elsewhere', command: 'tiphys up', since: '2026-01-01' })
    await plantLock(content)
    await expect(open()).rejects.toMatchObject({
      code: 'journal-locked',
      message: expect.stringContaining('process 999999999 on elsewhere since 2026-01-01 (tiphys up)'),
    })
    expect(await readFile(join(directory, 'lock-0'), 'utf8')).toBe(content)
  })

  it('that cannot be read is respected', async () => {
    await plantLock('')
    await expect(open()).rejects.toMatchObject({ code: 'journal-locked', message: expect.stringContaining('lock-0') })
    expect(await locks()).toEqual(['lock-0'])
  })

  it('lets at most one of many in that come at once', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 10 }, open))
    const opened = attempts.flatMap(attempt => (attempt.status === 'fulfilled' ? [attempt.value] : []))
    expect(opened.length).toBeLessThanOrEqual(1)
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'journal-locked' })
    for (const journal of opened) await journal.close()
    expect(await locks()).toEqual([])
  })
})
