import { expect, it } from 'vitest'
import { ObjectLines } from './object-lines.ts'

function lines(limit: number) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = new ObjectLines<string>(limit, (key, work) => {
    begun.push(key + work)
    return new Promise(resolve => ends.push(resolve))
  })
  const endFirst = async () => {
    ends.shift()?.()
    await Promise.resolve()
  }
  return { work, begun, endFirst }
}

it('does one object’s work in order, one at a time, and so many objects’ at once', async () => {
  const { work, begun, endFirst } = lines(2)
  for (const entry of ['a1', 'a2', 'b1', 'c1']) work.add(entry.charAt(0), entry.charAt(1))
  expect(begun).toEqual(['a1', 'b1'])
  await endFirst()
  expect(begun).toEqual(['a1', 'b1', 'c1'])
  await endFirst()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  expect(work.size).toBe(2)
})

it('tells when everything that was there has ended, whatever comes meanwhile', async () => {
  const { work, begun, endFirst } = lines(1)
  work.add('a', '1')
  work.add('b', '1')
  let isSettled = false
  const settled = work.settled().then(() => {
    isSettled = true
  })
  await endFirst()
  work.add('a', '2')
  expect(isSettled).toBe(false)
  await endFirst()
  await settled
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  expect(work.size).toBe(1)
})

it('gives up what has not begun', async () => {
  const { work, begun, endFirst } = lines(1)
  for (const entry of ['a1', 'a2', 'b1']) work.add(entry.charAt(0), entry.charAt(1))
  const settled = work.settled()
  work.clear()
  expect(work.size).toBe(1)
  work.add('b', '2')
  await endFirst()
  await settled
  await endFirst()
  expect(begun).toEqual(['a1', 'b2'])
  expect(work.size).toBe(0)
})
