import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '../journal.ts'
import { FaultyFileSystem } from '../testing/faulty-file-system.ts'
import { journalSuite } from '../testing/journal-suite.ts'
import { SimulatedDisk } from '../testing/simulated-disk.ts'
import { type FileJournalOptions, openFileJournal } from './file-journal.ts'
import { nodeFileSystem } from './file-system.ts'
import { segmentName } from './segment.ts'

const env = systemEnv

async function onFiles(options: Partial<FileJournalOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'journal-'))
  return {
    open: () => openFileJournal({ directory, env, ...options }),
    dispose: () => rm(directory, { recursive: true }),
  }
}

journalSuite('files', () => onFiles())
journalSuite('files in many small segments', () => onFiles({ segmentBytes: 2048 }))
journalSuite('files without syncs', () => onFiles({ segmentBytes: 2048, sync: 'none' }))
journalSuite('a simulated disk', async () => {
  const fileSystem = new SimulatedDisk()
  return {
    open: () => openFileJournal({ directory: '/disk', env, fileSystem, segmentBytes: 2048 }),
    dispose: async () => {},
  }
})

describe('a journal on files', () => {
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'journal-'))
  })

  afterEach(() => rm(directory, { recursive: true }))

  const segments = async () => (await readdir(directory)).filter(name => name.endsWith('.journal')).sort()

  it('syncs once for all appends of one turn', async () => {
    const fileSystem = new FaultyFileSystem(nodeFileSystem)
    const journal = await openFileJournal({ directory, env, fileSystem })
    const before = fileSystem.calls.length
    await Promise.all(Array.from({ length: 100 }, () => journal.append({ data: 'x' })))
    expect(fileSystem.calls.slice(before).map(call => call.split(' ')[0])).toEqual(['write', 'sync'])
    await journal.close()
  })

  it('syncs once for all appends that were made while a sync was under way', async () => {
    const fileSystem = new FaultyFileSystem(nodeFileSystem)
    const journal = await openFileJournal({ directory, env, fileSystem })
    const before = fileSystem.calls.length
    const first = journal.append({ data: 'first' })
    const others: Promise<number>[] = []
    for (let i = 0; i < 50; i++) {
      await new Promise(resolve => setImmediate(resolve))
      if (journal.head === 0) others.push(journal.append({ data: `other ${i}` }))
    }
    await Promise.all([first, ...others])
    expect(fileSystem.calls.slice(before).filter(call => call.startsWith('sync')).length).toBeLessThanOrEqual(2)
    await journal.close()
  })

  it('tells the position of a record before it is committed', async () => {
    const journal = await openFileJournal({ directory, env })
    expect(journal.next).toBe(1)
    const { position, committed } = journal.submit({ data: 'a' })
    expect([position, journal.next, journal.head]).toEqual([1, 2, 0])
    await committed
    expect(journal.head).toBe(1)
    await journal.close()
  })

  it('replays every record to whoever opens it', async () => {
    const journal = await openFileJournal({ directory, env, segmentBytes: 4096 })
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => journal.append({ key: `key ${i}`, data: `record ${i + 1}` })),
    )
    await journal.close()
    const entries: Entry[] = []
    const again = await openFileJournal({ directory, env, onEntry: entry => entries.push(entry) })
    expect(entries.map(({ position, data }) => [position, data.toString()])).toEqual(
      Array.from({ length: 300 }, (_, i) => [i + 1, `record ${i + 1}`]),
    )
    await again.close()
  })

  it('leaves one file and no lock behind after a compaction and a close', async () => {
    const journal = await openFileJournal({ directory, env, segmentBytes: 2048 })
    await Promise.all(Array.from({ length: 200 }, () => journal.append({ key: 'the same', data: 'x'.repeat(100) })))
    expect((await segments()).length).toBeGreaterThan(10)
    await journal.compact({ before: 201 })
    await journal.close()
    expect(await readdir(directory)).toEqual([segmentName(1), segmentName(201)])
  })

  it('refuses appends when more waits than memory should hold, and goes on when it is written', async () => {
    const journal = await openFileJournal({ directory, env, sync: 'none' })
    const data = Buffer.alloc(8 * 2 ** 20)
    const accepted: Promise<void>[] = []
    expect(() => {
      for (let i = 0; i < 20; i++) accepted.push(journal.submit({ data }).committed)
    }).toThrow(expect.objectContaining({ code: 'journal-busy' }))
    await Promise.all(accepted)
    expect(await journal.append({ data: 'small' })).toBe(accepted.length + 1)
    await journal.close()
  })

  it('refuses a key that is too long and stays usable', async () => {
    const journal = await openFileJournal({ directory, env })
    await expect(journal.append({ key: 'k'.repeat(70_000), data: '' })).rejects.toMatchObject({
      code: 'journal-record-too-large',
    })
    expect(await journal.append({ data: 'a' })).toBe(1)
    await journal.close()
  })

  it('refuses a newer format and changes nothing', async () => {
    const journal = await openFileJournal({ directory, env })
    await journal.append({ data: 'a' })
    await journal.close()
    const path = join(directory, segmentName(1))
    const content = await readFile(path)
    content.writeUInt32LE(2, 8)
    await writeFile(path, content)
    await expect(openFileJournal({ directory, env })).rejects.toMatchObject({
      code: 'journal-newer',
      message: expect.stringContaining(`${path} has format 2`),
    })
    expect((await readFile(path)).equals(content)).toBe(true)
    expect(await readdir(directory)).toEqual([segmentName(1)])
  })

  it.each([
    ['that is something else', segmentName(1), 'SQLite format 3\0'.repeat(100)],
    ['with a name that no segment has', 'copy of 1.journal', 'anything'],
  ])('refuses a file %s and changes nothing', async (_, name, content) => {
    const path = join(directory, name)
    await writeFile(path, content)
    await expect(openFileJournal({ directory, env })).rejects.toMatchObject({
      code: 'journal-foreign',
      message: expect.stringContaining(path),
    })
    expect(await readdir(directory)).toEqual([name])
    expect(await readFile(path, 'latin1')).toBe(content)
  })

  it('refuses a segment of another journal and names it', async () => {
    const other = join(directory, 'other')
    const own = join(directory, 'own')
    for (const place of [own, other]) {
      const journal = await openFileJournal({ directory: place, env, segmentBytes: 2048 })
      await Promise.all(Array.from({ length: 40 }, () => journal.append({ data: 'x'.repeat(100) })))
      await journal.close()
    }
    const name = (await readdir(own)).sort().at(-1) as string
    await writeFile(join(own, name), await readFile(join(other, name)))
    await expect(openFileJournal({ directory: own, env })).rejects.toMatchObject({
      code: 'journal-foreign',
      message: expect.stringContaining(join(own, name)),
    })
  })

  it('leaves files alone that are not its own', async () => {
    await writeFile(join(directory, 'notes.txt'), 'mine')
    const journal = await openFileJournal({ directory, env })
    await journal.append({ data: 'a' })
    await journal.close()
    expect(await readFile(join(directory, 'notes.txt'), 'utf8')).toBe('mine')
  })
})

