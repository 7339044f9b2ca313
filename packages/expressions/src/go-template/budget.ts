import { GoMap, GoSlice, type GoValue } from './value.ts'

/** Executing a template failed. The message is the one that Go gives. */
export class TemplateExecutionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TemplateExecutionError'
  }
}

/** A template wanted more than it may have. */
export class TemplateLimitError extends TemplateExecutionError {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateLimitError'
  }
}

export interface TemplateLimits {
  /** What a template may print, in bytes. 1 MB unless told otherwise. */
  outputBytes?: number
  /** What it may do: a step is a node that is visited, a function that is called, 64 characters or 16
   *  items that a function is given or gives. One
   *  million unless told otherwise. */
  steps?: number
}

/** No text that a function makes has more characters than this, no list more items. */
const maxTextLength = 4_000_000
const maxListLength = 1_000_000
const charactersPerStep = 64
const itemsPerStep = 16

/** How deep values are looked into. Go's own functions do not end for a map that contains itself. */
export const maxValueDepth = 500

/** What an execution has used up of what it may use. */
export class Budget {
  readonly outputBytes: number
  readonly #steps: number
  #used = 0

  constructor({ outputBytes = 1024 * 1024, steps = 1_000_000 }: TemplateLimits = {}) {
    this.outputBytes = outputBytes
    this.#steps = steps
  }

  step(count = 1): void {
    this.#used += count
    if (this.#used > this.#steps) throw new TemplateLimitError(`template took more than ${this.#steps} steps`)
  }

  /** Asks for a text before it is made. */
  reserve(length: number): void {
    if (length > maxTextLength) {
      throw new TemplateLimitError(`template made a text of more than ${maxTextLength} characters`)
    }
    this.step(length / charactersPerStep)
  }

  /** Asks for a list before it is made. */
  reserveItems(count: number): void {
    if (count > maxListLength) throw new TemplateLimitError(`template made a list of more than ${maxListLength} items`)
    this.step(count / itemsPerStep)
  }

  /** Takes the steps for what a function is given or gives. */
  charge(value: GoValue): void {
    if (typeof value === 'string') this.reserve(value.length)
    else if (value instanceof GoSlice) this.reserveItems(value.items.length)
    else if (value instanceof GoMap) this.reserveItems(value.entries.size)
  }

  output(bytes: number): void {
    if (bytes > this.outputBytes) {
      throw new TemplateLimitError(`template printed more than ${this.outputBytes} bytes`)
    }
  }

  checkDepth(depth: number): void {
    if (depth > maxValueDepth)
      throw new TemplateLimitError(`template made a value nested more than ${maxValueDepth} deep`)
  }
}
