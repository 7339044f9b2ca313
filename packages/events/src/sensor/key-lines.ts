/** Lets work begin in order: of two pieces of work that share a key, the one that was added first ends before the other
 *  begins. Work without keys begins at once. Since a piece stands in all its lines from the moment it is added, two can
 *  never wait for each other. */
export class KeyLines<W> {
  readonly #lines = new Map<string, Place<W>[]>()
  readonly #places = new Map<W, Place<W>>()
  readonly #begin: (work: W) => void

  constructor(begin: (work: W) => void) {
    this.#begin = begin
  }

  /** How many pieces have not ended. */
  get size(): number {
    return this.#places.size
  }

  add(work: W, keys: Iterable<string>): void {
    const place: Place<W> = { work, keys: new Set(keys), hasBegun: false }
    this.#places.set(work, place)
    for (const key of place.keys) {
      const line = this.#lines.get(key)
      if (line) line.push(place)
      else this.#lines.set(key, [place])
    }
    this.#beginIfFirst(place)
  }

  /** The work has ended, or is wanted no more. */
  end(work: W): void {
    const place = this.#places.get(work)
    if (!place) return
    this.#places.delete(work)
    const followers = new Set<Place<W>>()
    for (const key of place.keys) {
      const line = this.#lines.get(key) as Place<W>[]
      line.splice(line.indexOf(place), 1)
      if (line[0]) followers.add(line[0])
      else this.#lines.delete(key)
    }
    for (const follower of followers) this.#beginIfFirst(follower)
  }

  /** What stands in a key's line and has not begun. */
  waiting(key: string): readonly W[] {
    return (this.#lines.get(key) ?? []).filter(({ hasBegun }) => !hasBegun).map(({ work }) => work)
  }

  #beginIfFirst(place: Place<W>): void {
    if (place.hasBegun || [...place.keys].some(key => this.#lines.get(key)?.[0] !== place)) return
    place.hasBegun = true
    this.#begin(place.work)
  }
}

interface Place<W> {
  work: W
  keys: ReadonlySet<string>
  hasBegun: boolean
}
