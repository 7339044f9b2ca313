import { delay, RetryableFailure, seededRandom, silentLog, TerminalFailure, VirtualClock } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { SimulatedDisk } from '@tiphys/journal/testing'
import { describe, expect, it } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { openBus } from '../bus/journal-bus.ts'
import { scopedMemory } from '../bus/scoped-memory.ts'
import type { Event } from '../event.ts'
import type { Action } from './action.ts'
import { parseCondition } from './condition.ts'
import { createDispatcher, type Dispatcher, type DispatcherOptions, type DispatchNote } from './dispatcher.ts'
import { retryPolicy } from './retry-policy.ts'

const idOf = (n: number) => n.toString(16).padStart(32, '0')

/** `n` names the event, `dependency` which one it is for; `key` its object. */
function event(n: number, { dependency = 'a', key }: { dependency?: string; key?: string } = {}): Event {
  const data = JSON.stringify({ n })
  const order = key === undefined ? {} : { key }
  return { id: idOf(n), source: 'source', subject: dependency, type: 'webhook', time: '', data, ...order }
}

const numbersOf = ({ events }: Action) =>
  Object.values(events)
    .map(({ data }) => (JSON.parse(data) as { n: number }).n)
    .sort((one, other) => one - other)

/** A bus on a disk that outlives dispatchers, and what they have done. */
class Stage {
  readonly clock = new VirtualClock()
  readonly env = { clock: this.clock, random: seededRandom(1), log: silentLog }
  readonly notes: DispatchNote[] = []
  readonly done: number[][] = []
  readonly #disk = new SimulatedDisk()
  bus!: Bus
  dispatcher!: Dispatcher

