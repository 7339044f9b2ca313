import type { Clock, Timer } from '@tiphys/env'
import type { Pod } from '@tiphys/kube/kinds'

/** A pod that waits for a node. */
export interface Waiting {
  readonly key: string
  pod: Pod
  attempts: number
  /** Orders pods of one priority. */
  readonly since: number
}

/** A node that joins changes a few times in a moment: so many attempts follow each other at once. */
const QUICK_ATTEMPTS = 4
const FIRST_BACKOFF_MS = 1000
const LONGEST_BACKOFF_MS = 10_000
/** Pods whose backoff ends together are tried together, the most important first. */
const RELEASE_WINDOW_MS = 100

interface Parked {
  item: Waiting
  earliest: number
  /** Something changed for it: it waits for its backoff alone. */
  isWoken: boolean
}

/** Pods that wait for a node: the most important first, then the one that has waited longest. A pod that found none waits
 *  until something changes, and is then tried again after a backoff that grows with every attempt.
 *
 *  A pod is in the queue from `add` to `remove`, also while it is tried. */
export class SchedulingQueue {
  readonly #clock: Clock
  readonly #onReady: () => void
  readonly #items = new Map<string, Waiting>()
  /** A binary heap. */
  readonly #ready: Waiting[] = []
  readonly #parked = new Map<string, Parked>()
  /** What changed while a pod was tried may be what it lacked. */
  readonly #changedDuring = new Map<string, boolean>()
  #timer: { due: number; handle: Timer } | undefined
  #count = 0

  /** `onReady` is called whenever a pod becomes ready to be tried. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock
    this.#onReady = onReady
  }

  get readyCount(): number {
    return this.#ready.length
  }

  /** A pod that is known keeps its place, but is tried again if it waits for a change. */
  add(key: string, pod: Pod): void {
    const known = this.#items.get(key)
    if (known && known.pod.metadata.uid === pod.metadata.uid) {
      known.pod = pod
      return
    }
    if (known) this.remove(key)
    const item = { key, pod, attempts: 0, since: this.#count++ }
    this.#items.set(key, item)
    this.#makeReady(item)
  }

  remove(key: string): void {
    const item = this.#items.get(key)
    if (!item) return
    this.#items.delete(key)
    this.#parked.delete(key)
    this.#changedDuring.delete(key)
  }

  /** It has a node, or is gone. Another pod that has taken its name stays. */
  finish(item: Waiting): void {
    if (this.#items.get(item.key) === item) this.remove(item.key)
  }

  /** The next pod to try. Until `park`, `finish` or `remove` it is being tried. */
  next(): Waiting | undefined {
    for (let item = this.#pop(); item; item = this.#pop()) {
      // It may have been removed, or removed and added anew, since.
      if (this.#items.get(item.key) !== item) continue
      item.attempts++
      this.#changedDuring.set(item.key, false)
      return item
    }
    return undefined
  }

  /** No node for it now: it waits for a change. */
  park(item: Waiting): void {
    const hasChanged = this.#changedDuring.get(item.key)
    if (this.#items.get(item.key) !== item) return
    this.#changedDuring.delete(item.key)
    const doublings = Math.min(item.attempts - 1 - QUICK_ATTEMPTS, 10)
    const backoff = doublings < 0 ? 0 : Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** doublings)
    const earliest = this.#clock.monotonic() + backoff
    this.#parked.set(item.key, { item, earliest, isWoken: hasChanged === true })
    if (hasChanged) this.#release()
  }

  /** Something changed: what waits for it is tried again. */
  wake(concerns: (pod: Pod) => boolean): void {
    for (const parked of this.#parked.values()) if (concerns(parked.item.pod)) parked.isWoken = true
    for (const key of this.#changedDuring.keys()) {
      const item = this.#items.get(key)
      if (item && concerns(item.pod)) this.#changedDuring.set(key, true)
    }
    this.#release()
  }

  clear(): void {
    this.#timer?.handle.cancel()
    this.#items.clear()
    this.#ready.length = 0
    this.#parked.clear()
  }

  #release(): void {
    const now = this.#clock.monotonic()
    let next = Number.POSITIVE_INFINITY
    for (const [key, { item, earliest, isWoken }] of this.#parked) {
      if (!isWoken) continue
      if (earliest > now) {
        next = Math.min(next, earliest)
        continue
      }
      this.#parked.delete(key)
      this.#makeReady(item)
    }
    if (next === Number.POSITIVE_INFINITY || (this.#timer && this.#timer.due <= next + RELEASE_WINDOW_MS)) return
    this.#timer?.handle.cancel()
    const due = next + RELEASE_WINDOW_MS
    const handle = this.#clock.schedule(due - now, () => {
      this.#timer = undefined
      this.#release()
    })
    this.#timer = { due, handle }
  }

  #makeReady(item: Waiting): void {
    const heap = this.#ready
    let at = heap.length
    heap.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(item, heap[parent] as Waiting)) break
      heap[at] = heap[parent] as Waiting
      at = parent
    }
    heap[at] = item
    this.#onReady()
  }

  #pop(): Waiting | undefined {
    const heap = this.#ready
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let at = 0
    while (true) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Waiting, heap[child] as Waiting)) child++
      if (!isBefore(heap[child] as Waiting, last)) break
      heap[at] = heap[child] as Waiting
      at = child
    }
    heap[at] = last
    return first
  }
}

const priorityOf = ({ pod }: Waiting) => pod.spec?.priority ?? 0
const isBefore = (a: Waiting, b: Waiting) =>
  priorityOf(a) > priorityOf(b) || (priorityOf(a) === priorityOf(b) && a.since < b.since)