describe('a reader and a compaction at the same time', () => {
  const journalOn = async (fileSystem: SimulatedDisk) => {
    const journal = await openFileJournal({ directory: '/disk', env, fileSystem, segmentBytes: 2048 })
    for (let i = 0; i < 100; i++) await journal.append({ key: `key ${i % 40}`, data: 'x'.repeat(100) })
    return journal
  }
  const positionsOf = async (entries: AsyncIterable<Entry>) => {
    const positions: number[] = []
    for await (const { position } of entries) positions.push(position)
    return positions
  }
  const turns = async () => {
    for (let i = 0; i < 100; i++) await new Promise(resolve => setImmediate(resolve))
  }
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

  it('wait for each other when the reader was first', async () => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let isArmed = false
    class SlowDisk extends SimulatedDisk {
      override async open(...[path, mode]: Parameters<SimulatedDisk['open']>) {
        const isHeld = isArmed && mode === 'read'
        if (isHeld) isArmed = false
        if (isHeld) await held
        return super.open(path, mode)
      }
    }
    const journal = await journalOn(new SlowDisk())
    isArmed = true
    const reading = positionsOf(journal.read(50))
    const compacting = journal.compact({ before: 90 })
    await turns()
    release()
    const positions = await reading
    expect(positions.slice(-11)).toEqual(range(90, 100))
    expect(await compacting).toEqual({ kept: 40, dropped: 49 })
    await journal.close()
  })

  it('wait for each other when the compaction was first', async () => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let renamed = 0
    const disk = new SimulatedDisk({
      before: operation => {
        if (operation.startsWith('rename /disk/compaction.tmp')) renamed++
        return renamed === 2 && operation === 'sync /disk' ? held : undefined
      },
    })
    const journal = await openFileJournal({ directory: '/disk', env, fileSystem: disk, segmentBytes: 2048 })
    for (const deleted of [false, true]) {
      for (let i = 0; i < 40; i++) await journal.append({ key: `key ${i}`, data: 'x'.repeat(100), deleted })
      if (!deleted) await journal.compact({ before: 41 })
    }
    const compacting = journal.compact({ before: 81 })
    await turns()
    const reading = positionsOf(journal.read(1))
    await turns()
    release()
    expect(await reading).toEqual([])
    await compacting
    await journal.close()
  })
})
