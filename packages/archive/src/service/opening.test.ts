import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv, VirtualClock } from '@tiphys/env'
import SqliteDatabase from 'libsql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../database/sqlite.ts'
import { type ArchiveOptions, openArchive } from '../open.ts'
import { bundleWorker } from '../testing/bundled-worker.ts'
import { recordStream } from '../testing/record-stream.ts'
import { openScene } from '../testing/scene.ts'

let folder: string
let workshop: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-opening-'))
  workshop = mkdtempSync(join(tmpdir(), 'tiphys-opening-'))
})
afterEach(() => {
  for (const made of [folder, workshop]) rmSync(made, { recursive: true, force: true })
})

/** A journal in which nothing ever happens. */
const silent: NonNullable<ArchiveOptions['journal']> = {
  head: 0,
  async *follow(_from, signal) {
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    yield* []
  },
}
const open = (file: string) => openArchive({ env: systemEnv, database: { file }, journal: silent })
const look = (file: string) => openArchive({ env: systemEnv, database: { file } })

/** Every file in the folder, by name and content. An index of shared memory and an empty WAL are nobody's data: SQLite
 *  makes them to look at a database, and libsql removes them when it comes to closing it. */
const contents = () =>
  Object.fromEntries(
    readdirSync(folder).flatMap(name => {
      if (name.endsWith('-shm') || (name.endsWith('-wal') && isEmptyOrGone(join(folder, name)))) return []
      const bytes = readFileSync(join(folder, name))
      return [[name, createHash('sha256').update(bytes).digest('hex')]]
    }),
  )

const isEmptyOrGone = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

async function refused(file: string, code: string, words: RegExp, ways = [open, look]): Promise<void> {
  const before = contents()
  for (const attempt of ways) {
    await expect(attempt(file)).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
    expect(contents()).toEqual(before)
  }
}

/** A copy of an archive that was made elsewhere: libsql closes late, and must not touch what the tests compare. */
async function filled(name = 'archive.db'): Promise<string> {
  const file = join(mkdtempSync(join(workshop, 'made-')), name)
  const scene = await openScene({ database: { file } })
  await scene.add(recordStream({ seed: 1, events: 30 }))
  await scene.close()
  const closing = new SqliteDatabase(file)
  closing.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  closing.close()
  copyFileSync(file, join(folder, name))
  return join(folder, name)
}

