import { asError, type Env, type Timer } from '@tiphys/env'
import type { Journal, JournalRecord } from '@tiphys/journal'
import type { Event } from '../event.ts'
import type { Bus, BusHealth, Consumer, Memory } from './bus.ts'
import { BusFull, busClosed, consumerIsOpen } from './bus-failures.ts'
import { ConsumerPosition } from './consumer-position.ts'
import { EventLog, type StoredEvent } from './event-log.ts'
import { decodeEvent, decodeHeader, encodeEvent } from './event-record.ts'
import { JournalConsumer } from './journal-consumer.ts'
import { JournalMemory } from './journal-memory.ts'
import { JournalReader } from './journal-reader.ts'

/** How much the bus keeps. What is over and was handled by every consumer goes, the oldest first; what is over and was
 *  not makes the bus full. Age never makes it full. */
export interface BusLimits {
  maxEvents?: number
  maxBytes?: number
  maxAgeMs?: number
  /** The journal is compacted when so many bytes of it, and half of it, are of no more use. */
  garbageBytes?: number
}

export interface BusOptions {
  env: Env
  limits?: BusLimits
}

/** Upstream's, and a size that a disk has. */
const DEFAULT_LIMITS: Required<BusLimits> = {
  maxEvents: 50_000,
  maxBytes: 2 ** 30,
  maxAgeMs: 168 * 3_600_000,
  garbageBytes: 16 * 2 ** 20,
}

const HOUSEKEEPING_MS = 60_000
const RECENT_BYTES = 4 * 2 ** 20

/** Kinds of records by the first characters of their key. Events have keys too, so that compaction keeps those that are
 *  still wanted, wherever they are, and a consumer that stands still holds back nothing but what it has to handle. */
const EVENT = 'e/'
const MEMORY = 'm/'
const CONSUMER = 'c/'

/** Opens the bus in a journal, which is the bus' own from then on. */
export async function openBus(journal: Journal, { env, limits = {} }: BusOptions): Promise<Bus> {
  const bus = new JournalBus(journal, env, { ...DEFAULT_LIMITS, ...limits })
  await bus.restore()
  return bus
}

interface Publication {
  event: Event
  bytes: number
  at: number
  outcome: Promise<'stored'>
  settled: { position: number } | { error: unknown } | undefined
  resolve(outcome: 'stored'): void
  reject(error: unknown): void
}

class JournalBus implements Bus {
  readonly memory: Memory
  readonly #memory: JournalMemory
  readonly #journal: Journal
  readonly #env: Env
  readonly #limits: Required<BusLimits>
  readonly #log = new EventLog(RECENT_BYTES)
  readonly #positions = new Map<string, ConsumerPosition>()
  readonly #positionBytes = new Map<string, number>()
  readonly #open = new Map<string, JournalConsumer>()
  /** By event id, in the order of the calls. */
  readonly #publications = new Map<string, Publication>()
  #publishingBytes = 0
  readonly #waiting = new Set<() => void>()
  /** Bytes of records that compaction would keep, and of all records. */
  #liveBytes = 0
  #allBytes = 0
  #compacting: Promise<void> | undefined
  #housekeeping: Timer | undefined
  #trouble: { since: number; why: Error } | undefined
  #isClosed = false
  #head = 0

