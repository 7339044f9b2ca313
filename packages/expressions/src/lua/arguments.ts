import { concatText } from './operators.ts'
import { LuaError, LuaFunction, LuaTable, type LuaValue, type Runtime, toNumber, truncate, typeName } from './value.ts'

/** The arguments of a library function, checked as gopher-lua does. Positions count from 1. */
export class Arguments {
  readonly values: LuaValue[]
  readonly #runtime: Runtime
  readonly #name: string

  constructor(values: LuaValue[], runtime: Runtime) {
    this.values = values
    this.#runtime = runtime
    this.#name = runtime.calleeName
  }

  get(position: number): LuaValue {
    return this.values[position - 1]
  }

  fail(position: number, message: string): LuaError {
    return this.#runtime.error(`bad argument #${position} to ${this.#name} (${message})`)
  }

  #wrongType(position: number, wanted: string): LuaError {
    return this.fail(position, `${wanted} expected, got ${typeName(this.get(position))}`)
  }

  any(position: number): LuaValue {
    if (position > this.values.length) throw this.fail(position, 'value expected')
    return this.get(position)
  }

  /** Only numbers: strings are not converted. */
  integer(position: number, fallback?: number): number {
    const value = this.get(position)
    if (typeof value === 'number') return truncate(value)
    if (value === undefined && fallback !== undefined) return fallback
    throw this.#wrongType(position, 'number')
  }

  number(position: number): number {
    const value = toNumber(this.get(position))
    if (value === undefined) throw this.#wrongType(position, 'number')
    return value
  }

  string(position: number): string {
    const text = concatText(this.get(position))
    if (text === undefined) throw this.#wrongType(position, 'string')
    return text
  }

  optionalString(position: number, fallback: string): string {
    const value = this.get(position)
    if (value === undefined) return fallback
    if (typeof value !== 'string') throw this.#wrongType(position, 'string')
    return value
  }

  table(position: number): LuaTable {
    const value = this.get(position)
    if (!(value instanceof LuaTable)) throw this.#wrongType(position, 'table')
    return value
  }

  function(position: number): LuaFunction {
    const value = this.get(position)
    if (!(value instanceof LuaFunction)) throw this.#wrongType(position, 'function')
    return value
  }

  /** One of several types. */
  oneOf(position: number, ...types: string[]): LuaValue {
    const value = this.get(position)
    if (!types.includes(typeName(value)))
      throw this.fail(position, `${types.join(' or ')} expected, got ${typeName(value)}`)
    return value
  }
}

export type Library = readonly (readonly [name: string, apply: (args: Arguments, runtime: Runtime) => LuaValue[]])[]

/** Made once; scripts get fresh tables of them. */
export type Functions = readonly (readonly [name: string, callable: LuaFunction])[]

export function functionsOf(library: Library): Functions {
  return library.map(([name, apply]) => [name, nativeFunction(apply)] as const)
}

/** What a script does to its table, no other script sees. */
export function addFunctions(table: LuaTable, functions: Functions): LuaTable {
  for (const [name, callable] of functions) table.set(name, callable)
  return table
}

export function nativeFunction(apply: (args: Arguments, runtime: Runtime) => LuaValue[]): LuaFunction {
  return new LuaFunction((values, runtime) => apply(new Arguments(values, runtime), runtime), true)
}
