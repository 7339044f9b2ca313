import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { SimulatedDisk } from '@tiphys/journal/testing'
import { describe, expect, it } from 'vitest'
import type { Event } from '../event.ts'
import type { Bus, Consumer } from './bus.ts'
import { BusFull } from './bus-failures.ts'
import { type BusLimits, openBus } from './journal-bus.ts'

const clock = new VirtualClock()
const env = { clock, random: systemRandom, log: silentLog }

async function open(disk = new SimulatedDisk(), limits: BusLimits = {}): Promise<Bus> {
  const journal = await openFileJournal({ directory: 'bus', env, fileSystem: disk, segmentBytes: 4096 })
  return openBus(journal, { env, limits })
}

const idOf = (n: number) => n.toString(16).padStart(32, '0')

function event(n: number, data = `{"n":${n}}`): Event {
  return { id: idOf(n), source: 'example', subject: 'entry', type: 'webhook', time: '2024-01-01T00:00:00Z', data }
}

async function publish(bus: Bus, ...numbers: number[]): Promise<void> {
  for (const n of numbers) await bus.publish(event(n))
}

async function take(consumer: Consumer, count: number): Promise<{ position: number; event: Event }[]> {
  const taken: { position: number; event: Event }[] = []
  const abort = new AbortController()
  for await (const delivery of consumer.deliveries(abort.signal)) {
    taken.push(delivery)
    if (taken.length === count) break
  }
  return taken
}

const dataOf = (deliveries: { event: Event }[]) => deliveries.map(({ event }) => JSON.parse(event.data).n as number)

async function all(bus: Bus): Promise<number[]> {
  const found: number[] = []
  for await (const { event } of bus.events()) found.push(JSON.parse(event.data).n)
  return found
}

