/** Lets readers pass together and a writer pass alone, in the order in which they came. */
export class Gate {
  readonly #inside = new Set<Promise<unknown>>()
  #alone: Promise<void> | undefined

  async share<T>(task: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#alone
    const running = task()
    this.#inside.add(running)
    try {
      return await running
    } finally {
      this.#inside.delete(running)
    }
  }

  exclude(task: () => Promise<void>): Promise<void> {
    const running = this.#runAlone(this.#alone, task)
    // The caller sees the error; those who wait only need to know that it is over.
    const over: Promise<void> = running
      .catch(() => {})
      .then(() => {
        if (this.#alone === over) this.#alone = undefined
      })
    this.#alone = over
    return running
  }

  async #runAlone(before: Promise<void> | undefined, task: () => Promise<void>): Promise<void> {
    await before
    await Promise.allSettled(this.#inside)
    await task()
  }
}
