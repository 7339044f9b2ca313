import { expect, test } from 'vitest'
import { resolveIntOrPercent } from './int-or-percent.ts'

test.each([
  [2, 10, 'up', 2],
  ['25%', 10, 'up', 3],
  ['25%', 10, 'down', 2],
  ['0%', 10, 'up', 0],
  ['100%', 7, 'down', 7],
  ['29%', 100, 'up', 29],
  [undefined, 10, 'up', 0],
  ['many', 10, 'up', 0],
] as const)('%s of %i, rounded %s, is %i', (value, total, round, expected) => {
  expect(resolveIntOrPercent(value, total, round)).toBe(expected)
})
