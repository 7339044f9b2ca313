import { crc32 } from 'node:zlib'
import { type Random, seededRandom, systemEnv } from '@tiphys/env'
import { beforeAll, describe, expect, it } from 'vitest'
import { JournalCorrupt } from '../failures.ts'
import type { Entry } from '../journal.ts'
import { findProblem, knownRecord } from '../testing/known-records.ts'
import { SimulatedDisk } from '../testing/simulated-disk.ts'
import { openFileJournal } from './file-journal.ts'
import { FRAME_HEADER, frameSizeAt } from './frame.ts'
import { readHeader, SEGMENT_FOOTER, SEGMENT_HEADER, seedOf, segmentName } from './segment.ts'

const DAMAGES = process.env.TIPHYS_FULL ? 2_000 : 300
const RECORDS = 120
const HORIZON = 40
const directory = '/disk'

type Outcome =
  | { is: 'refused'; error: unknown } // the journal did not open
  | { is: 'intact' } // it opened, and everything acknowledged is there
  | { is: 'wrong'; problem: string } // it opened and lost or changed something

/** A compacted journal of several segments; closed, or left as a killed process leaves it. */
async function makeDisk(end: 'closed' | 'killed'): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: disk, segmentBytes: 4096 })
  for (let i = 0; i < RECORDS; i += 4) {
    await Promise.all(Array.from({ length: 4 }, () => journal.append(knownRecord(journal.next))))
    if (i === HORIZON + 20) await journal.compact({ before: HORIZON })
  }
  // The mark follows when nothing else is to be written.
  for (let i = 0; i < 5; i++) await new Promise(resolve => setImmediate(resolve))
  const left = disk.copy()
  await journal.close()
  return end === 'closed' ? disk.copy() : left
}

async function inspect(disk: SimulatedDisk): Promise<Outcome> {
  const entries: Entry[] = []
  try {
    const onEntry = (entry: Entry) => entries.push(entry)
    const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: disk, onEntry })
    const problem = findProblem({ head: journal.head, horizon: journal.horizon, entries }, RECORDS, HORIZON)
    return problem === undefined ? { is: 'intact' } : { is: 'wrong', problem }
  } catch (error) {
    return { is: 'refused', error }
  }
}

function segmentsOf(disk: SimulatedDisk): string[] {
  return disk.paths.filter(path => path.endsWith('.journal')).sort()
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random.next() * items.length)] as T
}

function contents(disk: SimulatedDisk): Map<string, string> {
  return new Map(
    disk.paths.filter(path => !path.includes('/lock-')).map(path => [path, disk.content(path).toString('latin1')]),
  )
}

