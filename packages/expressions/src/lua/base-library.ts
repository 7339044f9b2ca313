import { type Arguments, type Library, nativeFunction } from './arguments.ts'
import { compileFunction } from './interpreter.ts'
import { concatText } from './operators.ts'
import { parse } from './parser.ts'
import {
  LuaError,
  LuaFunction,
  LuaSyntaxError,
  LuaTable,
  type LuaValue,
  parseNumber,
  type Runtime,
  toText,
  typeName,
} from './value.ts'

const pairsNext = nativeFunction((args, _runtime) => args.table(1).next(args.get(2)) ?? [])

const ipairsNext = nativeFunction(args => {
  const position = args.integer(2) + 1
  const value = args.table(1).array[position - 1]
  return value === undefined ? [] : [position, value]
})

function textOfValue(value: LuaValue, runtime: Runtime): LuaValue {
  const method = runtime.metatable(value)?.get('__tostring')
  return method instanceof LuaFunction && typeof value !== 'string' ? runtime.call(method, [value])[0] : toText(value)
}

function toNumberIn(args: Arguments): LuaValue {
  const base = args.integer(2, 10)
  const value = args.any(1)
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const text = value.replace(/^[ \n\t]+|[ \n\t]+$/g, '')
  if (text.includes('.')) return /^[+-]?(?:\d|\.\d|inf|nan)/i.test(text) ? parseNumber(text) : undefined
  const isHex = args.get(2) === undefined && /^0x/i.test(text)
  return parseDigits(isHex ? text.slice(2) : text, isHex ? 16 : base)
}

function parseDigits(text: string, base: number): number | undefined {
  const match = /^([+-]?)([0-9a-z]+)$/i.exec(text)
  if (match === null || base < 2 || base > 36) return undefined
  let total = 0n
  for (const digit of (match[2] as string).toLowerCase()) {
    const value = Number.parseInt(digit, 36)
    if (value >= base) return undefined
    total = total * BigInt(base) + BigInt(value)
  }
  const limit = 2n ** 63n
  if (total > (match[1] === '-' ? limit : limit - 1n)) return undefined
  return Number(match[1] === '-' ? -total : total)
}

/** Errors of the script become results; limits do not. */
function protect(run: () => LuaValue[], handle: (error: LuaValue) => LuaValue): LuaValue[] {
  try {
    return [true, ...run()]
  } catch (error) {
    if (error instanceof LuaError) return [false, handle(error.value)]
    throw error
  }
}

function load(source: string, name: string, runtime: Runtime): LuaValue[] {
  try {
    return [compileFunction(parse(source, name), runtime)([])]
  } catch (error) {
    if (error instanceof LuaSyntaxError) return [undefined, error.message]
    throw error
  }
}

/** What a script sees as globals; `setfenv`, `module` and `require` are not there, nor is anything that reads files. */
export const baseLibrary: Library = [
  [
    'assert',
    (args, runtime) => {
      const value = args.get(1)
      if (value === undefined || value === false) throw runtime.error(args.optionalString(2, 'assertion failed!'))
      return args.values
    },
  ],
  ['collectgarbage', () => []],
  [
    'error',
    (args, runtime) => {
      const value = args.any(1)
      const level = args.integer(2, 1)
      throw new LuaError(typeof value === 'string' && level > 0 ? `${runtime.where(level - 1)}${value}` : value)
    },
  ],
  ['getfenv', (_args, runtime) => [runtime.globals]],
  [
    'getmetatable',
    (args, runtime) => {
      const table = runtime.metatable(args.any(1))
      return [table?.get('__metatable') ?? table]
    },
  ],
  ['ipairs', args => [ipairsNext, args.table(1), 0]],
  ['pairs', args => [pairsNext, args.table(1), undefined]],
  ['next', args => args.table(1).next(args.get(2)) ?? [undefined]],
  [
    'load',
    (args, runtime) => {
      const reader = args.function(1)
      const name = args.optionalString(2, '?')
      let source = ''
      for (;;) {
        const [part] = runtime.call(reader, [])
        const text = concatText(part)
        if (part !== undefined && text === undefined) return [undefined, 'reader function must return a string']
        if (text === undefined || text === '') return load(source, name, runtime)
        source += text
      }
    },
  ],
  ['loadstring', (args, runtime) => load(args.string(1), args.optionalString(2, '<string>'), runtime)],
  [
    'pcall',
    (args, runtime) => {
      const callee = args.any(1)
      const isCallable =
        callee instanceof LuaFunction || runtime.metatable(callee)?.get('__call') instanceof LuaFunction
      if (!isCallable) return [false, `attempt to call a ${typeName(callee)} value`]
      return protect(
        () => runtime.call(callee, args.values.slice(1)),
        error => error,
      )
    },
  ],
  [
    'xpcall',
    (args, runtime) => {
      const [callee, handler] = [args.function(1), args.function(2)]
      return protect(
        () => runtime.call(callee, []),
        error => runtime.call(handler, [error])[0],
      )
    },
  ],
  [
    'print',
    (args, runtime) => {
      runtime.surroundings.print(args.values.map(value => String(textOfValue(value, runtime))).join('\t'))
      return []
    },
  ],
  ['rawequal', args => [args.any(1) === args.any(2)]],
  ['rawget', args => [args.table(1).get(args.any(2))]],
  [
    'rawset',
    (args, runtime) => {
      runtime.rawSet(args.table(1), args.any(2), args.any(3))
      return []
    },
  ],
  [
    'select',
    args => {
      const which = args.oneOf(1, 'number', 'string')
      const count = args.values.length
      if (typeof which === 'number') {
        const index = Math.trunc(which)
        const from = index < 0 ? count + index : Math.min(index, count)
        if (from < 1) throw args.fail(1, 'index out of range')
        return args.values.slice(from)
      }
      if (which !== '#') throw args.fail(1, `invalid string '${which as string}'`)
      return [count - 1]
    },
  ],
  [
    'setmetatable',
    (args, runtime) => {
      const metatable = args.oneOf(2, 'nil', 'table')
      const value = args.get(1)
      if (value === undefined) throw runtime.error('cannot set metatable to a nil object.')
      if (runtime.metatable(value)?.get('__metatable') !== undefined)
        throw runtime.error('cannot change a protected metatable')
      if (value instanceof LuaTable) value.metatable = metatable as LuaTable | undefined
      else if (metatable instanceof LuaTable) runtime.typeMetatables.set(typeName(value), metatable)
      else runtime.typeMetatables.delete(typeName(value))
      return [value]
    },
  ],
  ['tonumber', args => [toNumberIn(args)]],
  ['tostring', (args, runtime) => [textOfValue(args.any(1), runtime)]],
  ['type', args => [typeName(args.any(1))]],
  [
    'unpack',
    (args, runtime) => {
      const table = args.table(1)
      const [from, to] = [args.integer(2, 1), args.integer(3, table.length)]
      if (to - from > 5_000) throw runtime.error('registry overflow')
      const values: LuaValue[] = []
      for (let at = from; at <= to; at++) values.push(table.array[at - 1])
      return values
    },
  ],
]
