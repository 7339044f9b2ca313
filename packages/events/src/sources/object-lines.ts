interface Place<W> {
  work: W
  /** Counts what was added. */
  serial: number
}

/** Somebody waits for everything up to `serial` to end. */
interface Barrier {
  serial: number
  left: number
  resolve(): void
}

/** Work by object: one object's in the order it was added and one at a time, at most `limit` objects' at once. */
export class ObjectLines<W> {
  readonly #limit: number
  readonly #work: (key: string, work: W) => Promise<void>
  readonly #lines = new Map<string, Place<W>[]>()
  readonly #ready: string[] = []
  readonly #barriers = new Set<Barrier>()
  #running = 0
  #size = 0
  #added = 0

  /** `work` must not reject. */
  constructor(limit: number, work: (key: string, work: W) => Promise<void>) {
    this.#limit = limit
    this.#work = work
  }

  /** How much has not ended. */
  get size(): number {
    return this.#size
  }

  add(key: string, work: W): void {
    this.#size++
    const place = { work, serial: ++this.#added }
    const line = this.#lines.get(key)
    if (line) {
      line.push(place)
      return
    }
    this.#lines.set(key, [place])
    this.#ready.push(key)
    this.#pump()
  }

  /** Gives up what has not begun. */
  clear(): void {
    for (const key of this.#ready.splice(0)) {
      for (const place of this.#lines.get(key) ?? []) this.#end(place)
      this.#lines.delete(key)
    }
    for (const line of this.#lines.values()) for (const place of line.splice(1)) this.#end(place)
  }

  /** Resolves when everything that was added before this call has ended or was given up. */
  settled(): Promise<void> {
    if (this.#size === 0) return Promise.resolve()
    return new Promise(resolve => this.#barriers.add({ serial: this.#added, left: this.#size, resolve }))
  }

  #pump(): void {
    while (this.#running < this.#limit) {
      const key = this.#ready.shift()
      if (key === undefined) return
      this.#running++
      const [{ work }] = this.#lines.get(key) as [Place<W>]
      void this.#work(key, work).then(() => this.#ended(key))
    }
  }

  #ended(key: string): void {
    this.#running--
    const line = this.#lines.get(key) as Place<W>[]
    this.#end(line.shift() as Place<W>)
    if (line.length > 0) this.#ready.push(key)
    else this.#lines.delete(key)
    this.#pump()
  }

  #end({ serial }: Place<W>): void {
    this.#size--
    for (const barrier of this.#barriers) {
      if (serial > barrier.serial || --barrier.left > 0) continue
      this.#barriers.delete(barrier)
      barrier.resolve()
    }
  }
}
