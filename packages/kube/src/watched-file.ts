import { readFile } from 'node:fs/promises'
import { asError, type Clock } from '@tiphys/env'
import { KubeconfigFailure } from './kubeconfig.ts'

/** A file that somebody rewrites now and then (a token, a certificate): read again when the last reading is old. */
export class WatchedFile {
  readonly #path: string
  readonly #clock: Clock
  readonly #freshMs: number
  #content: string | undefined
  #readAt = 0

  constructor(path: string, clock: Clock, freshMs = 10_000) {
    this.#path = path
    this.#clock = clock
    this.#freshMs = freshMs
  }

  async content(): Promise<string> {
    if (this.#content !== undefined && this.#clock.monotonic() - this.#readAt < this.#freshMs) return this.#content
    try {
      this.#content = (await readFile(this.#path, 'utf8')).trim()
    } catch (thrown) {
      // A file in the middle of being replaced: what it said before still holds.
      if (this.#content === undefined) {
        throw new KubeconfigFailure({
          what: `${this.#path} cannot be read`,
          why: asError(thrown).message,
          cause: thrown,
        })
      }
    }
    this.#readAt = this.#clock.monotonic()
    return this.#content
  }

  /** The next reading is a fresh one. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }
}
