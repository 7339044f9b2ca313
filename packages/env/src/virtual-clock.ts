import type { Clock, Timer } from './clock.ts'
import { Heap, type HeapEntry } from './heap.ts'

interface Pending extends HeapEntry {
  due: number
  order: number
  task: () => void
}

/** A clock that moves only when told to. Tasks run in the order of their due times; tasks due at the same time in the
 *  order they were scheduled. Promise callbacks that a task started are let run before the next task. */
export class VirtualClock implements Clock {
  #now: number
  readonly #start: number
  #order = 0
  readonly #pending = new Heap<Pending>(isBefore)

  constructor(startMs = Date.UTC(2024, 0, 1)) {
    this.#now = startMs
    this.#start = startMs
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#start
  }

  schedule(delayMs: number, task: () => void): Timer {
    const pending: Pending = { due: this.#now + Math.max(0, delayMs), order: this.#order++, heapIndex: -1, task }
    this.#pending.add(pending)
    return { cancel: () => this.#pending.remove(pending) }
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#pending.size
  }

  /** Moves time forward by `ms`, running everything that falls due on the way, also what those tasks schedule. After each
   *  task it waits for `settled`, by default one turn of the event loop: give more where a task's work takes longer. */
  async advance(ms: number, settled: () => Promise<void> = settlePromises): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#pending.remove(next)
      this.#now = Math.max(this.#now, next.due)
      next.task()
      await settled()
    }
    this.#now = end
  }

  #next(end: number): Pending | undefined {
    const first = this.#pending.first
    return first && first.due <= end ? first : undefined
  }
}

const isBefore = (a: Pending, b: Pending) => a.due < b.due || (a.due === b.due && a.order < b.order)

/** A turn of the event loop: every promise callback that is ready now, and what it makes ready, runs first. */
const settlePromises = () => new Promise<void>(resolve => setImmediate(resolve))