  async open(options: Partial<DispatcherOptions> = {}): Promise<this> {
    const journal = await openFileJournal({ directory: 'bus', env: this.env, fileSystem: this.#disk })
    this.bus = await openBus(journal, { env: this.env })
    this.dispatcher = await createDispatcher({
      env: this.env,
      consumer: this.bus.consumer('sensor/trigger', { from: 0 }),
      memory: scopedMemory(this.bus.memory, 'sensor/trigger/'),
      sensorUid: 'uid',
      trigger: 'trigger',
      condition: parseCondition('a', ['a']),
      evaluate: async one => [{ dependency: one.subject, outcome: 'passed', event: one }],
      execute: async action => {
        this.done.push(numbersOf(action))
      },
      retry: retryPolicy(undefined),
      tell: note => this.notes.push(note),
      ...options,
    })
    return this
  }

  async publish(...events: Event[]): Promise<void> {
    for (const one of events) await this.bus.publish(one)
  }

  /** Until nothing happens any more without time passing. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet++) {
      await new Promise(resolve => setImmediate(resolve))
      if (!this.dispatcher.isIdle()) quiet = -1
    }
  }

  async close(): Promise<void> {
    await this.dispatcher.stop()
    await this.bus.close()
  }

  told(type: DispatchNote['type']): number {
    return this.notes.filter(note => note.type === type).length
  }
}

describe('a dispatcher', () => {
  it('holds no more of large events than it needs', async () => {
    const clock = new VirtualClock()
    let most = 0
    const stage = await new Stage().open({
      concurrency: 1,
      execute: async () => {
        most = Math.max(most, stage.dispatcher.held)
        await delay(clock, 1)
      },
    })
    const large = 'x'.repeat(8 * 2 ** 20)
    for (let n = 1; n <= 10; n++) await stage.publish({ ...event(n), data: JSON.stringify({ n, large }) })
    for (let ms = 0; ms < 20; ms++) {
      await clock.advance(1)
      await new Promise(resolve => setImmediate(resolve))
    }
    await clock.advance(100, () => stage.settle())
    expect(stage.told('done')).toBe(10)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThan(7)
    await stage.close()
  })

  it('carries out the trigger for every event that passes', async () => {
    const stage = await new Stage().open({
      evaluate: async one =>
        one.id === idOf(2)
          ? [{ dependency: 'a', outcome: 'filtered', by: 'data' }]
          : [{ dependency: 'a', outcome: 'passed', event: one }],
    })
    await stage.publish(event(1), event(2), event(3))
    await stage.settle()
    expect(stage.done).toEqual([[1], [3]])
    expect(stage.told('filtered')).toBe(1)
    await stage.close()
  })

  it('goes on where it was after a restart, and does nothing twice', async () => {
    const stage = await new Stage().open()
    await stage.publish(event(1), event(2))
    await stage.settle()
    await stage.close()
    await stage.open()
    await stage.publish(event(3))
    await stage.settle()
    expect(stage.done).toEqual([[1], [2], [3]])
    await stage.close()
  })

  it('handles events of one key in order and one at a time, others meanwhile', async () => {
    const log: string[] = []
    const clock = new VirtualClock()
    const stage = await new Stage().open({
      execute: async action => {
        const [n] = numbersOf(action)
        log.push(`begin ${n}`)
        await delay(clock, 100)
        log.push(`end ${n}`)
      },
    })
    await stage.publish(event(1, { key: 'x' }), event(2, { key: 'x' }), event(3, { key: 'y' }))
    await clock.advance(1)
    expect(log).toEqual(['begin 1', 'begin 3'])
    await clock.advance(300)
    await stage.settle()
    expect(log.filter(line => !line.endsWith('3'))).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
    await stage.close()
  })

  it('lets a newer event take the place of waiting ones, if it may', async () => {
    const clock = new VirtualClock()
    const stage = new Stage()
    await stage.open({
      coalesces: true,
      execute: async action => {
        await delay(clock, 100)
        stage.done.push(numbersOf(action))
      },
    })
    for (let n = 1; n <= 4; n++) await stage.publish(event(n, { key: 'x' }))
    await clock.advance(500)
    await stage.settle()
    expect(stage.done).toEqual([[1], [4]])
    expect(stage.told('superseded')).toBe(2)
    await stage.close()
  })

  it('tries again what may pass by itself, however often it must', async () => {
    let failures = 3
    const stage = new Stage()
    await stage.open({
      execute: async action => {
        if (failures-- > 0) throw new RetryableFailure('away', { what: 'the server is away' })
        stage.done.push(numbersOf(action))
      },
    })
    await stage.publish(event(1))
    await stage.settle()
    expect(stage.done).toEqual([])
    await stage.clock.advance(10_000)
    await stage.settle()
    expect(stage.done).toEqual([[1]])
    expect(stage.told('parked')).toBe(0)
    await stage.close()
  })

  it('parks what fails for good, keeps it over a restart, and tries it again under the same key', async () => {
    let isBroken = true
    const keys: string[] = []
    const stage = new Stage()
    const execute = async (action: Action) => {
      keys.push(action.key)
      if (isBroken) throw new TerminalFailure('refused', { what: 'no' })
      stage.done.push(numbersOf(action))
    }
    await stage.open({ execute })
    await stage.publish(event(1, { key: 'x' }), event(2, { key: 'x' }))
    await stage.settle()
    await stage.close()
    await stage.open({ execute })
    const parked = await stage.dispatcher.parked()
    expect(parked.map(({ action, error, attempts }) => [numbersOf(action), error, attempts])).toEqual([
      [[1], 'no', 1],
      [[2], 'no', 1],
    ])
    isBroken = false
    const [first, second] = parked.map(({ action }) => action.key) as [string, string]
    expect(await stage.dispatcher.retry(first)).toBe('done')
    expect(await stage.dispatcher.discard(second, 'nobody wants it')).toBe(true)
    expect(await stage.dispatcher.retry(second)).toBe('unknown')
    expect(await stage.dispatcher.parked()).toEqual([])
    expect(stage.done).toEqual([[1]])
    expect(keys).toEqual([first, second, first])
    await stage.close()
  })

  it.each([false, true])('says which attempts a person asks for; blocks on parked: %s', async blocksOnParked => {
    const asked: boolean[] = []
    const answers: unknown[] = []
    const stage = new Stage()
    await stage.open({
      blocksOnParked,
      execute: async (action, _signal, isAskedFor) => {
        asked.push(isAskedFor)
        // A Retry that comes before it is parked is not for this attempt.
        if (asked.length === 1) answers.push(await stage.dispatcher.retry(action.key))
        throw new TerminalFailure('refused', { what: 'no' })
      },
    })
    await stage.publish(event(1))
    await stage.settle()
    const [parked] = await stage.dispatcher.parked()
    answers.push(await stage.dispatcher.retry(parked?.action.key ?? ''))
    expect({ asked, answers }).toEqual({ asked: [false, true], answers: ['unknown', 'parked'] })
    await stage.close()
  })

  it('follows a retryStrategy before it parks', async () => {
    const stage = await new Stage().open({
      retry: retryPolicy({ steps: 3, duration: '1s', factor: 2, jitter: 0 }),
      execute: async () => {
        throw new TerminalFailure('refused', { what: 'no' })
      },
    })
    await stage.publish(event(1))
    await stage.settle()
    await stage.clock.advance(999)
    expect(stage.told('attempt')).toBe(1)
    await stage.clock.advance(1)
    expect(stage.told('attempt')).toBe(2)
    await stage.clock.advance(2000)
    await stage.settle()
    expect([stage.told('attempt'), stage.told('parked')]).toEqual([3, 1])
    await stage.close()
  })

  it('holds a key behind what is parked, if it shall, also over a restart', async () => {
    let isBroken = true
    const stage = new Stage()
    const options = {
      blocksOnParked: true,
      execute: async (action: Action) => {
        if (isBroken && numbersOf(action)[0] === 1) throw new TerminalFailure('refused', { what: 'no' })
        stage.done.push(numbersOf(action))
      },
    }
    await stage.open(options)
    await stage.publish(event(1, { key: 'x' }), event(2, { key: 'x' }), event(3, { key: 'y' }))
    await stage.settle()
    expect(stage.done).toEqual([[3]])
    await stage.close()
    await stage.open(options)
    await stage.settle()
    expect(stage.done).toEqual([[3]])
    isBroken = false
    const [parked] = await stage.dispatcher.parked()
    expect(await stage.dispatcher.retry(parked?.action.key ?? '')).toBe('done')
    await stage.settle()
    expect(stage.done).toEqual([[3], [1], [2]])
    await stage.close()
  })

  it('joins events of several dependencies, also when it was restarted between them', async () => {
    const stage = new Stage()
    const condition = parseCondition('a && b', ['a', 'b'])
    await stage.open({ condition })
    await stage.publish(event(1), event(2))
    await stage.settle()
    await stage.close()
    await stage.open({ condition })
    await stage.publish(event(3, { dependency: 'b' }), event(4, { dependency: 'b' }))
    await stage.settle()
    expect(stage.done).toEqual([[2, 3]])
    expect(stage.told('superseded')).toBe(1)
    await stage.close()
  })

  it('an evaluation that throws ends its event and nothing else', async () => {
    const stage = await new Stage().open({
      evaluate: async one => {
        if (one.id === idOf(1)) throw new Error('odd')
        return [{ dependency: 'a', outcome: 'passed', event: one }]
      },
    })
    await stage.publish(event(1), event(2))
    await stage.settle()
    expect(stage.done).toEqual([[2]])
    expect(stage.told('evaluation failed')).toBe(1)
    await stage.close()
  })

  it('loses nothing and doubles no effect when it is stopped at any moment', async () => {
    const random = seededRandom(42)
    for (let round = 0; round < 20; round++) {
      const stage = new Stage()
      const effects = new Map<string, number[]>()
      const options = {
        condition: round % 2 === 0 ? parseCondition('a || b', ['a', 'b']) : parseCondition('a && b', ['a', 'b']),
        execute: async (action: Action, signal: AbortSignal) => {
          if (random.next() < 0.2) throw new RetryableFailure('away', { what: 'away' })
          effects.set(action.key, numbersOf(action))
          // The effect is there, its record is not.
          await new Promise(resolve => setImmediate(resolve))
          if (signal.aborted) throw new Error('stopped')
        },
      }
      await stage.open(options)
      for (let n = 1; n <= 30; n++) {
        await stage.publish(event(n, { dependency: n % 2 ? 'a' : 'b', key: `k${n % 3}` }))
        if (random.next() < 0.2) {
          await stage.close()
          await stage.open(options)
        }
        if (random.next() < 0.3) await stage.clock.advance(300)
      }
      for (let turn = 0; turn < 40; turn++) await stage.clock.advance(10_000, () => stage.settle())
      const happened = [...effects.values()].flat().sort((one, other) => one - other)
      const superseded = stage.notes.flatMap(note => (note.type === 'superseded' ? [Number(`0x${note.event.id}`)] : []))
      const all = [...new Set([...happened, ...superseded])].sort((one, other) => one - other)
      expect(all).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
      expect(new Set(happened).size).toBe(happened.length)
      await stage.close()
    }
  })
})
