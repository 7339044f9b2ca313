/** How far a consumer has come: everything up to `after` was handed out, and of that all but `open` is handled. */
export class ConsumerPosition {
  #after: number
  /** In ascending order. */
  readonly #open: Set<number>

  constructor(after: number, open: Iterable<number> = []) {
    this.#after = after
    this.#open = new Set(open)
  }

  static decode(text: string): ConsumerPosition {
    const { after, open } = JSON.parse(text) as { after: number; open: number[] }
    return new ConsumerPosition(after, open)
  }

  encode(): string {
    return JSON.stringify({ after: this.#after, open: [...this.#open] })
  }

  get after(): number {
    return this.#after
  }

  /** The position up to which everything is handled. */
  get handledUpTo(): number {
    for (const first of this.#open) return first - 1
    return this.#after
  }

  /** What was handed out and is not handled, in order. */
  get open(): readonly number[] {
    return [...this.#open]
  }

  get openCount(): number {
    return this.#open.size
  }

  /** Whether the event at this position is still to be handled. */
  holds(position: number): boolean {
    return position > this.#after || this.#open.has(position)
  }

  handOut(position: number): void {
    this.#after = position
    this.#open.add(position)
  }

  /** What was handled without that being stored may have been dropped since. */
  forget(isKept: (position: number) => boolean): void {
    for (const position of this.#open) if (!isKept(position)) this.#open.delete(position)
  }

  /** Whether that changed anything. */
  done(position: number): boolean {
    return this.#open.delete(position)
  }
}
