import { expect, it } from 'vitest'
import { createMemoryJournal } from './memory-journal.ts'

const collect = async (entries: AsyncIterable<{ position: number; data: Buffer }>) => {
  const found: string[] = []
  for await (const { position, data } of entries) found.push(`${position} ${data.toString()}`)
  return found
}

it('reads what was there, follows what comes, and stops when told to', async () => {
  const journal = createMemoryJournal()
  await journal.append({ data: 'a' })
  await journal.append({ data: 'b' })
  const stop = new AbortController()
  const following = collect(journal.follow(2, stop.signal))
  await journal.append({ data: 'c' })
  await new Promise(resolve => setImmediate(resolve))
  stop.abort()
  expect(await following).toEqual(['2 b', '3 c'])
  expect(await collect(journal.read(1))).toEqual(['1 a', '2 b', '3 c'])
})

it('a follower ends with the journal', async () => {
  const journal = createMemoryJournal()
  const following = collect(journal.follow(1, new AbortController().signal))
  await journal.close()
  expect(await following).toEqual([])
})

it('compaction leaves the last record of every key, and all from the horizon on', async () => {
  const journal = createMemoryJournal()
  await journal.append({ key: 'x', data: '1' })
  await journal.append({ data: '2' })
  await journal.append({ key: 'x', data: '3' })
  await journal.append({ key: 'y', data: '4', deleted: true })
  await journal.append({ data: '5' })
  expect(await journal.compact({ before: 5 })).toEqual({ kept: 1, dropped: 3 })
  expect(await collect(journal.read(1))).toEqual(['3 3', '5 5'])
  expect([journal.head, journal.horizon]).toEqual([5, 5])
})
