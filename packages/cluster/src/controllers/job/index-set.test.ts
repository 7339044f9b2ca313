import { expect, test } from 'vitest'
import { IndexSet } from './index-set.ts'

test('indexes are written as short as a Job writes them', () => {
  expect(IndexSet.of([7, 1, 3, 4, 5, 8]).toString()).toBe('1,3-5,7,8')
  expect(
    IndexSet.parse('0-2,4', 10)
      .union(IndexSet.of([3]))
      .toString(),
  ).toBe('0-4')
  expect(IndexSet.empty.toString()).toBe('')
})

test('indexes beyond the completions and what cannot be read are left out', () => {
  expect(IndexSet.parse('1,x,3-9,12', 5).toString()).toBe('1,3,4')
  expect(IndexSet.parse('', 5).size).toBe(0)
})

test('the lowest missing indexes are found', () => {
  expect(IndexSet.parse('0-2,4,7', 10).firstMissing(3, 10)).toEqual([3, 5, 6])
  expect(IndexSet.parse('0-2', 4).firstMissing(3, 4)).toEqual([3])
  expect(IndexSet.empty.firstMissing(2, 5)).toEqual([0, 1])
})

test('an overlap is counted', () => {
  expect(IndexSet.parse('0-5,8', 10).overlap(IndexSet.parse('4-8', 10))).toBe(3)
})
