import type { Random } from '@tiphys/env'
import type { Budget } from './budget.ts'
import type { VersionValue } from './sprig/version-value.ts'
import type { TimeValue } from './time-value.ts'
import type { GoMap, GoSlice, GoType, GoValue } from './value.ts'

/** What a function may use beyond its arguments. */
export interface CallContext {
  readonly random: Random
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly budget: Budget
}

/** A function that templates call. Arguments are checked against the parameters before it runs, as Go's reflection does. */
export interface GoFunction {
  readonly parameters: readonly GoType[]
  /** The last parameter's type is that of each of the arguments from there on. */
  readonly isVariadic: boolean
  call(context: CallContext, args: readonly GoValue[]): GoValue
}

/** What an argument of a type is in TypeScript. `int` is a number: what does not fit is too large for any use of it. */
interface ArgumentTypes {
  string: string
  int: number
  uint32: number
  int64: bigint
  float64: number
  bool: boolean
  any: GoValue
  map: GoMap
  list: GoSlice
  'time.Time': TimeValue
  'time.Duration': bigint
  '*semver.Version': VersionValue
}

type Argument<T> = T extends keyof ArgumentTypes ? ArgumentTypes[T] : never
type Arguments<P extends readonly string[]> = P extends readonly [infer First, ...infer Rest extends readonly string[]]
  ? First extends `...${infer Each}`
    ? Argument<Each>[]
    : [Argument<First>, ...Arguments<Rest>]
  : []

const goTypes: Readonly<Record<string, GoType>> = {
  any: 'interface {}',
  map: 'map[string]interface {}',
  list: '[]interface {}',
}

const asNumber = new Set(['int', 'uint32'])

/** Declares a function: `define(['string', '...any'], (context, text, ...rest) => …)`. */
export function define<const P extends readonly string[]>(
  parameters: P,
  implementation: (context: CallContext, ...args: Arguments<P>) => GoValue,
): GoFunction {
  const names = parameters.map(name => name.replace('...', ''))
  const run = implementation as (context: CallContext, ...args: GoValue[]) => GoValue
  return {
    parameters: names.map(name => goTypes[name] ?? name),
    isVariadic: parameters.at(-1)?.startsWith('...') === true,
    call: (context, args) =>
      run(
        context,
        ...args.map((arg, index) => nativeArgument(arg, names[Math.min(index, names.length - 1)] as string)),
      ),
  }
}

function nativeArgument(arg: GoValue, name: string): GoValue {
  if (asNumber.has(name)) return Number(typeof arg === 'bigint' ? arg : (arg as { value: bigint }).value)
  if (name === 'int64' || name === 'time.Duration') return (arg as { value: bigint }).value
  return arg
}
