import type { Clock } from '@tiphys/env'
import type { ExprDialect } from './dialect.ts'
import { Fault, type Position } from './source.ts'
import type { ExprObject, ExprValue } from './value.ts'

export interface ExprLimits {
  /** Upstream's budget: items of the lists and maps, and bytes of repeated strings, that a run may make. */
  memory: number
  /** Operations and turns of loops. */
  steps: number
  /** UTF-16 units of one string that a run makes. */
  textLength: number
}

export const defaultLimits: ExprLimits = { memory: 1_000_000, steps: 10_000_000, textLength: 16_777_216 }

export interface RunOptions {
  limits?: Partial<ExprLimits>
  /** What `now()` reads; without it, now() fails. */
  clock?: Clock
}

/** The loop that a predicate runs in. */
export interface Scope {
  item(): ExprValue
  index: number
  accumulator: ExprValue
}

/** One run of an expression. */
export class Evaluation {
  readonly environment: ExprObject | null
  readonly dialect: ExprDialect
  readonly clock: Clock | undefined
  readonly variables: ExprValue[] = []
  /** Where the operation stands that is being done: a fault is reported there. */
  position: Position
  scope: Scope | undefined
  /** What was nil where the last chain ended early. */
  cutShort: ExprValue
  readonly #limits: ExprLimits
  #memory = 0
  #steps = 0

  constructor(environment: ExprObject | null, dialect: ExprDialect, { limits, clock }: RunOptions) {
    this.environment = environment
    this.dialect = dialect
    this.clock = clock
    this.#limits = { ...defaultLimits, ...limits }
  }

  grow(size: number): void {
    this.#memory += size
    if (this.#memory >= this.#limits.memory) throw new Fault('memory budget exceeded')
  }

  step(count = 1): void {
    this.#steps += count
    if (this.#steps > this.#limits.steps) throw new Fault(`the expression took more than ${this.#limits.steps} steps`)
  }

  text(value: string): string {
    if (value.length > this.#limits.textLength)
      throw new Fault(`a string grew longer than ${this.#limits.textLength} characters`)
    return value
  }
}

/** A node that is ready to run. */
export type Plan = (run: Evaluation) => ExprValue
