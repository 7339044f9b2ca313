import type { Event } from '../event.ts'

/** What is known of every event that is kept. */
export interface StoredEvent {
  id: string
  position: number
  bytes: number
  /** When it was published. */
  at: number
}

const DROPPED_IDS = 10_000

/** The events that are kept, without their content, in the order of their positions. */
export class EventLog {
  #events: StoredEvent[] = []
  readonly #byId = new Map<string, StoredEvent>()
  #bytes = 0
  readonly #recent: RecentEvents
  /** Ids of events that were dropped last: who publishes one again has not learned yet that it was stored. */
  readonly #dropped = new Set<string>()

  constructor(recentBytes: number) {
    this.#recent = new RecentEvents(recentBytes)
  }

  get count(): number {
    return this.#events.length
  }

  get bytes(): number {
    return this.#bytes
  }

  add(event: StoredEvent, content?: Event): void {
    this.#events.push(event)
    this.#byId.set(event.id, event)
    this.#bytes += event.bytes
    if (content) this.#recent.add(event.position, content)
  }

  get(id: string): StoredEvent | undefined {
    return this.#byId.get(id)
  }

  /** Whether an event with this id was stored, as far as that is still known. */
  knows(id: string): boolean {
    return this.#byId.has(id) || this.#dropped.has(id)
  }

  /** The content, when it was published a moment ago. */
  recent(position: number): Event | undefined {
    return this.#recent.get(position)
  }

  /** Nobody reads the content up to here a second time soon. */
  forgetContent(until: number): void {
    this.#recent.removeUntil(until)
  }

  has(position: number): boolean {
    return this.after(position - 1)?.position === position
  }

  after(position: number): StoredEvent | undefined {
    return this.#events[this.#indexAfter(position)]
  }

  countAfter(position: number): number {
    return this.#events.length - this.#indexAfter(position)
  }

  /** The first that was published at this time or later. */
  firstSince(time: number): StoredEvent | undefined {
    let index = this.#events.length
    while (index > 0 && (this.#events[index - 1] as StoredEvent).at >= time) index--
    return this.#events[index]
  }

  /** Takes out the events that `isDropped` says, asked from the oldest on. */
  drop(isDropped: (event: StoredEvent) => boolean): StoredEvent[] {
    const dropped: StoredEvent[] = []
    const kept = this.#events.filter(event => {
      if (!isDropped(event)) return true
      dropped.push(event)
      return false
    })
    if (dropped.length > 0) this.#events = kept
    for (const { id, bytes, position } of dropped) {
      this.#byId.delete(id)
      this.#recent.remove(position)
      this.#bytes -= bytes
      this.noteDropped(id)
    }
    return dropped
  }

  noteDropped(id: string): void {
    this.#dropped.add(id)
    if (this.#dropped.size > DROPPED_IDS) this.#dropped.delete(this.#dropped.values().next().value as string)
  }

  #indexAfter(position: number): number {
    let [low, high] = [0, this.#events.length]
    if ((this.#events[high - 1]?.position ?? 0) <= position) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle] as StoredEvent).position <= position) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The newest events as they were published, so that a consumer that keeps up does not read them back. */
class RecentEvents {
  readonly #limit: number
  readonly #events = new Map<number, Event>()
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get(position: number): Event | undefined {
    return this.#events.get(position)
  }

  add(position: number, event: Event): void {
    this.#events.set(position, event)
    this.#size += event.data.length
    for (const oldest of this.#events.keys()) {
      if (this.#size <= this.#limit) break
      this.remove(oldest)
    }
  }

  removeUntil(last: number): void {
    for (const position of this.#events.keys()) {
      if (position > last) break
      this.remove(position)
    }
  }

  remove(position: number): void {
    this.#size -= this.#events.get(position)?.data.length ?? 0
    this.#events.delete(position)
  }
}
