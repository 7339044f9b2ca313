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

  it('gives readers whole and ordered records while their segments are replaced', async () => {
    const journal = await openFileJournal({ directory, env, segmentBytes: 2048, sync: 'none' })
    await Promise.all(
      Array.from({ length: 600 }, (_, i) => journal.append({ key: `key ${i % 50}`, data: 'x'.repeat(100) })),
    )
    let isCompacting = true
    const readers = Array.from({ length: 4 }, async (_, reader) => {
      let readings = 0
      while (isCompacting) {
        const complete = Math.max(journal.horizon, 1 + reader * 100)
        const positions: number[] = []
        for await (const { position } of journal.read(1 + reader * 100)) positions.push(position)
        const expected = Array.from({ length: 600 - complete + 1 }, (_, i) => complete + i)
        const left = new Set(positions)
        expect(positions).toEqual([...left].sort((a, b) => a - b))
        // A compaction meanwhile may have dropped some, but nothing from its own horizon on.
        expect(expected.filter(position => position >= journal.horizon && !left.has(position))).toEqual([])
        readings++
      }
      return readings
    })
    for (let before = 25; before <= 600; before += 25) await journal.compact({ before })
    isCompacting = false
    for (const readings of await Promise.all(readers)) expect(readings).toBeGreaterThan(0)
    await journal.close()
  })

  it('refuses appends when more waits than memory should hold, and goes on when it is written', async () => {
    const journal = await openFileJournal({ directory, env, sync: 'none' })
    const data = Buffer.alloc(8 * 2 ** 20)
    const accepted: Promise<void>[] = []
    expect(() => {
      for (let i = 0; i < 20; i++) accepted.push(journal.submit({ data }).committed)
    }).toThrow(expect.objectContaining({ code: 'JournalBusy' }))
    await Promise.all(accepted)
    expect(await journal.append({ data: 'small' })).toBe(accepted.length + 1)
    await journal.close()
  })

  it('refuses a key that is too long and stays usable', async () => {
    const journal = await openFileJournal({ directory, env })
    await expect(journal.append({ key: 'k'.repeat(70_000), data: '' })).rejects.toMatchObject({
      code: 'JournalRecordTooLarge',
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
      code: 'JournalNewer',
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
      code: 'JournalForeign',
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
      code: 'JournalForeign',
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
