import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import type { Journal } from '../journal.ts'
import { SimulatedDisk } from '../testing/simulated-disk.ts'
import { openFileJournal } from './file-journal.ts'

const env = { clock: new VirtualClock(), random: systemRandom, log: silentLog }
const KIB = 2 ** 10

/** Records of these sizes, each stored and marked as stable before the next one comes. */
async function written(disk: SimulatedDisk, sizes: readonly number[]): Promise<void> {
  const journal = await open(disk)
  for (const [i, size] of sizes.entries()) {
    await journal.append({ key: `key ${i}`, data: Buffer.alloc(size, i + 1) })
    for (let turn = 0; turn < 10; turn++) await new Promise<void>(resolve => setImmediate(resolve))
  }
  await sees(journal, sizes)
  await journal.close()
}

const open = (disk: SimulatedDisk) => openFileJournal({ directory: 'large', env, fileSystem: disk })

/** From the beginning, and each by itself. */
async function sees(journal: Journal, sizes: readonly number[]): Promise<void> {
  const all: number[] = []
  for await (const { data } of journal.read(1)) all.push(data.length)
  expect(all).toEqual(sizes)
  for (const [i, size] of sizes.entries())
    for await (const { position, data } of journal.read(i + 1)) {
      expect([position, data.length, data[0], data.at(-1)]).toEqual([i + 1, size, i + 1, i + 1])
      break
    }
}

describe('records that are larger than the steps of the index', () => {
  it.each([
    ['one alone', [100 * KIB]],
    ['many', Array.from({ length: 20 }, () => 100 * KIB)],
    ['between small ones', [10, 200 * KIB, 10, 10, 5000 * KIB, 10]],
    ['the first and only one of a segment', [2600, 2600, 2600, 2600, 5300, 5300].map(size => size * KIB)],
  ])('are found by their position when they were marked as stable, also after opening again: %s', async (_, sizes) => {
    const disk = new SimulatedDisk()
    await written(disk, sizes)
    const again = await open(disk)
    await sees(again, sizes)
    await again.close()
  })
})
