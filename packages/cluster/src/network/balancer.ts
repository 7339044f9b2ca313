import type { Clock } from '@tiphys/env'
import { type Target, targetKey } from './service-table.ts'

/** How long a client stays with its target after its last connection, as Services have it by default. */
const AFFINITY_MS = 10_800_000
const MOST_CLIENTS = 10_000

/** Chooses among a service's targets: each in turn, or the one that the client had before. */
export class Balancer {
  readonly #clock: Clock
  #targets: readonly Target[] = []
  #isSticky = false
  #turn = 0
  /** Where each client went last, the longest absent first. */
  readonly #lastTargets = new Map<string, { key: string; at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  update(targets: readonly Target[], isSticky: boolean): void {
    this.#targets = targets
    this.#isSticky = isSticky
    if (!isSticky) this.#lastTargets.clear()
  }

  includes(target: Target): boolean {
    const key = targetKey(target)
    return this.#targets.some(candidate => targetKey(candidate) === key)
  }

  /** All targets, in the order in which to try them for this client. */
  candidates(client: string): Target[] {
    const targets = this.#targets
    if (targets.length === 0) return []
    const start = this.#turn++ % targets.length
    const order = [...targets.slice(start), ...targets.slice(0, start)]
    if (!this.#isSticky) return order
    const last = this.#lastTargets.get(client)
    if (!last || this.#clock.monotonic() - last.at > AFFINITY_MS) return order
    const preferred = order.filter(target => targetKey(target) === last.key)
    return [...preferred, ...order.filter(target => targetKey(target) !== last.key)]
  }

  /** Tells which of the candidates it became. */
  chose(client: string, target: Target): void {
    if (!this.#isSticky) return
    this.#lastTargets.delete(client)
    this.#lastTargets.set(client, { key: targetKey(target), at: this.#clock.monotonic() })
    if (this.#lastTargets.size <= MOST_CLIENTS) return
    for (const oldest of this.#lastTargets.keys()) {
      this.#lastTargets.delete(oldest)
      break
    }
  }
}
