import { expect, test } from 'vitest'
import { PreciseTimes } from './precise-times.ts'

const at = (text: string) => Date.parse(`2026-01-05T08:00:${text}Z`)
const status = (text: string) => `2026-01-05T08:00:${text}Z`

test('a step that begins and ends within a second has lasted as long as was seen', () => {
  const times = new PreciseTimes()
  expect(times.of('a/startedAt', status('42'), at('42.100'))).toBe(at('42.100'))
  // The record of its end tells of its beginning again.
  expect(times.of('a/startedAt', status('42'), at('42.350'))).toBe(at('42.100'))
  expect(times.of('a/finishedAt', status('42'), at('42.350'))).toBe(at('42.350'))
})

test('what is seen in the next second happened at the end of its own', () => {
  expect(new PreciseTimes().of('a/finishedAt', status('42'), at('43.020'))).toBe(at('42.999'))
})

test.each([
  ['was seen long after', at('50')],
  ['is ahead of the own clock', at('41')],
])('what %s is known in seconds', (_, now) => {
  expect(new PreciseTimes().of('a/startedAt', status('42'), now)).toBe(at('42'))
})

test('what begins anew has a new time', () => {
  const times = new PreciseTimes()
  times.of('a/startedAt', status('42'), at('42.100'))
  expect(times.of('a/startedAt', status('45'), at('45.700'))).toBe(at('45.700'))
  expect(times.of('b/startedAt', status('45'), at('45.800'))).toBe(at('45.800'))
})
