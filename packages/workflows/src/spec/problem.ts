/** Something wrong in a manifest, with its place. */
export interface Problem {
  path: string
  message: string
}

/** Collects what is wrong. The same thing is said once, wherever it is called from. */
export class Problems {
  readonly #found = new Map<string, Problem>()

  add(path: string, message: string): void {
    this.#found.set(`${path}\n${message}`, { path, message })
  }

  get list(): Problem[] {
    return [...this.#found.values()]
  }
}
