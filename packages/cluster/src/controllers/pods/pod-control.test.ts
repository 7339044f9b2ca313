import { expect, test } from 'vitest'
import { inSlowStart } from './pod-control.ts'

/** Calls and the size of the batch that each was part of. */
const watched = (failsAt: number) => {
  const batches: number[] = []
  let underWay = 0
  const act = async (item: number) => {
    underWay++
    await Promise.resolve()
    if (underWay > 0) batches.push(underWay)
    underWay = 0
    if (item === failsAt) throw new Error(`no ${item}`)
    return item
  }
  return { act, batches }
}

test('batches double as long as all goes well', async () => {
  const { act, batches } = watched(-1)
  const { done, failure } = await inSlowStart([0, 1, 2, 3, 4, 5, 6, 7, 8], act)
  expect(failure).toBeUndefined()
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(batches).toEqual([1, 2, 4, 2])
})

test('a failure ends the work after its batch', async () => {
  const { act, batches } = watched(1)
  const { done, failure } = await inSlowStart([0, 1, 2, 3, 4, 5], act)
  expect(failure?.message).toBe('no 1')
  expect(done).toEqual([0, 2])
  expect(batches).toEqual([1, 2])
})
