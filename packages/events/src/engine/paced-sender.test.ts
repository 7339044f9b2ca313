import { delay, silentLog, systemRandom, TerminalFailure, VirtualClock } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { SimulatedDisk } from '@tiphys/journal/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { BusFull } from '../bus/bus-failures.ts'
import { type BusLimits, openBus } from '../bus/journal-bus.ts'
import type { Event } from '../event.ts'
import { PacedSender } from './paced-sender.ts'

let clock: VirtualClock
let stopping: AbortController
let stored: string[]
let heldBack: (string | undefined)[]
beforeEach(() => {
  clock = new VirtualClock()
  stopping = new AbortController()
  stored = []
  heldBack = []
})

const event = (number: number, data = '{}'): Event => ({
  id: String(number),
  source: 'web',
  subject: 'call',
  type: 'webhook',
  time: '2026-01-01T00:00:00Z',
  data,
})
const many = (count: number) => Array.from({ length: count }, (_, i) => event(i))
const idsOf = (events: readonly Event[]) => events.map(({ id }) => id)

function senderTo(bus: Pick<Bus, 'publish'>, rate: number): PacedSender {
  return new PacedSender({
    clock,
    bus,
    rate,
    signal: stopping.signal,
    pause: ms => delay(clock, ms, stopping.signal).catch(() => {}),
    onStored: ({ id }) => void stored.push(id),
    onHeldBack: async why => void heldBack.push(why?.message),
  })
}

async function sendAll(sender: PacedSender, events: readonly Event[]): Promise<void> {
  for (const one of events) await sender.send(one)
  await sender.stored()
}

/** A bus whose disk takes so long; when each event was handed to it. */
function slowBus(ms: () => number) {
  const times: number[] = []
  const bus = {
    publish: async () => {
      times.push(clock.monotonic())
      await delay(clock, ms())
      return 'stored' as const
    },
  }
  return { bus, times }
}

describe('a paced sender', () => {
  it.each([
    [10, 50],
    [50, 15],
    [1000, 10],
    [10_000, 12],
  ])('sends %i a second in their order, though each takes %i ms to be stored', async (rate, ms) => {
    const { bus, times } = slowBus(() => ms)
    const events = many(2 * rate + 1)
    const all = sendAll(senderTo(bus, rate), events)
    await clock.advance(10_000)
    await all
    expect(stored).toEqual(idsOf(events))
    const tookMs = times.at(-1) as number
    expect(tookMs).toBeGreaterThan(1600)
    expect(tookMs).toBeLessThan(2400)
  })

  it('sends no flood after the bus was held up', async () => {
    let first = 5000
    const { bus, times } = slowBus(() => {
      const ms = first
      first = 1
      return ms
    })
    const all = sendAll(senderTo(bus, 100), many(300))
    await clock.advance(20_000)
    await all
    const after = times.slice(1)
    const inFirstSecond = after.filter(time => time < (after[0] as number) + 1000)
    expect(inFirstSecond.length).toBeGreaterThan(80)
    expect(inFirstSecond.length).toBeLessThan(125)
  })

  it('does not count what the bus has already', async () => {
    const known = new Set(idsOf(many(5000)))
    const bus = { publish: async ({ id }: Event) => (known.has(id) ? ('duplicate' as const) : ('stored' as const)) }
    const all = sendAll(senderTo(bus, 1), many(5002))
    await clock.advance(2000)
    await all
    expect(stored).toHaveLength(5002)
  })

  it('stops with the first that cannot be stored, and tells why', async () => {
    const tried: string[] = []
    const publish = async ({ id }: Event) => {
      tried.push(id)
      if (id === '2') throw new TerminalFailure('bus-closed', { what: 'it is closed' })
      return 'stored' as const
    }
    const sender = senderTo({ publish }, 10_000)
    await clock.advance(1000)
    await expect(sendAll(sender, many(5))).rejects.toThrow('it is closed')
    expect([tried, stored]).toEqual([
      ['0', '1', '2'],
      ['0', '1'],
    ])
  })

  it('ends while it waits, when it is told to', async () => {
    const publish = async () => {
      throw new BusFull('slow', 1, 'it holds 1 event')
    }
    const all = sendAll(senderTo({ publish }, 1), many(2))
    await clock.advance(3000)
    stopping.abort()
    await all
    expect(stored).toEqual([])
  })

  describe('to a bus that is full', () => {
    const open = async (limits: BusLimits) =>
      openBus(
        await openFileJournal({
          directory: 'bus',
          env: { clock, random: systemRandom, log: silentLog },
          fileSystem: new SimulatedDisk(),
        }),
        { env: { clock, random: systemRandom, log: silentLog }, limits },
      )
    /** Handles one after the other; what it has seen. */
    const handleAll = async (bus: Bus, count: number): Promise<string[]> => {
      const seen: string[] = []
      const consumer = bus.consumer('slow', { from: 0 })
      for await (const { position, event } of consumer.deliveries(new AbortController().signal)) {
        seen.push(event.id)
        consumer.done(position)
        if (seen.length === count) break
      }
      await consumer.close()
      return seen
    }

    it.each<[string, BusLimits]>([
      ['events', { maxEvents: 3 }],
      ['bytes', { maxBytes: 3000 }],
    ])('waits for room (%s), says so, and lets no smaller one pass', async (_, limits) => {
      const bus = await open(limits)
      await bus.consumer('slow').close()
      const events = [0, 1, 2, 3, 4, 5, 6, 7].map(number => event(number, number % 2 ? '{}' : 'x'.repeat(1400)))
      const all = sendAll(senderTo(bus, 10_000), events)
      await clock.advance(1000)
      const before = [...stored]
      expect(before.length).toBeGreaterThan(0)
      expect(before.length).toBeLessThan(events.length)
      expect(heldBack[0]).toMatch(/takes no more events.*slow has \d of them still to handle/)
      const handled = handleAll(bus, events.length)
      while (stored.length < events.length) await clock.advance(1000)
      await all
      expect(stored).toEqual(idsOf(events))
      expect(await handled).toEqual(idsOf(events))
      expect(heldBack.at(-1)).toBeUndefined()
      await bus.close()
    })
  })
})