describe('events', () => {
  it('come back as they were published, whatever is in them', async () => {
    const disk = new SimulatedDisk()
    const bus = await open(disk)
    const odd: Event = {
      ...event(1, '{"text":"zwei\\nZeilen\n","big":12345678901234567890}'),
      key: 'Pod default/a',
      object: { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7' },
      replayOf: idOf(9),
    }
    expect(await bus.publish(odd)).toBe('stored')
    expect(await bus.find(odd.id)).toEqual(odd)
    await bus.close()
    const again = await open(disk)
    expect(await again.find(odd.id)).toEqual(odd)
    expect(await again.find(idOf(2))).toBeUndefined()
    await again.close()
  })

  it('are stored once, also when they are published again after a restart or at the same time', async () => {
    const disk = new SimulatedDisk()
    const bus = await open(disk)
    expect(await Promise.all([bus.publish(event(1)), bus.publish(event(1))])).toEqual(['stored', 'duplicate'])
    expect(await bus.publish(event(1))).toBe('duplicate')
    await bus.close()
    const again = await open(disk)
    expect(await again.publish(event(1))).toBe('duplicate')
    expect(await all(again)).toEqual([1])
    await again.close()
  })
})

describe('a consumer', () => {
  it('sees what is published after it was first opened', async () => {
    const bus = await open()
    await publish(bus, 1, 2)
    const consumer = bus.consumer('sensor/trigger')
    expect(consumer.backlog).toBe(0)
    await publish(bus, 3, 4)
    expect(consumer.backlog).toBe(2)
    expect(dataOf(await take(consumer, 2))).toEqual([3, 4])
    await bus.close()
  })

  it('can begin earlier', async () => {
    const bus = await open()
    await publish(bus, 1)
    const from = bus.head
    await publish(bus, 2, 3)
    expect(dataOf(await take(bus.consumer('late', { from }), 2))).toEqual([2, 3])
    await bus.close()
  })

  it('gets again what it has not handled, in order, and goes on', async () => {
    const disk = new SimulatedDisk()
    const bus = await open(disk)
    const consumer = bus.consumer('c')
    await publish(bus, 1, 2, 3, 4)
    const [, second, , fourth] = await take(consumer, 4)
    consumer.done(second?.position ?? 0)
    consumer.done(fourth?.position ?? 0)
    await bus.close()

    const again = await open(disk)
    const reopened = again.consumer('c')
    expect(reopened.backlog).toBe(2)
    await publish(again, 5)
    expect(dataOf(await take(reopened, 3))).toEqual([1, 3, 5])
    await again.close()
  })

  it('is told of new events while it waits', async () => {
    const bus = await open()
    const consumer = bus.consumer('c')
    const waiting = take(consumer, 2)
    await publish(bus, 1)
    await publish(bus, 2)
    expect(dataOf(await waiting)).toEqual([1, 2])
    await bus.close()
  })

  it('ends when the signal is aborted, when it is closed, and with the bus', async () => {
    const bus = await open()
    const abort = new AbortController()
    const drain = async (consumer: Consumer, signal = new AbortController().signal) => {
      for await (const _ of consumer.deliveries(signal)) throw new Error('there is nothing to deliver')
    }
    const first = bus.consumer('a')
    const endings = [drain(first, abort.signal), drain(bus.consumer('b')), drain(bus.consumer('c'))]
    abort.abort()
    await endings[0]
    await first.close()
    bus.consumer('a')
    await bus.removeConsumer('b')
    await endings[1]
    expect(bus.consumers).toEqual(['a', 'c'])
    await bus.close()
    await endings[2]
  })

  it('is open once at a time', async () => {
    const bus = await open()
    bus.consumer('c')
    expect(() => bus.consumer('c')).toThrow('The consumer c is open already')
    await bus.close()
  })

  it('stores what is done soon, without being asked', async () => {
    const disk = new SimulatedDisk()
    const bus = await open(disk)
    const consumer = bus.consumer('c')
    await publish(bus, 1, 2)
    for (const { position } of await take(consumer, 2)) consumer.done(position)
    await clock.advance(100)
    const again = await open(disk.crash('none', systemRandom))
    expect(again.consumer('c').backlog).toBe(0)
    await again.close()
    await bus.close()
  })

  it('that comes later reads what the others have read, and everybody finds it', async () => {
    const bus = await open()
    const [early, late] = [bus.consumer('early'), bus.consumer('late')]
    await publish(bus, 1, 2)
    const stop = new AbortController()
    const reading = early.deliveries(stop.signal)[Symbol.asyncIterator]()
    await reading.next()
    await reading.next()
    const waiting = reading.next()
    expect(dataOf(await take(late, 2))).toEqual([1, 2])
    await publish(bus, 3)
    expect((await waiting).value.event).toEqual(event(3))
    // Nothing of it is held for anybody any more.
    const last = reading.next()
    expect(await bus.find(idOf(2))).toEqual(event(2))
    expect(dataOf(await take(bus.consumer('new', { from: 0 }), 3))).toEqual([1, 2, 3])
    stop.abort()
    await last
    await bus.close()
  })

  it('reads far back without keeping events in memory', async () => {
    const bus = await open()
    const consumer = bus.consumer('c')
    const body = JSON.stringify('x'.repeat(100_000))
    for (let n = 1; n <= 100; n++) await bus.publish(event(n, `{"n":${n},"body":${body}}`))
    expect(dataOf(await take(consumer, 100))).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    await bus.close()
  })
})

describe('retention', () => {
  it('drops the oldest events that everybody has handled', async () => {
    const bus = await open(undefined, { maxEvents: 3 })
    const consumer = bus.consumer('c')
    await publish(bus, 1, 2, 3)
    for (const { position } of await take(consumer, 3)) consumer.done(position)
    await publish(bus, 4, 5)
    expect(await all(bus)).toEqual([3, 4, 5])
    expect(await bus.find(idOf(1))).toBeUndefined()
    await bus.close()
  })

  it('refuses rather than drop what is not handled, and names who is slow', async () => {
    const bus = await open(undefined, { maxEvents: 2 })
    bus.consumer('fast')
    const slow = bus.consumer('slow')
    await publish(bus, 1, 2)
    await expect(bus.publish(event(3))).rejects.toThrow(BusFull)
    const fast = bus.health()
    expect(fast).toMatchObject({ state: 'full', events: 2 })
    await bus.removeConsumer('fast')
    expect(bus.health()).toMatchObject({ state: 'full', slowest: 'slow' })
    const [first] = await take(slow, 1)
    slow.done(first?.position ?? 0)
    expect(await bus.publish(event(3))).toBe('stored')
    expect(await all(bus)).toEqual([2, 3])
    await bus.close()
  })

  it('is not held up by one event that stays unhandled', async () => {
    const bus = await open(undefined, { maxEvents: 3 })
    const consumer = bus.consumer('c')
    await publish(bus, 1)
    const [stuck] = await take(consumer, 1)
    const abort = new AbortController()
    const running = (async () => {
      for await (const { position } of consumer.deliveries(abort.signal))
        if (position !== stuck?.position) consumer.done(position)
    })()
    for (let n = 2; n <= 50; n++) await bus.publish(event(n))
    expect(await all(bus)).toEqual([1, 49, 50])
    abort.abort()
    await running
    await bus.close()
  })

  it('still knows an event that it has just dropped, also after a restart', async () => {
    const disk = new SimulatedDisk()
    const bus = await open(disk, { maxEvents: 1 })
    await publish(bus, 1, 2)
    expect(await all(bus)).toEqual([2])
    expect(await bus.publish(event(1))).toBe('duplicate')
    await bus.close()
    const again = await open(disk, { maxEvents: 1 })
    expect(await again.publish(event(1))).toBe('duplicate')
    expect(await all(again)).toEqual([2])
    await again.close()
  })

  it('counts bytes', async () => {
    const bus = await open(undefined, { maxBytes: 4000 })
    for (let n = 1; n <= 10; n++) await bus.publish(event(n, `{"n":${n},"x":"${'x'.repeat(1000)}"}`))
    expect(await all(bus)).toEqual([8, 9, 10])
    bus.consumer('c', { from: 0 })
    await expect(bus.publish(event(11, `{"n":11,"x":"${'x'.repeat(1000)}"}`))).rejects.toThrow('4000 bytes')
    await bus.close()
  })

  it('drops what is too old, and only if it was handled', async () => {
    const bus = await open(undefined, { maxAgeMs: 3_600_000 })
    await publish(bus, 1)
    const consumer = bus.consumer('c')
    await publish(bus, 2, 3)
    const [second] = await take(consumer, 1)
    consumer.done(second?.position ?? 0)
    await clock.advance(3_700_000)
    expect(await all(bus)).toEqual([3])
    await bus.close()
  })

  it('lets the journal shrink, whatever the order of events and values was', async () => {
    const disk = new SimulatedDisk()
    const bus = await open(disk, { maxEvents: 5, garbageBytes: 20_000 })
    const size = () => disk.paths.reduce((sum, path) => sum + disk.content(path).length, 0)
    await bus.memory.set('first', 'kept')
    let largest = 0
    for (let n = 1; n <= 300; n++) {
      await bus.publish(event(n, `{"n":${n},"x":"${'x'.repeat(500)}"}`))
      await bus.memory.set('churn', `${n}${'y'.repeat(500)}`)
      largest = Math.max(largest, size())
    }
    // All that was written has more than 300,000 bytes; segments double up to 4 KiB and are sealed by compaction.
    expect(largest).toBeLessThan(120_000)
    await bus.close()
    const again = await open(disk)
    expect(await all(again)).toEqual([296, 297, 298, 299, 300])
    expect(await again.memory.get('first')).toBe('kept')
    expect((await again.memory.get('churn'))?.slice(0, 4)).toBe('300y')
    await again.close()
  })
})

describe('memory', () => {
  it('answers with the last value that was set, at once and after a restart', async () => {
    const disk = new SimulatedDisk()
    const { memory, ...bus } = await open(disk).then(bus => ({ memory: bus.memory, close: () => bus.close() }))
    const setting = memory.set('a/1', 'one')
    expect(await memory.get('a/1')).toBe('one')
    await setting
    await Promise.all([
      memory.set('a/1', 'two'),
      memory.set('a/1', 'three'),
      memory.set('a/2', ''),
      memory.set('b', 'x'),
    ])
    expect(await memory.get('a/1')).toBe('three')
    await memory.delete('b')
    expect(await memory.get('b')).toBeUndefined()
    await bus.close()
    const again = await open(disk)
    expect(await again.memory.get('a/1')).toBe('three')
    expect(await again.memory.get('a/2')).toBe('')
    expect(again.memory.keys('')).toEqual(['a/1', 'a/2'])
    const entries = []
    for await (const entry of again.memory.entries('a/')) entries.push(entry)
    expect(entries).toEqual([
      { key: 'a/1', value: 'three' },
      { key: 'a/2', value: '' },
    ])
    await again.close()
  })

  it('is not refused by a full bus', async () => {
    const bus = await open(undefined, { maxEvents: 1 })
    bus.consumer('c')
    await publish(bus, 1)
    await bus.memory.set('a', '1')
    expect(await bus.memory.get('a')).toBe('1')
    await bus.close()
  })
})

it('says that it cannot be written, and refuses from then on', async () => {
  const disk = new SimulatedDisk()
  const bus = await open(disk)
  disk.options.before = operation => {
    if (operation.startsWith('sync')) throw Object.assign(new Error('EIO'), { code: 'EIO' })
  }
  await expect(bus.publish(event(1))).rejects.toThrow('could not be written')
  expect(bus.health()).toMatchObject({ state: 'unreachable' })
  await expect(bus.publish(event(1))).rejects.toThrow('could not be written')
  await bus.close().catch(() => {})
})
