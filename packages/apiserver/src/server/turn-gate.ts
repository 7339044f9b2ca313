/** How many requests of this process begin in one turn of the event loop. */
const REQUESTS_A_TURN = 32

/** Spreads work that never waits for anything outside over turns of the event loop, in its order. Without it a burst of
 *  requests that set off each other (a thousand pods of one ReplicaSet) would keep every connection and timer waiting. */
export class TurnGate {
  #begun = 0
  readonly #waiting: (() => void)[] = []

  /** Undefined when the caller may go on at once. */
  enter(): Promise<void> | undefined {
    if (this.#begun === 0) setImmediate(() => this.#turn())
    if (this.#begun < REQUESTS_A_TURN) {
      this.#begun++
      return undefined
    }
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #turn(): void {
    const admitted = this.#waiting.splice(0, REQUESTS_A_TURN)
    this.#begun = admitted.length
    if (this.#begun > 0) setImmediate(() => this.#turn())
    for (const begin of admitted) begin()
  }
}
