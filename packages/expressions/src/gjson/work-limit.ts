/** A path asks for more than the limits allow. Nothing else is ever thrown: bad JSON and bad paths find nothing. */
export class GjsonError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GjsonError'
  }
}

export interface GjsonLimits {
  /** How many characters may be read and written in all. A path such as `[@this,@this]|[@this,@this]` doubles the text. */
  maxWork?: number
  /** How deep values, queries and pipes may nest. */
  maxDepth?: number
}

const defaultMaxWork = 32 * 1024 * 1024
const defaultMaxDepth = 400

/** What one call may still do. */
export class WorkLimit {
  readonly #maxDepth: number
  #work: number
  #depth = 0

  constructor({ maxWork = defaultMaxWork, maxDepth = defaultMaxDepth }: GjsonLimits = {}) {
    this.#work = maxWork
    this.#maxDepth = maxDepth
  }

  spend(characters: number): void {
    this.#work -= characters
    if (this.#work < 0) throw new GjsonError('the path needs too much work')
  }

  /** To be followed by `leave`, unless it throws. */
  enter(): void {
    if (this.#depth >= this.#maxDepth) throw new GjsonError(`nested more than ${this.#maxDepth} levels deep`)
    this.#depth++
  }

  leave(): void {
    this.#depth--
  }
}
