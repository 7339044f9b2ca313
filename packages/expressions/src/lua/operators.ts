import type { Frame } from './interpreter.ts'
import {
  isArrayKey,
  isTruthy,
  LuaError,
  LuaFunction,
  LuaLimitError,
  LuaTable,
  type LuaValue,
  numberText,
  type Runtime,
  toNumber,
  typeName,
} from './value.ts'

/** gopher-lua has room for this many calls inside each other. */
const maxDepth = 256
const maxIndexChain = 100
const maxStringLength = 2 * 1024 * 1024
/** The registers of gopher-lua. */
const maxValues = 5_000

const events: ReadonlyMap<string, string> = new Map([
  ['+', 'add'],
  ['-', 'sub'],
  ['*', 'mul'],
  ['/', 'div'],
  ['%', 'mod'],
  ['^', 'pow'],
])

/** What a script may learn of the world, and tell it. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  now(): number
  /** From 0 up to 1. */
  random(): number
  print(line: string): void
}

interface TailCall {
  readonly callee: LuaFunction
  readonly args: LuaValue[]
  readonly name: string
}

/** What the script's operators do, metamethods included, and the stack of its calls. */
export class Operators {
  readonly globals = new LuaTable()
  /** The metatables of all values of a type, other than tables. */
  readonly typeMetatables = new Map<string, LuaTable>()
  readonly chunkName: string
  /** The name that the script calls the current function by. */
  calleeName = '?'
  #steps: number
  readonly #maxSteps: number
  readonly #frames: (Frame | undefined)[] = []
  #tail: TailCall | undefined

  readonly surroundings: Surroundings
  readonly startedAt: number

  constructor(chunkName: string, maxSteps: number, surroundings: Surroundings) {
    this.chunkName = chunkName
    this.surroundings = surroundings
    this.startedAt = surroundings.now()
    this.#steps = maxSteps
    this.#maxSteps = maxSteps
  }

  spend(amount: number): void {
    this.#steps -= amount
    if (this.#steps < 0) throw new LuaLimitError(`the script takes more than ${this.#maxSteps} steps`)
  }

  enter(frame: Frame): void {
    this.#frames[this.#frames.length - 1] = frame
  }

  leave(): void {
    this.#frames[this.#frames.length - 1] = undefined
  }

  /** Where the script is, `level` calls above the current one, or above the library's functions there. */
  where(level = 0): string {
    for (let at = this.#frames.length - 1 - level; at >= 0; at--) {
      const frame = this.#frames[at]
      if (frame !== undefined) return `${this.chunkName}:${frame.line}: `
    }
    return ''
  }

  error(message: string): LuaError {
    return new LuaError(`${this.where()}${message}`)
  }

  call(callee: LuaValue, args: LuaValue[], name = '(anonymous)'): LuaValue[] {
    this.spend(1)
    if (!(callee instanceof LuaFunction)) {
      const method = this.metatable(callee)?.get('__call')
      if (!(method instanceof LuaFunction)) throw this.error('attempt to call a non-function object')
      return this.call(method, [callee, ...args], name)
    }
    if (args.length > maxValues) throw this.error('registry overflow')
    if (this.#frames.length >= maxDepth) throw this.error('stack overflow')
    this.#frames.push(undefined)
    this.calleeName = name
    try {
      let results = callee.call(args, this)
      for (let tail = this.#takeTail(); tail !== undefined; tail = this.#takeTail()) {
        this.spend(1)
        this.leave()
        this.calleeName = tail.name
        results = tail.callee.call(tail.args, this)
      }
      return results
    } finally {
      this.#frames.pop()
    }
  }

  /** Has the call of the current function replaced by another one: endless tail calls need no stack. */
  tailCall(callee: LuaFunction, args: LuaValue[], name: string): void {
    this.#tail = { callee, args, name }
  }

  #takeTail(): TailCall | undefined {
    const tail = this.#tail
    this.#tail = undefined
    return tail
  }

  metatable(value: LuaValue): LuaTable | undefined {
    if (value instanceof LuaTable) return value.metatable
    return this.typeMetatables.get(typeName(value))
  }

  #metamethod(value: LuaValue, event: string): LuaValue {
    return this.metatable(value)?.get(event)
  }

  index(target: LuaValue, key: LuaValue): LuaValue {
    let at = target
    for (let left = maxIndexChain; left > 0; left--) {
      if (at instanceof LuaTable) {
        const value = at.get(key)
        if (value !== undefined) return value
      }
      const handler = this.#metamethod(at, '__index')
      if (handler === undefined) {
        if (!(at instanceof LuaTable)) throw this.#notIndexable(at, key)
        return undefined
      }
      if (handler instanceof LuaFunction) return this.call(handler, [at, key])[0]
      at = handler
    }
    throw this.error('too many recursions in gettable')
  }

  setIndex(target: LuaValue, key: LuaValue, value: LuaValue): void {
    let at = target
    for (let left = maxIndexChain; left > 0; left--) {
      const isTable = at instanceof LuaTable
      if (at instanceof LuaTable && at.get(key) !== undefined) {
        this.rawSet(at, key, value)
        return
      }
      const handler = this.#metamethod(at, '__newindex')
      if (handler === undefined) {
        if (!isTable) throw this.#notIndexable(at, key)
        this.rawSet(at as LuaTable, key, value)
        return
      }
      if (handler instanceof LuaFunction) {
        this.call(handler, [at, key, value])
        return
      }
      at = handler
    }
    throw this.error('too many recursions in settable')
  }

