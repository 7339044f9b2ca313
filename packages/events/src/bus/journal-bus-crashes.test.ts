import { seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { crashModes, SimulatedDisk } from '@tiphys/journal/testing'
import { expect, it } from 'vitest'
import type { Event } from '../event.ts'
import type { Bus, Consumer } from './bus.ts'
import { BusFull } from './bus-failures.ts'
import { openBus } from './journal-bus.ts'

const RUNS = process.env.TIPHYS_FULL ? 200 : 12
const LIVES = 6
const MOVES = 60
const NAMES = ['a', 'b'] as const
const KEYS = ['x', 'y', 'z'] as const

interface Published {
  id: string
  isAcknowledged: boolean
}

interface Remembered {
  value: string | undefined
  /** How many events had been published before it. */
  after: number
  isAcknowledged: boolean
}

/** What is known of a bus from the outside: what was asked of it, and what it has acknowledged. */
class Model {
  published: Published[] = []
  remembered = new Map<string, Remembered[]>()
  /** Ids that a consumer has said to be done. */
  done = new Map<string, Set<string>>()
  /** For every consumer: how many publications came before it. */
  begun = new Map<string, number>()
  delivered = 0
  redelivered = 0
  crashes = 0
  refused = 0
  next = 0
}

class Life {
  readonly #bus: Bus
  readonly #model: Model
  readonly #random: () => number
  readonly #consumers = new Map<
    string,
    { consumer: Consumer; open: { position: number; id: string }[]; stop(): void }
  >()
  readonly #unsettled = new Set<Promise<unknown>>()
  readonly #acknowledged: string[] = []
  #isDead = false

  constructor(bus: Bus, model: Model, random: () => number) {
    this.#bus = bus
    this.#model = model
    this.#random = random
  }

  async move(): Promise<void> {
    const choice = this.#random()
    if (choice < 0.4) this.#publish()
    else if (choice < 0.5) this.#publishAgain()
    else if (choice < 0.62) this.#remember()
    else if (choice < 0.7) this.#openConsumer()
    else if (choice < 0.85) this.#finish()
    else await turns(Math.floor(this.#random() * 20))
  }

  async settle(): Promise<void> {
    while (this.#unsettled.size > 0) await Promise.allSettled(this.#unsettled)
    await turns(5)
  }

  /** Stands for the death of the process: whatever is said from now on nobody hears. */
  die(): void {
    this.#isDead = true
    for (const { stop } of this.#consumers.values()) stop()
  }

  #publish(): void {
    const entry: Published = { id: (this.#model.next++).toString(16).padStart(32, '0'), isAcknowledged: false }
    this.#track(
      this.#bus.publish(eventOf(entry.id)),
      outcome => {
        expect(outcome).toBe('stored')
        entry.isAcknowledged = true
        this.#acknowledged.push(entry.id)
      },
      error => {
        if (!(error instanceof BusFull)) throw error
        this.#model.refused++
        this.#model.published.splice(this.#model.published.indexOf(entry), 1)
      },
    )
    this.#model.published.push(entry)
  }

  /** What was published in an earlier life may have been dropped and forgotten. */
  #publishAgain(): void {
    const recent = this.#acknowledged.at(-1)
    if (recent) this.#track(this.#bus.publish(eventOf(recent)), outcome => expect(outcome).toBe('duplicate'))
  }

  #remember(): void {
    const key = KEYS[Math.floor(this.#random() * KEYS.length)] as string
    const history = this.#model.remembered.get(key) ?? []
    const value = this.#random() < 0.2 ? undefined : `${key}${this.#model.next++}`
    const entry: Remembered = { value, after: this.#model.published.length, isAcknowledged: false }
    history.push(entry)
    this.#model.remembered.set(key, history)
    const { memory } = this.#bus
    this.#track(value === undefined ? memory.delete(key) : memory.set(key, value), () => {
      entry.isAcknowledged = true
    })
  }

  #openConsumer(): void {
    const name = NAMES[Math.floor(this.#random() * NAMES.length)] as string
    if (this.#consumers.has(name)) return
    const { begun, done, published } = this.#model
    if (!begun.has(name)) {
      begun.set(name, published.length)
      done.set(name, new Set())
    }
    const consumer = this.#bus.consumer(name)
    const abort = new AbortController()
    const open: { position: number; id: string }[] = []
    this.#consumers.set(name, { consumer, open, stop: () => abort.abort() })
    const run = async () => {
      let last = 0
      for await (const { position, event } of consumer.deliveries(abort.signal)) {
        if (abort.signal.aborted) return
        expect(position, 'in order, and once while it is open').toBeGreaterThan(last)
        last = position
        this.#model.delivered++
        if (done.get(name)?.has(event.id)) this.#model.redelivered++
        open.push({ position, id: event.id })
      }
    }
    run().catch(error => {
      if (!abort.signal.aborted) throw error
    })
  }

  #finish(): void {
    for (const [name, { consumer, open }] of this.#consumers) {
      if (open.length === 0) continue
      const [{ position, id }] = open.splice(Math.floor(this.#random() * open.length), 1) as [
        { position: number; id: string },
      ]
      consumer.done(position)
      this.#model.done.get(name)?.add(id)
    }
  }

  /** What a dead process is told nobody hears. */
  #track<T>(
    promise: Promise<T>,
    onValue: (value: T) => void,
    onError = (error: unknown): void => {
      throw error
    },
  ): void {
    const tracked = promise.then(
      value => (this.#isDead ? undefined : onValue(value)),
      error => (this.#isDead ? undefined : onError(error)),
    )
    this.#unsettled.add(tracked)
    void tracked.finally(() => this.#unsettled.delete(tracked))
  }
}

function eventOf(id: string): Event {
  return { id, source: 's', subject: 'e', type: 'webhook', time: '2024-01-01T00:00:00Z', data: `{"id":"${id}"}` }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise<void>(resolve => setImmediate(resolve))
}

const LIMITS = { maxEvents: 25, garbageBytes: 2000 }

async function check(bus: Bus, model: Model): Promise<void> {
  const stored: string[] = []
  for await (const { event } of bus.events()) stored.push(event.id)
  expect(new Set(stored).size, 'nothing is stored twice').toBe(stored.length)

  const order = new Map(model.published.map(({ id }, i) => [id, i]))
  const ranks = stored.map(id => order.get(id) ?? -1)
  expect(ranks, 'in the order of publication').toEqual(ranks.toSorted((a, b) => a - b))

  for (const [name, begun] of model.begun) {
    if (!bus.consumers.includes(name)) continue
    const done = model.done.get(name)
    const owed = model.published
      .slice(begun)
      .filter(({ id, isAcknowledged }) => isAcknowledged && !done?.has(id))
      .map(({ id }) => id)
    const consumer = bus.consumer(name)
    const abort = new AbortController()
    const deliveries: string[] = []
    const { backlog } = consumer
    if (backlog > 0)
      for await (const { event } of consumer.deliveries(abort.signal)) {
        deliveries.push(event.id)
        if (deliveries.length === backlog) abort.abort()
      }
    expect(deliveries, `${name} gets what it has not handled`).toEqual(expect.arrayContaining(owed))
    const ranks = deliveries.map(id => order.get(id) ?? -1)
    expect(ranks, `${name} gets it in order`).toEqual(ranks.toSorted((a, b) => a - b))
    await consumer.close()
  }
  for (const [key, history] of model.remembered) await checkMemory(bus, model, key, history)
}

/** The value that was acknowledged last is there, or one that was set later and came as far as the events before it. */
async function checkMemory(bus: Bus, { published }: Model, key: string, history: Remembered[]): Promise<void> {
  const value = await bus.memory.get(key)
  const firstPossible = Math.max(
    0,
    history.findLastIndex(({ isAcknowledged }) => isAcknowledged),
  )
  const possible = history.slice(firstPossible).map(entry => entry.value)
  if (!history.some(({ isAcknowledged }) => isAcknowledged)) possible.push(undefined)
  expect(possible).toContain(value)
  const { after = 0 } = history.findLast(entry => entry.value === value) ?? {}
  if (value === undefined) return
  for (const { id, isAcknowledged } of published.slice(0, after))
    if (!isAcknowledged) expect(await bus.find(id), 'no value without the events before it').toBeDefined()
}

async function live(seed: number, plantedBug: SimulatedDisk['options'] = {}): Promise<Model> {
  const random = seededRandom(seed)
  const model = new Model()
  let disk = new SimulatedDisk(plantedBug)
  for (let life = 0; life < LIVES; life++) {
    const env = { clock: new VirtualClock(), random, log: silentLog }
    const open = async (fileSystem: SimulatedDisk) =>
      openBus(await openFileJournal({ directory: 'bus', env, fileSystem, segmentBytes: 2048 }), { env, limits: LIMITS })
    const bus = await open(disk)
    const current = new Life(bus, model, random.next)
    for (let i = 0; i < MOVES; i++) {
      await current.move()
      if (random.next() < 0.1) await env.clock.advance(60)
    }
    if (random.next() < 0.3) await current.settle()
    disk = disk.crash(crashModes[Math.floor(random.next() * crashModes.length)] ?? 'none', random)
    disk.options = plantedBug
    current.die()
    model.crashes++
    const checked = await open(disk.copy())
    try {
      await check(checked, model)
    } catch (error) {
      throw new Error(`seed ${seed}, life ${life}: ${(error as Error).message}`, { cause: error })
    }
    await forget(checked, model)
    await checked.close()
    await bus.close()
  }
  return model
}

it('loses nothing, doubles nothing and keeps the order, whenever it dies', { timeout: 300_000 }, async () => {
  const total = { delivered: 0, redelivered: 0, crashes: 0, refused: 0 }
  for (let seed = 1; seed <= RUNS; seed++) {
    const model = await live(seed)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += model[name]
  }
  expect(total.crashes).toBe(RUNS * LIVES)
  expect(total.delivered).toBeGreaterThan(RUNS * 50)
  expect(total.redelivered, 'the fault really happened').toBeGreaterThan(RUNS / 4)
  expect(total.refused).toBeGreaterThan(RUNS / 4)
})

it('this test notices a disk that only pretends to sync', async () => {
  const outcomes = await Promise.allSettled([1, 2, 3].map(seed => live(seed, { ignoresSync: true })))
  expect(outcomes.map(({ status }) => status)).toContain('rejected')
})

/** What was not acknowledged and is not there did not happen. What is there did. */
async function forget(bus: Bus, model: Model): Promise<void> {
  const stored = new Set<string>()
  for await (const { event } of bus.events()) stored.add(event.id)
  const lost = new Set(model.published.filter(({ id, isAcknowledged }) => !isAcknowledged && !stored.has(id)))
  for (const [name, begun] of model.begun) {
    if (!bus.consumers.includes(name)) {
      model.begun.delete(name)
      continue
    }
    model.begun.set(name, begun - model.published.slice(0, begun).filter(entry => lost.has(entry)).length)
  }
  model.published = model.published.filter(entry => !lost.has(entry))
  for (const entry of model.published) entry.isAcknowledged = true
  for (const key of model.remembered.keys()) {
    const value = await bus.memory.get(key)
    model.remembered.set(key, [{ value, after: 0, isAcknowledged: true }])
  }
}
