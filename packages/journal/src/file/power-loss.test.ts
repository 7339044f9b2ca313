import { type Random, seededRandom, systemEnv } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../journal.ts'
import { findProblem, knownRecord } from '../testing/known-records.ts'
import { crashModes, SimulatedDisk, type SimulatedDiskOptions } from '../testing/simulated-disk.ts'
import { type FileJournal, openFileJournal } from './file-journal.ts'

const IMAGES = process.env.TIPHYS_FULL ? 12_000 : 600
const PLANTED_IMAGES = 600
const directory = '/disk'

interface Outcome {
  /** How many disks were looked at, each as a power loss could have left it. */
  images: number
  /** How many of them lacked something that had been written. */
  lossy: number
  compactions: number
  problems: string[]
}

interface Run {
  seed: number
  images: number
  disk?: Omit<SimulatedDiskOptions, 'before'>
  sync?: 'always' | 'none'
  stopsAtProblem?: boolean
}

/** Writes, compacts and reopens a journal; at each operation of the disk looks at what a power loss at that moment could
 *  leave. */
async function losePower({
  seed,
  images,
  disk: options,
  sync = 'always',
  stopsAtProblem = false,
}: Run): Promise<Outcome> {
  const random = seededRandom(seed)
  const outcome: Outcome = { images: 0, lossy: 0, compactions: 0, problems: [] }
  let acknowledged = 0
  let requestedHorizon = 1
  const isDone = () => outcome.images >= images || (stopsAtProblem && outcome.problems.length > 0)

  const disk: SimulatedDisk = new SimulatedDisk({
    ...options,
    before: async () => {
      if (isDone()) return
      if (disk.unsynced > 0) outcome.lossy++
      for (const mode of crashModes) {
        outcome.images++
        const problem = await inspect(disk.crash(mode, random), acknowledged, requestedHorizon, random)
        if (problem) outcome.problems.push(`image ${outcome.images} (${mode}): ${problem}`)
      }
    },
  })

  while (!isDone()) {
    const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: disk, segmentBytes: 4096, sync })
    for (let round = 0; round < 12 && !isDone(); round++) {
      const work: Promise<unknown>[] = appendSome(journal, 1 + Math.floor(random.next() * 8)).map(async appended => {
        acknowledged = Math.max(acknowledged, await appended)
      })
      if (random.next() < 0.15) {
        requestedHorizon = Math.max(requestedHorizon, journal.head - 5)
        outcome.compactions++
        work.push(journal.compact({ before: journal.head - 5 }))
      }
      await Promise.all(work)
    }
    await journal.close()
  }
  return outcome
}

function appendSome(journal: FileJournal, count: number): Promise<number>[] {
  return Array.from({ length: count }, () => journal.append(knownRecord(journal.next)))
}

/** Opens what a power loss left, goes on writing, loses power once more, and looks again. */
async function inspect(
  image: SimulatedDisk,
  acknowledged: number,
  horizon: number,
  random: Random,
): Promise<string | undefined> {
  try {
    const entries: Entry[] = []
    const journal = await openImage(image, entries)
    const problem = findProblem({ head: journal.head, horizon: journal.horizon, entries }, acknowledged, horizon)
    if (problem) return problem
    const last = Math.max(...(await Promise.all(appendSome(journal, 3))))
    const entriesAfter: Entry[] = []
    const after = await openImage(image.crash('torn', random), entriesAfter)
    return findProblem({ head: after.head, horizon: after.horizon, entries: entriesAfter }, last, horizon)
  } catch (error) {
    return String(error)
  }
}

function openImage(image: SimulatedDisk, entries: Entry[]): Promise<FileJournal> {
  const onEntry = (entry: Entry) => entries.push(entry)
  return openFileJournal({ directory, env: systemEnv, fileSystem: image, segmentBytes: 4096, onEntry })
}

describe('after a power loss', () => {
  it(`has every acknowledged record and nothing else in ${IMAGES} images of the disk`, {
    timeout: 300_000,
  }, async () => {
    const outcome = await losePower({ seed: 1, images: IMAGES })
    expect(outcome.problems).toEqual([])
    expect(outcome.images).toBeGreaterThanOrEqual(IMAGES)
    expect(outcome.lossy).toBeGreaterThan(IMAGES / 20)
    expect(outcome.compactions).toBeGreaterThan(0)
  })

  it('is not contradicted by a segment whose removal a second power loss undid', async () => {
    const random = seededRandom(3)
    let madeSegments = 0
    let image: SimulatedDisk | undefined
    const disk: SimulatedDisk = new SimulatedDisk({
      before: operation => {
        // The second segment has its name, and the first is about to be sealed.
        if (madeSegments === 2 && operation.startsWith('write')) image ??= disk.crash('none', random)
        if (operation === 'sync /disk') madeSegments++
      },
    })
    const journal = await openFileJournal({ directory, env: systemEnv, fileSystem: disk, segmentBytes: 4096 })
    await Promise.all(appendSome(journal, 3))
    // Leaves the first segment while there is room in it.
    await journal.compact({ before: 3 })
    if (!image) throw new Error('no second segment was made')
    const resumed = await openImage(image, [])
    const last = Math.max(...(await Promise.all(appendSome(resumed, 3))))
    const entries: Entry[] = []
    const { head, horizon } = await openImage(image.crash('none', random), entries)
    expect(findProblem({ head, horizon, entries }, last, 1)).toBeUndefined()
  })

  describe('the test notices', () => {
    it.each([
      ['a disk that only pretends to sync files', { disk: { ignoresSync: true } }, 'has been cut'],
      ['a disk that only pretends to sync directories', { disk: { ignoresDirectorySync: true } }, 'is lost'],
      ['a journal that acknowledges before it syncs', { sync: 'none' as const }, 'is lost'],
    ])('%s', { timeout: 60_000 }, async (_, bug, problem) => {
      const { problems } = await losePower({ seed: 2, images: PLANTED_IMAGES, stopsAtProblem: true, ...bug })
      expect(problems[0]).toContain(problem)
    })
  })
})
