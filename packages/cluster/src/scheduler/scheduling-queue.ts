import { type Clock, Heap, type HeapEntry, type Timer } from '@tiphys/env'
import type { Pod } from '@tiphys/kube/kinds'

/** A pod that waits for a node. */
export interface Waiting extends HeapEntry {
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
  #ready = new Heap<Waiting>(isBefore)
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
    return this.#ready.size
  }

  /** A pod that is known keeps its place, but is tried again if it waits for a change. */
  add(key: string, pod: Pod): void {
    const known = this.#items.get(key)
    if (known && known.pod.metadata.uid === pod.metadata.uid) {
      known.pod = pod
      return
    }
    if (known) this.remove(key)
    const item = { key, pod, attempts: 0, since: this.#count++, heapIndex: -1 }
    this.#items.set(key, item)
    this.#makeReady(item)
  }

  remove(key: string): void {
    const item = this.#items.get(key)
    if (!item) return
    this.#items.delete(key)
    this.#ready.remove(item)
    this.#parked.delete(key)
    this.#changedDuring.delete(key)
  }

  /** It has a node, or is gone. Another pod that has taken its name stays. */
  finish(item: Waiting): void {
    if (this.#items.get(item.key) === item) this.remove(item.key)
  }

  /** The next pod to try. Until `park`, `finish` or `remove` it is being tried. */
  next(): Waiting | undefined {
    const item = this.#ready.first
    if (!item) return undefined
    this.#ready.remove(item)
    item.attempts++
    this.#changedDuring.set(item.key, false)
    return item
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
    this.#ready = new Heap(isBefore)
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
    this.#ready.add(item)
    this.#onReady()
  }
}

const priorityOf = ({ pod }: Waiting) => pod.spec?.priority ?? 0
const isBefore = (a: Waiting, b: Waiting) =>
  priorityOf(a) > priorityOf(b) || (priorityOf(a) === priorityOf(b) && a.since < b.since)