describe.each(['closed', 'killed'] as const)('a journal that was %s and then damaged', end => {
  let whole: SimulatedDisk

  beforeAll(async () => {
    whole = await makeDisk(end)
  })

  it('is intact without damage and has several segments', async () => {
    expect(await inspect(whole.copy())).toEqual({ is: 'intact' })
    expect(segmentsOf(whole).length).toBeGreaterThan(3)
  })

  it(`names the file and the place of each of ${DAMAGES} flipped bits, or has lost nothing`, {
    timeout: 60_000,
  }, async () => {
    const random = seededRandom(3)
    const count = { refused: 0, intact: 0 }
    for (let i = 0; i < DAMAGES; i++) {
      const disk = whole.copy()
      const path = pick(segmentsOf(disk), random)
      const offset = Math.floor(random.next() * disk.content(path).length)
      const bit = Math.floor(random.next() * 8)
      disk.content(path)[offset] = (disk.content(path)[offset] as number) ^ (1 << bit)
      const damaged = contents(disk)
      const outcome = await inspect(disk)
      const label = `bit ${bit} of byte ${offset} of ${path}`
      expect(outcome, label).not.toMatchObject({ is: 'wrong' })
      if (outcome.is === 'intact') count.intact++
      if (outcome.is !== 'refused') continue
      count.refused++
      expect(String(outcome.error), label).toContain(path)
      expect((outcome.error as JournalCorrupt).code).toMatch(/^journal-(corrupt|foreign|newer)$/)
      if (outcome.error instanceof JournalCorrupt) expect(outcome.error.offset, label).toBeLessThanOrEqual(offset)
      expect(contents(disk), label).toEqual(damaged)
    }
    expect(count.refused).toBeGreaterThan(DAMAGES / 2)
    expect(count.refused + count.intact).toBe(DAMAGES)
  })

  it('names a file that was cut, wherever it was cut', async () => {
    for (const path of segmentsOf(whole)) {
      const { length } = whole.content(path)
      const cuts = [
        0,
        5,
        SEGMENT_HEADER - 1,
        SEGMENT_HEADER,
        ...[0.1, 0.3, 0.5, 0.7, 0.9].map(part => Math.floor(length * part)),
        length - 1,
      ]
      for (const cut of cuts) {
        const disk = whole.copy()
        disk.plant(path, Buffer.from(disk.content(path).subarray(0, cut)))
        const damaged = contents(disk)
        const outcome = await inspect(disk)
        expect(outcome, `${path} cut at ${cut}`).toMatchObject({
          is: 'refused',
          error: { code: 'journal-corrupt', file: path },
        })
        expect(contents(disk)).toEqual(damaged)
      }
    }
  })

  it('names a file that is missing', async () => {
    for (const path of segmentsOf(whole)) {
      const disk = whole.copy()
      disk.lose(path)
      expect(await inspect(disk)).toMatchObject({ is: 'refused', error: { code: 'journal-corrupt', file: path } })
    }
  })

  it('names the file whose footer is damaged', async () => {
    for (const path of segmentsOf(whole).slice(0, -1)) {
      const disk = whole.copy()
      const content = disk.content(path)
      content[content.length - SEGMENT_FOOTER] = 0
      const damaged = contents(disk)
      expect(await inspect(disk)).toMatchObject({ is: 'refused', error: { code: 'journal-corrupt', file: path } })
      expect(contents(disk)).toEqual(damaged)
    }
  })

  it('names the place where an intact record stands that belongs elsewhere', async () => {
    const disk = whole.copy()
    const path = segmentsOf(disk).at(-1) as string
    const content = disk.content(path)
    const size = frameSizeAt(content, SEGMENT_HEADER) as number
    const next = SEGMENT_HEADER + size
    // The first record of the segment once more, where the second one was.
    content.copyWithin(next, SEGMENT_HEADER, next)
    expect(await inspect(disk)).toMatchObject({
      is: 'refused',
      error: { code: 'journal-corrupt', file: path, offset: next },
    })
  })

  it('names the record when a stretch of an acknowledged one is zero', async () => {
    const disk = whole.copy()
    const path = segmentsOf(disk).at(-1) as string
    const base = Number(/(\d+)\.journal$/.exec(path)?.[1])
    disk.content(path).fill(0, SEGMENT_HEADER, SEGMENT_HEADER + FRAME_HEADER)
    expect(await inspect(disk)).toMatchObject({
      is: 'refused',
      error: { file: path, offset: SEGMENT_HEADER, position: base },
    })
  })
})

describe('the test of damage notices', () => {
  it('a changed record that a journal without checksums would serve', async () => {
    const disk = await makeDisk('closed')
    const path = `${directory}/${segmentName(1)}`
    const content = disk.content(path)
    const { id } = await readHeader(await disk.open(path, 'read'), path, 1)
    const length = content.readUInt32LE(SEGMENT_HEADER + 4)
    const end = SEGMENT_HEADER + Math.ceil((FRAME_HEADER + length) / 8) * 8
    content[SEGMENT_HEADER + FRAME_HEADER + length - 1] =
      (content[SEGMENT_HEADER + FRAME_HEADER + length - 1] as number) ^ 1
    content.writeUInt32LE(crc32(content.subarray(SEGMENT_HEADER + 4, end), seedOf(id)), SEGMENT_HEADER)
    expect(await inspect(disk)).toMatchObject({
      is: 'wrong',
      problem: expect.stringContaining('is not what was appended'),
    })
  })
})

describe('a record that was damaged while the journal is open', () => {
  it('is named to whoever reads it', async () => {
    const disk = await makeDisk('closed')
    const path = segmentsOf(disk)[1] as string
    const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: disk })
    const at = SEGMENT_HEADER + FRAME_HEADER + 2
    disk.content(path)[at] = (disk.content(path)[at] as number) ^ 1
    const reading = (async () => {
      for await (const { position } of journal.read(1)) expect(position).toBeGreaterThan(0)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'journal-corrupt', file: path, offset: SEGMENT_HEADER })
  })
})

describe('an unfinished write', () => {
  it('does not come back behind what is written in its place', async () => {
    const disk = new SimulatedDisk()
    const open = (fileSystem: SimulatedDisk, entries: string[] = []) =>
      openFileJournal({ directory, env: systemEnv, fileSystem, onEntry: ({ data }) => entries.push(data.toString()) })
    const journal = await open(disk)
    await Promise.all([journal.append({ data: 'torn' }), journal.append({ data: 'left' })])
    const torn = disk.copy()
    torn.content(`${directory}/${segmentName(1)}`).fill(0, SEGMENT_HEADER, SEGMENT_HEADER + FRAME_HEADER)
    const again = await open(torn)
    expect(await again.append({ data: 'anew' })).toBe(1)
    const entries: string[] = []
    await open(torn.copy(), entries)
    expect(entries).toEqual(['anew'])
  })
})