  constructor(journal: Journal, env: Env, limits: Required<BusLimits>) {
    this.#journal = journal
    this.#env = env
    this.#limits = limits
    this.#memory = new JournalMemory(
      {
        journal,
        append: record => this.#append(record),
        onLiveBytes: change => {
          this.#liveBytes += change
        },
      },
      MEMORY,
    )
    this.memory = this.#memory
  }

  async restore(): Promise<void> {
    const events = new Map<string, StoredEvent>()
    for await (const { position, key = '', data, deleted } of this.#journal.read(1)) {
      this.#allBytes += data.length
      const name = key.slice(EVENT.length)
      if (key.startsWith(MEMORY)) this.#memory.restore({ position, key, data, deleted })
      else if (key.startsWith(CONSUMER)) this.#restoreConsumer(name, deleted ? undefined : data)
      else if (deleted) {
        events.delete(name)
        this.#log.noteDropped(name)
      } else {
        this.#head = position
        if (!events.has(name)) events.set(name, { id: name, position, bytes: data.length, at: decodeHeader(data).at })
      }
    }
    for (const event of events.values()) {
      this.#log.add(event)
      this.#liveBytes += event.bytes
    }
    for (const consumer of this.#positions.values()) consumer.forget(position => this.#log.has(position))
    this.#dropWhatIsOver()
    this.#keepHouse()
  }

  get head(): number {
    return this.#head
  }

  publish(event: Event): Promise<'stored' | 'duplicate'> {
    if (this.#isClosed) return Promise.reject(busClosed())
    if (this.#log.knows(event.id)) return Promise.resolve('duplicate')
    const sameId = this.#publications.get(event.id)
    if (sameId) return sameId.outcome.then(() => 'duplicate')
    const at = this.#env.clock.now()
    const record = encodeEvent(event, at)
    const bytes = Buffer.byteLength(record)
    try {
      this.#makeRoom(bytes)
    } catch (error) {
      return Promise.reject(error)
    }
    const { promise: outcome, resolve, reject } = deferred<'stored'>()
    const publication: Publication = { event, bytes, at, outcome, settled: undefined, resolve, reject }
    this.#publications.set(event.id, publication)
    this.#publishingBytes += bytes
    this.#append({ key: EVENT + event.id, data: record }).then(
      position => this.#settle(publication, { position }),
      error => this.#settle(publication, { error }),
    )
    return outcome
  }

  consumer(name: string, { from, also = [] }: { from?: number; also?: readonly number[] } = {}): Consumer {
    if (this.#isClosed) throw busClosed()
    if (this.#open.has(name)) throw consumerIsOpen(name)
    const known = this.#positions.get(name)
    const position = known ?? new ConsumerPosition(from ?? this.#head, also)
    const consumer = new JournalConsumer(name, position, {
      clock: this.#env.clock,
      log: this.#log,
      reader: () => this.#eventReader(),
      onAllRead: () => this.#forgetWhatAllHaveRead(),
      progress: signal => this.#progress(signal),
      store: () => this.#storePosition(name, position),
      onClosed: () => this.#open.delete(name),
      onStoreFailed: error => this.#env.log.warn('could not store the position of a consumer', { name, error }),
    })
    this.#positions.set(name, position)
    this.#open.set(name, consumer)
    // Whoever publishes after this call is stored after this record: no event can be there without its consumer.
    if (!known)
      this.#storePosition(name, position).catch(error =>
        this.#env.log.warn('could not store a new consumer', { name, error }),
      )
    return consumer
  }

  async removeConsumer(name: string): Promise<void> {
    this.#open.get(name)?.end()
    this.#open.delete(name)
    if (!this.#positions.delete(name)) return
    this.#setPositionBytes(name, 0)
    await this.#append({ key: CONSUMER + name, data: '', deleted: true })
  }

  get consumers(): readonly string[] {
    return [...this.#positions.keys()]
  }

  async find(id: string): Promise<Event | undefined> {
    const stored = this.#log.get(id)
    if (!stored) return undefined
    const recent = this.#log.recent(stored.position)
    if (recent) return recent
    const reader = this.#eventReader()
    try {
      return await reader.at(stored.position)
    } finally {
      await reader.close()
    }
  }

  firstSince(time: number): number {
    return this.#log.firstSince(time)?.position ?? this.#head + 1
  }

  async *events(from = 1): AsyncIterable<{ position: number; event: Event }> {
    for await (const { position, key, data } of this.#journal.read(from)) {
      if (!key?.startsWith(EVENT)) continue
      if (this.#log.get(key.slice(EVENT.length))?.position === position) yield { position, event: decodeEvent(data) }
    }
  }

  health(): BusHealth {
    if (this.#trouble) return { state: 'unreachable', ...this.#trouble }
    const { count: events, bytes } = this.#log
    const { maxEvents, maxBytes } = this.#limits
    const isFull = (events >= maxEvents || bytes >= maxBytes) && this.#isAllHeld()
    return isFull
      ? { state: 'full', events, bytes, slowest: this.#slowest().name }
      : { state: 'healthy', events, bytes }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#housekeeping?.cancel()
    try {
      await Promise.all([...this.#open.values()].map(consumer => consumer.close()))
      await this.#compacting
    } finally {
      this.#wake()
      await this.#journal.close()
    }
  }

  #restoreConsumer(name: string, data: Buffer | undefined): void {
    if (data) this.#positions.set(name, ConsumerPosition.decode(data.toString()))
    else this.#positions.delete(name)
    this.#setPositionBytes(name, data?.length ?? 0)
  }

  async #append(record: JournalRecord): Promise<number> {
    try {
      const position = this.#journal.append(record)
      this.#allBytes += Buffer.byteLength(record.data)
      const stored = await position
      this.#trouble = undefined
      this.#compactIfWorthwhile()
      return stored
    } catch (error) {
      this.#trouble ??= { since: this.#env.clock.now(), why: asError(error) }
      throw error
    }
  }

  /** Events become visible in the order of their positions, also where acknowledgements overtake each other. */
  #settle(publication: Publication, settled: { position: number } | { error: unknown }): void {
    publication.settled = settled
    for (const [id, { event, bytes, at, settled, resolve, reject }] of this.#publications) {
      if (!settled) break
      this.#publications.delete(id)
      this.#publishingBytes -= bytes
      if ('error' in settled) {
        reject(settled.error)
        continue
      }
      this.#head = settled.position
      this.#log.add({ id, position: settled.position, bytes, at }, event)
      this.#liveBytes += bytes
      resolve('stored')
    }
    this.#wake()
  }

  #makeRoom(bytes: number): void {
    const { maxEvents, maxBytes } = this.#limits
    const excess = () => ({
      events: this.#log.count + this.#publications.size + 1 - maxEvents,
      bytes: this.#log.bytes + this.#publishingBytes + bytes - maxBytes,
    })
    const isOver = ({ events, bytes }: { events: number; bytes: number }) => events > 0 || bytes > 0
    const before = excess()
    if (!isOver(before)) return
    // Some more than needed, so that this pass is not made for every event.
    this.#drop({
      events: before.events > 0 ? before.events + (maxEvents >> 4) : 0,
      bytes: before.bytes > 0 ? before.bytes + (maxBytes >> 4) : 0,
    })
    const after = excess()
    if (!isOver(after)) return
    // What nobody waits for goes as soon as it is stored.
    if (this.#positions.size === 0) return
    // An event that is larger than all the room there is would wait for ever: it is let in when nothing else is there.
    if (this.#log.count + this.#publications.size === 0) return
    const { name, backlog } = this.#slowest()
    throw new BusFull(name, backlog, after.events > 0 ? `it holds ${maxEvents} events` : `it holds ${maxBytes} bytes`)
  }

  #dropWhatIsOver(): void {
    const { maxEvents, maxBytes } = this.#limits
    this.#drop({ events: this.#log.count - maxEvents, bytes: this.#log.bytes - maxBytes })
  }

  /** Drops the oldest handled events until so many events and bytes are gone, and all that are too old. */
  #drop(target: { events: number; bytes: number }): void {
    const oldest = this.#env.clock.now() - this.#limits.maxAgeMs
    let { events, bytes } = target
    const dropped = this.#log.drop(event => {
      const isOver = events > 0 || bytes > 0 || event.at < oldest
      if (!isOver || this.#isHeld(event)) return false
      events--
      bytes -= event.bytes
      return true
    })
    for (const { id, bytes } of dropped) {
      this.#liveBytes -= bytes
      this.#append({ key: EVENT + id, data: '', deleted: true }).catch(error =>
        this.#env.log.warn('could not drop an event', { id, error }),
      )
    }
  }

  #forgetWhatAllHaveRead(): void {
    let last = this.#head
    for (const { after } of this.#positions.values()) last = Math.min(last, after)
    this.#log.forgetContent(last)
  }

  #isHeld({ position }: StoredEvent): boolean {
    for (const consumer of this.#positions.values()) if (consumer.holds(position)) return true
    return false
  }

  #isAllHeld(): boolean {
    for (let event = this.#log.after(0); event; event = this.#log.after(event.position))
      if (!this.#isHeld(event)) return false
    return true
  }

  #slowest(): { name: string; backlog: number } {
    let slowest = { name: '', backlog: -1 }
    for (const [name, position] of this.#positions) {
      const backlog = position.openCount + this.#log.countAfter(position.after)
      if (backlog > slowest.backlog) slowest = { name, backlog }
    }
    return slowest
  }

  async #storePosition(name: string, position: ConsumerPosition): Promise<void> {
    if (this.#positions.get(name) !== position) return
    const data = position.encode()
    this.#setPositionBytes(name, data.length)
    await this.#append({ key: CONSUMER + name, data })
  }

  #setPositionBytes(name: string, bytes: number): void {
    this.#liveBytes += bytes - (this.#positionBytes.get(name) ?? 0)
    if (bytes > 0) this.#positionBytes.set(name, bytes)
    else this.#positionBytes.delete(name)
  }

  #compactIfWorthwhile(): void {
    const garbage = this.#allBytes - this.#liveBytes
    if (this.#compacting || this.#isClosed) return
    if (garbage < this.#limits.garbageBytes || garbage < this.#liveBytes) return
    this.#compacting = this.#compact().finally(() => {
      this.#compacting = undefined
    })
  }

  async #compact(): Promise<void> {
    const garbage = this.#allBytes - this.#liveBytes
    try {
      await this.#journal.compact({ before: this.#journal.head + 1 })
      this.#allBytes -= garbage
    } catch (error) {
      // What failed here fails the next append too, which tells its caller.
      this.#env.log.warn('could not compact the journal of a bus', { error })
    }
  }

  #keepHouse(): void {
    this.#housekeeping = this.#env.clock.schedule(HOUSEKEEPING_MS, () => {
      this.#drop({ events: 0, bytes: 0 })
      this.#keepHouse()
    })
  }

  #eventReader() {
    const reader = new JournalReader(this.#journal)
    return {
      close: () => reader.close(),
      at: async (position: number) => {
        const entry = await reader.at(position)
        return entry?.key?.startsWith(EVENT) ? decodeEvent(entry.data) : undefined
      },
    }
  }

  #progress(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        signal.removeEventListener('abort', wake)
        this.#waiting.delete(wake)
        resolve()
      }
      if (signal.aborted) return resolve()
      signal.addEventListener('abort', wake, { once: true })
      this.#waiting.add(wake)
    })
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}
