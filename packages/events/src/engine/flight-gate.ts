import type { Clock } from '@tiphys/env'

/** Lets many in at once, or one alone, in the order in which they came. Who is alone is no longer so after a while: a
 *  delivery that takes its time does not hold up all others. */
export class FlightGate {
  readonly #clock: Clock
  readonly #aloneForMs: number
  readonly #waiting: { isAlone: boolean; enter: () => void }[] = []
  #inside = 0
  #isTakenAlone = false

  constructor(clock: Clock, aloneForMs: number) {
    this.#clock = clock
    this.#aloneForMs = aloneForMs
  }

  /** What to call on leaving; at once, when nobody has to be waited for. */
  enter(isAlone: boolean): (() => void) | Promise<() => void> {
    if (this.#waiting.length === 0 && this.#isOpenTo(isAlone)) return this.#take(isAlone)
    return new Promise(resolve => {
      this.#waiting.push({ isAlone, enter: () => resolve(this.#take(isAlone)) })
    })
  }

  #isOpenTo(isAlone: boolean): boolean {
    return !this.#isTakenAlone && (!isAlone || this.#inside === 0)
  }

  #take(isAlone: boolean): () => void {
    this.#inside++
    if (!isAlone) return this.#leave
    this.#isTakenAlone = true
    let isOver = false
    const share = () => {
      if (isOver) return
      isOver = true
      this.#isTakenAlone = false
    }
    const timer = this.#clock.schedule(this.#aloneForMs, () => {
      share()
      this.#letIn()
    })
    return () => {
      timer.cancel()
      share()
      this.#leave()
    }
  }

  readonly #leave = () => {
    this.#inside--
    this.#letIn()
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next && this.#isOpenTo(next.isAlone); next = this.#waiting[0]) {
      this.#waiting.shift()
      next.enter()
    }
  }
}
