import { VirtualClock } from '@tiphys/env'
import { expect, it } from 'vitest'
import { Repeats } from './repeats.ts'

it('repeats of one event are told ever more seldom', () => {
  const repeats = new Repeats(new VirtualClock())
  const told = Array.from({ length: 2000 }, () => repeats.note('a')).filter(times => times !== undefined)
  expect(told).toEqual([1, 10, 100, 1000])
})

it('repeats of many events are told of a few a minute, and forgotten', async () => {
  const clock = new VirtualClock()
  const repeats = new Repeats(clock)
  const tell = () =>
    Array.from({ length: 5000 }, (_, i) => repeats.note(`event-${i}`)).filter(times => times !== undefined)
  expect(tell()).toHaveLength(60)
  expect(tell()).toHaveLength(0)
  await clock.advance(60_000)
  expect(tell()).toHaveLength(60)
})
