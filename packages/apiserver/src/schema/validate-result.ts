import { child, type FieldError, invalid } from '../field-error.ts'

/** One thing that is wrong. Composite findings name no field. */
export class Finding {
  readonly message: string
  readonly #name: string | undefined
  readonly #make: (field: string, message: string) => FieldError

  constructor(name: string | undefined, message: string, make: (field: string, message: string) => FieldError) {
    this.#name = name
    this.message = message
    this.#make = make
  }

  toFieldError(root: string): FieldError {
    const name = this.#name?.replace(/^\./, '') ?? ''
    return this.#make(name === '' ? root : child(root, name), this.message)
  }
}

export const composite = (message: string): Finding =>
  new Finding(undefined, message, field => invalid(field, '', message))

/** What is wrong, and how many checks a value passed on the way. */
export class Result {
  findings: Finding[] = []
  matches = 0

  add(finding: Finding): this {
    if (!this.findings.some(known => known.message === finding.message)) this.findings.push(finding)
    return this
  }

  merge(other: Result): this {
    for (const finding of other.findings) this.add(finding)
    this.matches += other.matches
    return this
  }

  get isValid(): boolean {
    return this.findings.length === 0
  }
}

const EPSILON = 1e-9

/** Close enough to a whole number for the real server. */
export function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  if (value < 0 || whole === 0) return false
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < EPSILON
}
