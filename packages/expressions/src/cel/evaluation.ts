import type { CelValue } from './value.ts'

/** The expression did more work than it may. */
export class CelCostError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CelCostError'
  }
}

/** The evaluation broke off, not with an error value that the expression could absorb but as a whole. */
export class CelInternalError extends Error {
  constructor(message: string) {
    super(`internal error: ${message}`)
    this.name = 'CelInternalError'
  }
}

/** A variable of a program: how a given value becomes a CEL value. */
export interface Variable {
  name: string
  /** Undefined means that the variable has no value. */
  read(given: unknown): CelValue | undefined
}

/** One run of a program: what it has cost so far, its variables, and the loop variables of its comprehensions. */
export class Evaluation {
  cost = 0
  /** Comprehensions have fixed places here, because an expression cannot recurse. */
  readonly slots: (CelValue | undefined)[] = []
  readonly #limit: number
  readonly #variables: readonly Variable[]
  readonly #given: Readonly<Record<string, unknown>>
  readonly #read: (CelValue | undefined)[] = []

  constructor(limit: number, variables: readonly Variable[], given: Readonly<Record<string, unknown>>) {
    this.#limit = limit
    this.#variables = variables
    this.#given = given
  }

  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CelCostError()
  }

  /** The value of a variable, converted when it is first read; undefined when it has none. */
  variable(index: number): CelValue | undefined {
    const known = this.#read[index]
    if (known !== undefined) return known
    const { name, read } = this.#variables[index] as Variable
    const value = read(this.#given[name])
    this.#read[index] = value
    return value
  }
}

export type Evaluate = (evaluation: Evaluation) => CelValue
