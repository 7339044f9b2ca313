/** Lets tasks run one after the other, in the order they were handed in. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#last.then(task)
    // Its caller is told; the next one only waits for its end.
    this.#last = run.catch(() => {})
    return run
  }
}
