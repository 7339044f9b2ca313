import { expect, it } from 'vitest'
import { delay } from './clock.ts'
import { VirtualClock } from './virtual-clock.ts'

it('stands still until it is told to move', async () => {
  const clock = new VirtualClock(1000)
  expect([clock.now(), clock.monotonic()]).toEqual([1000, 0])
  await clock.advance(250)
  expect([clock.now(), clock.monotonic()]).toEqual([1250, 250])
})

it('runs tasks in the order of their due times, and equal ones as they were scheduled', async () => {
  const clock = new VirtualClock(0)
  const ran: string[] = []
  const note = (name: string) => () => void ran.push(`${name} at ${clock.now()}`)
  clock.schedule(20, note('late'))
  clock.schedule(10, note('first of two'))
  clock.schedule(10, note('second of two'))
  clock.schedule(-5, note('overdue'))
  await clock.advance(20)
  expect(ran).toEqual(['overdue at 0', 'first of two at 10', 'second of two at 10', 'late at 20'])
})

it('runs on the way what a task schedules', async () => {
  const clock = new VirtualClock(0)
  const ticks: number[] = []
  const tick = () => {
    ticks.push(clock.now())
    clock.schedule(10, tick)
  }
  clock.schedule(10, tick)
  await clock.advance(35)
  expect(ticks).toEqual([10, 20, 30])
  expect(clock.waiting).toBe(1)
})

it('lets promises settle before the next task', async () => {
  const clock = new VirtualClock(0)
  const story: string[] = []
  const teller = async () => {
    await delay(clock, 10)
    story.push('told')
    await delay(clock, 10)
    story.push('told again')
  }
  const telling = teller()
  clock.schedule(15, () => story.push('between'))
  await clock.advance(20)
  await telling
  expect(story).toEqual(['told', 'between', 'told again'])
})

it('forgets a cancelled task', async () => {
  const clock = new VirtualClock(0)
  let hasRun = false
  clock.schedule(10, () => (hasRun = true)).cancel()
  await clock.advance(10)
  expect(hasRun).toBe(false)
})
