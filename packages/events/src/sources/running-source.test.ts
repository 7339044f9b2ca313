import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { expect, it } from 'vitest'
import { MessageIntake } from './message-intake.ts'
import { runSource, whenStopped } from './running-source.ts'
import type { SourceEvent, SourceHost } from './source.ts'

const clock = new VirtualClock()
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** A bus that answers when it is told to. */
function slowBus() {
  const asked: { resolve(): void; reject(error: Error): void }[] = []
  const host = {
    env: { clock, random: systemRandom, log: silentLog },
    publish: () =>
      new Promise<'stored'>((resolve, reject) => void asked.push({ resolve: () => resolve('stored'), reject })),
    report: () => {},
  } as unknown as SourceHost
  return { asked, host }
}

const event: SourceEvent = { id: '0'.repeat(32), time: '', data: '{}' }

it('a source is idle when nothing of it is on its way to the bus', async () => {
  const { asked, host } = slowBus()
  let intake: MessageIntake | undefined
  const running = runSource(
    host,
    ({ message }) => ({ reason: 'Failed', message }),
    async (stopped, counted) => {
      intake = new MessageIntake(counted, stopped)
      await whenStopped(stopped)
    },
  )
  await turn()
  expect(running.isIdle?.()).toBe(true)
  await intake?.add(() => event)
  await intake?.add(() => event)
  expect(running.isIdle?.()).toBe(false)
  asked[0]?.resolve()
  await turn()
  expect(running.isIdle?.()).toBe(false)
  // What the bus refuses waits for its next attempt, which only time brings.
  asked[1]?.reject(new Error('full'))
  await turn()
  expect(running.isIdle?.()).toBe(true)
  await clock.advance(200)
  expect(running.isIdle?.()).toBe(false)
  asked[2]?.resolve()
  await turn()
  expect(running.isIdle?.()).toBe(true)
  await running.stop()
})
