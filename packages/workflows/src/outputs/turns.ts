/** Lets so many at once do something; the others wait, first come first served. */
export class Turns {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #busy = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many have their turn, or wait for it. */
  get taken(): number {
    return this.#busy + this.#waiting.length
  }

  /** Resolves when it is the caller's turn, with how to end it. */
  async take(): Promise<() => void> {
    if (this.#busy < this.#most) this.#busy++
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    return () => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#busy--
    }
  }
}
