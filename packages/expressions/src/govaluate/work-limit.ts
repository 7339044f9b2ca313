import { GovaluateError } from './govaluate-error.ts'

export interface GovaluateLimits {
  /** How many characters of text the operators may read and make in all; matching a pattern counts several times. */
  maxWork?: number
}

const defaultMaxWork = 32 * 1024 * 1024
const patternFactor = 10

/** What one evaluation may still do. */
export class WorkLimit {
  #work: number

  constructor({ maxWork = defaultMaxWork }: GovaluateLimits = {}) {
    this.#work = maxWork
  }

  /** Pays for an operation before it is done. */
  spendOn(symbol: string, left: unknown, right: unknown): void {
    const factor = symbol === '=~' || symbol === '!~' ? patternFactor : 1
    this.#spend(1 + factor * (textLength(left) + textLength(right)))
  }

  /** Pays for what has come of it. */
  spendOnResult(value: unknown): void {
    this.#spend(textLength(value))
  }

  #spend(characters: number): void {
    this.#work -= characters
    if (this.#work < 0) throw new GovaluateError('the expression needs too much work')
  }
}

function textLength(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}
