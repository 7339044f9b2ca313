import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLog, systemClock, systemRandom } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Event } from '../event.ts'
import type { Bus } from './bus.ts'
import { openBus } from './journal-bus.ts'

const MIB = 2 ** 20
const env = { clock: systemClock, random: systemRandom, log: silentLog }
const COUNT = 60

let directory: string
let bus: Bus

async function open(): Promise<void> {
  const limits = { maxBytes: 30 * MIB }
  bus = await openBus(await openFileJournal({ directory, env }), { env, limits })
}

beforeEach(async () => {
  directory = await mkdtemp('/var/tmp/tiphys-large-')
  await open()
})
afterEach(async () => {
  await bus.close()
  await rm(directory, { recursive: true })
})

const large = (n: number): Event => ({
  id: n.toString(16).padStart(32, '0'),
  source: 'source',
  subject: 'entry',
  type: 'webhook',
  time: '2026-01-01T00:00:00Z',
  // Not one character takes one byte.
  data: `{"n":${n},"text":"${'ü'.repeat((5 * MIB) / 2)}"}`,
})

async function bytesOnDisk(): Promise<number> {
  const files = await readdir(directory)
  // One may have been removed meanwhile.
  const sizeOf = (file: string) =>
    stat(join(directory, file)).then(
      ({ size }) => size,
      () => 0,
    )
  const sizes = await Promise.all(files.map(sizeOf))
  return sizes.reduce((sum, size) => sum + size, 0)
}

it('events of 5 MB are read back when they are wanted, and leave the disk with the events they are', async () => {
  const consumer = bus.consumer('reader')
  const ended = new AbortController()
  const deliveries = consumer.deliveries(ended.signal)[Symbol.asyncIterator]()
  let most = 0
  for (let n = 1; n <= COUNT; n++) {
    // Several wait at a time, more than are kept in memory.
    await bus.publish(large(n))
    if (n % 4 > 0) continue
    for (let of = n - 3; of <= n; of++) {
      const { value } = await deliveries.next()
      expect(value?.event).toEqual(large(of))
      consumer.done(value?.position ?? 0)
    }
    most = Math.max(most, await bytesOnDisk())
  }
  // All that was written has 300 MB. Of what is kept, and as much again of no use, there are three segments at most, and each has its
  // 64 MB before it is full.
  expect(most).toBeLessThan(220 * MIB)
  expect(bus.health()).toMatchObject({ state: 'healthy', events: 5 })
  expect(await bus.find(large(1).id)).toBeUndefined()
  ended.abort()
  await deliveries.return?.()
  await bus.close()
  await open()
  for (let n = COUNT - 4; n <= COUNT; n++) expect(await bus.find(large(n).id)).toEqual(large(n))
})
