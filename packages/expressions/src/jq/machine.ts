import { type JqError, JqHalt, JqLimitError, JqError as Raised, typePreview } from './errors.ts'
import type { Budget } from './operators.ts'
import type { JqValue } from './value.ts'

export interface JqLimits {
  /** How many steps a run may take; large values cost more than one. */
  maxSteps?: number
}

const defaultMaxSteps = 5_000_000
const maxPending = 500_000

/** Where a value was found, from the last key back to the value that `path` was asked about. */
export interface Trail {
  readonly parent?: Trail
  readonly key?: JqValue
  readonly value: JqValue
}

/** The variables and function arguments in scope, the latest first. */
export interface Env {
  readonly item: JqValue | Closure | Label
  readonly parent: Env | undefined
}

export interface Closure {
  readonly node: Node
  readonly env: Env | undefined
}

export class Label {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Takes the machine's value, and leaves its outputs to the machine's continuation, one at a time. */
export interface Node {
  run(machine: Machine): void
  /** For what has exactly one output and needs no trail: the output. */
  direct?(env: Env | undefined, value: JqValue, machine: Machine): JqValue
}

/** What happens with the next value. */
export interface Frame {
  readonly next: Frame | undefined
  resume(machine: Machine): void
}

/** Where the machine goes on when a way is exhausted. */
export interface Choice {
  retry(machine: Machine): void
}

/** Everything after a `try` has given a value: errors from there are not its own. */
export class PassedTry implements Choice {
  readonly attempt: Choice

  constructor(attempt: Choice) {
    this.attempt = attempt
  }

  retry(machine: Machine): void {
    machine.backtrack()
  }
}

/** Handles the errors of its body. */
export interface Handler extends Choice {
  handle(machine: Machine, error: JqError): void
}

export class LabelChoice implements Choice {
  readonly label: Label

  constructor(label: Label) {
    this.label = label
  }

  retry(machine: Machine): void {
    machine.backtrack()
  }
}

export class BreakSignal extends Raised {
  readonly label: Label

  constructor(label: Label) {
    super(`label not defined: ${label.name}`)
    this.label = label
  }
}

export class CallFrame implements Frame {
  readonly next: Frame | undefined
  readonly resume: (machine: Machine) => void

  constructor(next: Frame | undefined, resume: (machine: Machine) => void) {
    this.next = next
    this.resume = resume
  }
}

/** Runs a node on the value that arrives, in the environment that it was made in. */
export class NodeFrame implements Frame {
  readonly next: Frame | undefined
  readonly #node: Node
  readonly #env: Env | undefined

  constructor(next: Frame | undefined, node: Node, env: Env | undefined) {
    this.next = next
    this.#node = node
    this.#env = env
  }

  resume(machine: Machine): void {
    machine.env = this.#env
    this.#node.run(machine)
  }
}

/** The registers of the machine, to be put back. */
export class Saved {
  readonly value: JqValue
  readonly trail: Trail | undefined
  readonly env: Env | undefined
  readonly frame: Frame | undefined

  constructor(machine: Machine) {
    this.value = machine.value
    this.trail = machine.trail
    this.env = machine.env
    this.frame = machine.frame
  }

  restore(machine: Machine): void {
    machine.value = this.value
    machine.trail = this.trail
    machine.env = this.env
    machine.frame = this.frame
  }
}

/** Evaluates by backtracking. Continuations and choices live in its own lists: no program is too deep for the stack. */
export class Machine implements Budget {
  value: JqValue
  /** Set while a path is being followed. */
  trail: Trail | undefined
  env: Env | undefined
  frame: Frame | undefined
  readonly choices: Choice[] = []
  readonly now: () => number
  #isBacktracking = false
  #output: { value: JqValue } | undefined
  #steps: number
  readonly #maxSteps: number

  constructor(program: Node, input: JqValue, now: () => number, { maxSteps = defaultMaxSteps }: JqLimits) {
    this.value = input
    this.now = now
    this.#steps = maxSteps
    this.#maxSteps = maxSteps
    const output = new CallFrame(undefined, machine => {
      machine.#output = { value: machine.value }
    })
    this.frame = new NodeFrame(output, program, undefined)
  }

  /** The next output, or undefined when there is none. Throws JqError and JqLimitError. */
  next(): { value: JqValue } | undefined {
    for (;;) {
      try {
        this.#step()
      } catch (error) {
        this.#unwind(error)
      }
      if (this.#output !== undefined) {
        const output = this.#output
        this.#output = undefined
        this.#isBacktracking = true
        return output
      }
      if (this.#isBacktracking && this.choices.length === 0) return undefined
    }
  }

  backtrack(): void {
    this.#isBacktracking = true
  }

  spend(amount: number): void {
    this.#steps -= amount
    if (this.#steps < 0) throw new JqLimitError(`the program takes more than ${this.#maxSteps} steps`)
  }

  choose(choice: Choice): void {
    if (this.choices.length >= maxPending) throw new JqLimitError('the program keeps too many alternatives open')
    this.choices.push(choice)
  }

  #step(): void {
    this.spend(1)
    if (this.#isBacktracking) {
      const choice = this.choices.pop()
      if (choice === undefined) return
      this.#isBacktracking = false
      choice.retry(this)
      return
    }
    const frame = this.frame as Frame
    this.frame = frame.next
    frame.resume(this)
  }

  #unwind(error: unknown): void {
    if (error instanceof RangeError && /call stack/.test(error.message))
      throw new JqLimitError('a value of the program is nested too deep')
    if (!(error instanceof Raised)) throw error
    const passed = new Set<Choice>()
    for (let choice = this.choices.pop(); choice !== undefined; choice = this.choices.pop()) {
      if (choice instanceof PassedTry) passed.add(choice.attempt)
      else if (choice instanceof LabelChoice) {
        if (error instanceof BreakSignal && error.label === choice.label) {
          this.#isBacktracking = true
          return
        }
      } else if (isHandler(choice) && !passed.has(choice) && this.#isCatchable(choice, error)) {
        this.#isBacktracking = false
        const handler = choice
        // As a step of its own, because handlers fail too.
        this.frame = new CallFrame(undefined, () => handler.handle(this, error))
        return
      }
    }
    this.#isBacktracking = true
    throw error
  }

  #isCatchable(handler: Handler, error: JqError): boolean {
    return handler instanceof AnyErrorHandler || !(error instanceof BreakSignal || error instanceof JqHalt)
  }
}

/** The next of several patterns is tried whatever went wrong with this one. */
export class AnyErrorHandler implements Handler {
  readonly handle: (machine: Machine) => void

  constructor(handle: (machine: Machine) => void) {
    this.handle = handle
  }

  retry(machine: Machine): void {
    machine.backtrack()
  }
}

function isHandler(choice: Choice): choice is Handler {
  return 'handle' in choice
}

/** Whether the value is still the one that the trail leads to. */
export function isIntact(value: JqValue, trail: Trail): boolean {
  const found = trail.value
  if (Array.isArray(value) && Array.isArray(found)) return value === found || (value.length === 0 && found.length === 0)
  return value === found || (Number.isNaN(value) && Number.isNaN(found))
}

export function checkIntact(value: JqValue, trail: Trail): void {
  if (!isIntact(value, trail)) throw new Raised(`invalid path against: ${typePreview(value)}`)
}

export function keysOf(trail: Trail): JqValue[] {
  const keys: JqValue[] = []
  for (let at: Trail | undefined = trail; at?.parent !== undefined; at = at.parent) keys.push(at.key as JqValue)
  return keys.reverse()
}