  rawSet(table: LuaTable, key: LuaValue, value: LuaValue): void {
    if (key === undefined) throw this.error('table index is nil')
    if (Number.isNaN(key)) throw this.error('table index is NaN')
    if (isArrayKey(key) && key > table.array.length) this.spend(Math.max(1, (key - table.array.length) / 8))
    table.set(key, value)
  }

  #notIndexable(value: LuaValue, key: LuaValue): LuaError {
    const shown = typeof key === 'number' ? numberText(key) : typeof key === 'string' ? key : String(key ?? 'nil')
    return this.error(`attempt to index a non-table object(${typeName(value)}) with key '${shown}'`)
  }

  arithmetic(operator: string, left: LuaValue, right: LuaValue): LuaValue {
    if (typeof left === 'number' && typeof right === 'number') return withoutSign(compute(operator, left, right))
    const event = events.get(operator) as string
    const method = this.#metamethod(left, `__${event}`) ?? this.#metamethod(right, `__${event}`)
    if (method instanceof LuaFunction) return this.call(method, [left, right])[0]
    const [a, b] = [toNumber(left), toNumber(right)]
    if (a !== undefined && b !== undefined) return withoutSign(compute(operator, a, b))
    const [x, y] = [a ?? left, b ?? right]
    throw this.error(`cannot perform ${event} operation between ${typeName(x)} and ${typeName(y)}`)
  }

  negate(value: LuaValue): LuaValue {
    if (typeof value === 'number') return -value
    const method = this.#metamethod(value, '__unm')
    if (method instanceof LuaFunction) return this.call(method, [value])[0]
    const number = toNumber(value)
    if (number === undefined) throw this.error('__unm undefined')
    return -number
  }

  length(value: LuaValue): LuaValue {
    if (typeof value === 'string') return value.length
    const method = this.#metamethod(value, '__len')
    if (method instanceof LuaFunction) return this.call(method, [value])[0]
    if (!(value instanceof LuaTable)) throw this.error('__len undefined')
    return value.length
  }

  equals(left: LuaValue, right: LuaValue): boolean {
    if (left === right) return true
    if (!(left instanceof LuaTable) || !(right instanceof LuaTable)) return false
    return this.#compareObjects(left, right, '__eq') === true
  }

  lessThan(left: LuaValue, right: LuaValue): boolean {
    if (typeof left === 'number' && typeof right === 'number') return left < right
    if (typeof left === 'string' && typeof right === 'string') return left < right
    return this.#order(left, right, '__lt')
  }

  lessOrEqual(left: LuaValue, right: LuaValue): boolean {
    if (typeof left === 'number' && typeof right === 'number') return left <= right
    if (typeof left === 'string' && typeof right === 'string') return left <= right
    if (typeName(left) === typeName(right)) {
      const result = this.#compareObjects(left, right, '__le')
      if (result !== undefined) return result
      const reversed = this.#compareObjects(right, left, '__lt')
      if (reversed !== undefined) return !reversed
    }
    throw this.#notComparable(left, right)
  }

  #order(left: LuaValue, right: LuaValue, event: string): boolean {
    const result = typeName(left) === typeName(right) ? this.#compareObjects(left, right, event) : undefined
    if (result === undefined) throw this.#notComparable(left, right)
    return result
  }

  /** Undefined when the two do not share the metamethod. */
  #compareObjects(left: LuaValue, right: LuaValue, event: string): boolean | undefined {
    const [a, b] = [this.#metamethod(left, event), this.#metamethod(right, event)]
    return a instanceof LuaFunction && a === b ? isTruthy(this.call(a, [left, right])[0]) : undefined
  }

  #notComparable(left: LuaValue, right: LuaValue): LuaError {
    return this.error(`attempt to compare ${typeName(left)} with ${typeName(right)}`)
  }

  concatenationMethod(left: LuaValue, right: LuaValue): LuaFunction | undefined {
    const method = this.#metamethod(left, '__concat') ?? this.#metamethod(right, '__concat')
    return method instanceof LuaFunction ? method : undefined
  }
}

/** gopher-lua has one zero for all results. */
function withoutSign(value: number): number {
  return value + 0
}

function compute(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      return modulo(left, right)
    default:
      return left === 1 ? 1 : left ** right
  }
}

/** The sign is the divisor's. */
export function modulo(left: number, right: number): number {
  const rest = left % right
  return rest * right < 0 ? rest + right : rest
}

export function concatenate(operators: Operators, left: LuaValue, right: LuaValue): LuaValue {
  const [a, b] = [concatText(left), concatText(right)]
  if (a !== undefined && b !== undefined) {
    checkLength(operators, a.length + b.length)
    return a + b
  }
  const method = operators.concatenationMethod(left, right)
  if (method !== undefined) return operators.call(method, [left, right])[0]
  throw operators.error(`cannot perform concat operation between ${typeName(left)} and ${typeName(right)}`)
}

/** Strings and numbers are their text; nothing else is. */
export function concatText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? numberText(value) : undefined
}

export function checkLength(runtime: Runtime, length: number): void {
  if (length > maxStringLength)
    throw new LuaLimitError(`the script makes a string of more than ${maxStringLength} bytes`)
  runtime.spend(length / 64)
}