describe('opening an archive refuses, without changing anything,', () => {
  it('a file that is no database', async () => {
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'dear diary, today I have opened the wrong file, and it is longer than a header')
    await refused(file, 'archive-foreign', /notes\.txt.*not an SQLite database.*Nothing was changed/)
  })

  it('a database of something else', async () => {
    const file = join(folder, 'other.db')
    const other = new SqliteDatabase(file)
    other.exec('CREATE TABLE customers (id INTEGER)')
    other.close()
    await refused(file, 'archive-foreign', /other\.db.*customers/)
  })

  it('a database with a table of the same name', async () => {
    const file = join(folder, 'other.db')
    const other = new SqliteDatabase(file)
    other.exec("CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('format', 'cat pictures')")
    other.close()
    await refused(file, 'archive-foreign', /other\.db/)
  })

  it('one that was cut', async () => {
    const file = await filled()
    truncateSync(file, statSync(file).size - 5000)
    await refused(file, 'archive-corrupt', /archive\.db.*it was cut/)
    truncateSync(file, 50)
    await refused(file, 'archive-corrupt', /cut at 50 bytes/)
  })

  it('one whose first page is damaged', async () => {
    const file = await filled()
    const bytes = readFileSync(file)
    bytes.fill(0xab, 100, 4000)
    writeFileSync(file, bytes)
    await refused(file, 'archive-corrupt', /archive\.db/)
  })

  it('a WAL whose database is gone', async () => {
    const file = join(folder, 'archive.db')
    writeFileSync(`${file}-wal`, Buffer.alloc(5000, 1))
    await refused(file, 'archive-corrupt', /archive\.db-wal/, [open])
  })

  it('a WAL of another archive, which would be copied into this one', async () => {
    // A copy: libsql closes late, and would take the WAL of the original with it.
    const file = join(folder, 'copy.db')
    copyFileSync(await filled(), file)
    const scene = await openScene({ database: { file: join(folder, 'other.db') } })
    await scene.add(recordStream({ seed: 2, events: 30 }))
    copyFileSync(join(folder, 'other.db-wal'), `${file}-wal`)
    await scene.close()
    const before = readFileSync(file)
    for (const attempt of [open, look])
      await expect(attempt(file)).rejects.toMatchObject({
        code: 'archive-foreign',
        message: expect.stringMatching(/copy\.db-wal.*belongs to another database/),
      })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('what a newer version has made', async () => {
    const file = await filled()
    const newer = new SqliteDatabase(file)
    newer.exec("UPDATE meta SET value = '99' WHERE name = 'schema'")
    newer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    newer.close()
    await refused(file, 'archive-newer', /schema 99/)
  })

  it('a second writer, and names the first', async () => {
    const file = join(folder, 'archive.db')
    const first = await open(file)
    try {
      await expect(open(file)).rejects.toMatchObject({
        code: 'archive-locked',
        message: expect.stringContaining(`process ${process.pid}`),
      })
      const reader = await look(file)
      expect((await reader.events()).items).toEqual([])
      await reader.close()
    } finally {
      await first.close()
    }
    await (await open(file)).close()
    expect(readdirSync(folder).filter(name => name.includes('lock'))).toEqual([])
  })

  it('a folder in the place of the file, and a file in the place of the folder', async () => {
    mkdirSync(join(folder, 'archive.db'))
    await expect(open(join(folder, 'archive.db'))).rejects.toMatchObject({ code: 'archive-inaccessible' })
    writeFileSync(join(folder, 'plain'), '')
    await expect(open(join(folder, 'plain', 'archive.db'))).rejects.toMatchObject({ code: 'archive-inaccessible' })
  })

  it('a folder that nothing can be written to', async () => {
    await expect(open('/proc/archive.db')).rejects.toMatchObject({
      code: 'archive-inaccessible',
      message: expect.stringContaining('/proc/archive.db'),
    })
  })

  it('a claim of somebody that cannot be read', async () => {
    const claim = join(folder, 'archive.db.lock-strange')
    mkdirSync(claim)
    await expect(open(join(folder, 'archive.db'))).rejects.toMatchObject({
      code: 'archive-locked',
      message: expect.stringContaining(claim),
    })
    expect(readdirSync(folder)).toEqual(['archive.db.lock-strange'])
  })

  it('to only read what is not there', async () => {
    await expect(look(join(folder, 'nothing.db'))).rejects.toMatchObject({ code: 'archive-inaccessible' })
    expect(existsSync(join(folder, 'nothing.db'))).toBe(false)
  })
})

describe('an opened archive', () => {
  it('takes over the lock of a process that died', async () => {
    const file = join(folder, 'archive.db')
    const { spawnSync } = await import('node:child_process')
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const { hostname } = await import('node:os')
    writeFileSync(`${file}.lock-dead`, JSON.stringify({ pid, host: hostname(), since: 'long ago' }))
    await (await open(file)).close()
  })

  it('is safe against the loss of power each time it is opened, and for nobody else to read', async () => {
    const file = await filled()
    for (let time = 0; time < 3; time++) {
      const connection = openSqlite({ file, isReadOnly: false })
      connection.becomeWriter()
      expect([connection.pragma('synchronous'), connection.pragma('journal_mode')]).toEqual([2, 'wal'])
      await connection.close()
    }
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('goes on when another program has read its file and is done', async () => {
    const file = join(folder, 'archive.db')
    const scene = await openScene({ database: { file } })
    try {
      await scene.add(recordStream({ seed: 1, events: 30 }))
      const { records } = await scene.archive.status()
      const reading = `const database = new (require('libsql'))(process.argv[1])
        database.prepare('SELECT count(*) FROM records').all()
        database.close()`
      execFileSync(process.execPath, ['-e', reading, file], { cwd: import.meta.dirname })
      // Whoever believes to be the last who has it open removes it.
      expect(existsSync(`${file}-wal`)).toBe(true)
      await scene.add(recordStream({ seed: 2, events: 30 }))
      expect((await scene.archive.status()).records).toBeGreaterThan(records)
    } finally {
      await scene.close()
    }
  })

  it('is read while another program holds it, says so, and misses nothing', { timeout: 60_000 }, async () => {
    const worker = await bundleWorker()
    const file = join(folder, 'archive.db')
    const scene = await openScene({ database: { file }, workerProgram: worker.program })
    const records = [...recordStream({ seed: 1, events: 30 })]
    await scene.add(records.slice(0, 50))
    const other = new SqliteDatabase(file)
    other.exec('BEGIN IMMEDIATE')
    const added = scene.add(records.slice(50))
    await vi.waitUntil(async () => (await scene.archive.status()).state === 'waiting', { timeout: 40_000 })
    expect(await scene.archive.status()).toMatchObject({ position: 50, problem: expect.stringMatching(/locked/) })
    expect((await scene.archive.events()).items).not.toEqual([])
    other.exec('COMMIT')
    other.close()
    await added
    expect(await scene.archive.status()).toMatchObject({
      state: 'following',
      lag: 0,
      records: records.length,
      gaps: [],
    })
    await scene.close()
    worker.remove()
  })

  it('that is patient is there before its file can be opened, says why it cannot be, and takes all when it can', async () => {
    const worker = await bundleWorker()
    const file = join(folder, 'archive.db')
    writeFileSync(file, 'dear diary, today I have opened the wrong file, and it is longer than a header')
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 8))
    const told: (string | undefined)[] = []
    const scene = await openScene({
      env: { ...systemEnv, clock },
      database: { file },
      retention: { maxEvents: 1000 },
      workerProgram: worker.program,
      isPatient: true,
      onTrouble: problem => told.push(problem?.message),
    })
    try {
      const refusal = { code: 'archive-foreign', message: expect.stringMatching(/not an SQLite database.*Move it/) }
      const records = [...recordStream({ seed: 1, events: 30 })]
      const added = scene.add(records)
      await expect(scene.archive.opened()).rejects.toMatchObject(refusal)
      for (let minute = 0; minute < 5; minute++) await clock.advance(60_000)
      for (const ask of [
        () => scene.archive.events(),
        () => scene.archive.status(),
        () => scene.archive.import(['{}']),
      ])
        await expect(ask()).rejects.toMatchObject(refusal)
      // Who is not patient does not wait for it.
      await scene.archive.caughtUp({ isPatient: false })
      expect(told).toEqual([expect.stringContaining('archive.db')])
      rmSync(file)
      while (told.length === 1) await clock.advance(1000)
      await scene.archive.opened()
      await added
      expect(told).toEqual([expect.anything(), undefined])
      expect(await scene.archive.status()).toMatchObject({ lag: 0, records: records.length, gaps: [] })
    } finally {
      await scene.close()
      worker.remove()
    }
  })

  it('that is patient waits for a file that another program holds, and can be closed meanwhile', async () => {
    const file = await filled()
    const other = new SqliteDatabase(file)
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE held (id INTEGER)')
    const worker = await bundleWorker()
    const options = { database: { file }, workerProgram: worker.program, isPatient: true, onTrouble: () => {} }
    const scene = await openScene(options)
    await expect(scene.archive.opened()).rejects.toMatchObject({ code: 'archive-away' })
    await scene.close()
    const again = await openScene(options)
    await expect(again.archive.events()).rejects.toMatchObject({
      message: expect.stringMatching(/locked.*tried again/),
    })
    const added = again.add(recordStream({ seed: 2, events: 1 }))
    other.exec('ROLLBACK')
    other.close()
    await added
    expect((await again.archive.events()).items.length).toBeGreaterThan(1)
    await again.close()
    worker.remove()
  })

  it('says that it is closed', async () => {
    const archive = await open(join(folder, 'archive.db'))
    await archive.close()
    await archive.close()
    await expect(archive.events()).rejects.toMatchObject({ code: 'archive-closed' })
  })

  it('makes a copy that can be opened, and overwrites nothing', async () => {
    const scene = await openScene({ database: { file: join(folder, 'archive.db') } })
    await scene.add(recordStream({ seed: 1, events: 30 }))
    const copy = join(folder, 'copy.db')
    await scene.archive.backup(copy)
    await expect(scene.archive.backup(copy)).rejects.toMatchObject({ code: 'archive-inaccessible' })
    const opened = await look(copy)
    const [mine, its] = await Promise.all([scene.archive.events({}, { limit: 100 }), opened.events({}, { limit: 100 })])
    expect(its).toEqual(mine)
    expect((await opened.verify()).damaged).toEqual([])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    // It was opened to be read.
    for (const change of [() => opened.retain({}), () => opened.import(['{}']), () => opened.backup(`${copy}2`)])
      await expect(change()).rejects.toMatchObject({ code: 'archive-unsupported' })
    await opened.close()
    await scene.close()
  })

  it('keeps to its limits by itself, once a minute', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 8))
    const scene = await openScene({ env: { ...systemEnv, clock }, retention: { maxEvents: 10 } })
    await scene.add(recordStream({ seed: 1, events: 30 }))
    await clock.advance(60_000)
    // The next call of the writer comes after it.
    await scene.archive.retain({})
    expect((await scene.archive.events({}, { limit: 100 })).items).toHaveLength(10)
    await scene.close()
  })
})
