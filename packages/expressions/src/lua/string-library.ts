import { stringLength } from '../cel/text-order.ts'
import type { Arguments, Library } from './arguments.ts'
import { nativeFunction } from './arguments.ts'
import { checkLength, concatText } from './operators.ts'
import { findAll, type Match, parsePattern } from './pattern.ts'
import { formatString } from './string-format.ts'
import { bytesOf, isTruthy, LuaTable, type LuaValue, type Runtime, textOf } from './value.ts'

/** From Lua's positions, which count from 1 and from the end, to those of JavaScript. */
function position(length: number, index: number, isStart: boolean): number {
  const shifted = isStart && index !== 0 ? index - 1 : index
  const found = Math.max(0, shifted < 0 ? length + shifted + 1 : shifted)
  return isStart ? found : Math.min(found, length)
}

function search(args: Arguments, runtime: Runtime, offset: number, limit: number): Match[] {
  const text = args.string(1)
  const pattern = parsePattern(args.string(2), message => runtime.error(message))
  return findAll(pattern, text, offset, limit, runtime)
}

function find(args: Arguments, runtime: Runtime): LuaValue[] {
  const [text, pattern] = [args.string(1), args.string(2)]
  if (pattern === '') return [1, 0]
  const offset = position(text.length, args.integer(3, 1), true)
  if (args.values.length === 4 && isTruthy(args.get(4))) {
    const at = text.indexOf(pattern, offset)
    return at < 0 ? [undefined] : [at + 1, at + pattern.length]
  }
  const [match] = search(args, runtime, offset, 1)
  return match === undefined ? [undefined] : [match.start + 1, match.end, ...match.captures]
}

function match(args: Arguments, runtime: Runtime): LuaValue[] {
  const text = args.string(1)
  args.string(2)
  const from = args.integer(3, 1)
  const offset = Math.max(0, (from < 0 ? text.length + from + 1 : from) - 1)
  const [found] = search(args, runtime, offset, 1)
  return found === undefined ? [] : valuesOf(text, found)
}

function valuesOf(text: string, { start, end, captures }: Match): LuaValue[] {
  return captures.length > 0 ? captures : [text.slice(start, end)]
}

function gsub(args: Arguments, runtime: Runtime): LuaValue[] {
  const text = args.string(1)
  args.string(2)
  const replacement = args.oneOf(3, 'string', 'table', 'function')
  const matches = search(args, runtime, 0, args.integer(4, -1))
  let result = ''
  let done = 0
  for (const found of matches) {
    const replaced = replace(text, found, replacement, runtime)
    if (replaced === undefined) continue
    result += text.slice(done, found.start) + replaced
    done = found.end
    checkLength(runtime, result.length)
  }
  return [result + text.slice(done), matches.length]
}

/** Undefined to leave the match as it is. */
function replace(text: string, found: Match, replacement: LuaValue, runtime: Runtime): string | undefined {
  if (typeof replacement === 'string') return expand(text, found, replacement, runtime)
  const values = valuesOf(text, found)
  const value =
    replacement instanceof LuaTable ? runtime.index(replacement, values[0]) : runtime.call(replacement, values)[0]
  return isTruthy(value) ? (concatText(value) ?? '') : undefined
}

function expand(text: string, { start, end, captures }: Match, replacement: string, runtime: Runtime): string {
  return replacement.replace(/%([0-9%])/g, (_all, digit: string) => {
    if (digit === '%') return '%'
    const number = Number(digit)
    if (number === 0 || (number === 1 && captures.length === 0)) return text.slice(start, end)
    if (number > captures.length) throw runtime.error('invalid capture index')
    return String(captures[number - 1])
  })
}

function gmatch(args: Arguments, runtime: Runtime): LuaValue[] {
  const text = args.string(1)
  const matches = search(args, runtime, 0, -1)
  let next = 0
  return [
    nativeFunction(() => {
      const found = matches[next++]
      return found === undefined ? [] : valuesOf(text, found)
    }),
  ]
}

function bytes(args: Arguments, runtime: Runtime): LuaValue[] {
  const text = args.string(1)
  const first = args.integer(2, 1) - 1
  const last = args.integer(3, -1)
  const start = first < 0 ? text.length + first + 1 : first
  const end = last < 0 ? text.length + last + 1 : last
  if (args.values.length === 2) return start >= 0 && start < text.length ? [text.charCodeAt(start)] : []
  const [from, to] = [Math.max(start, 0), Math.min(end, text.length)]
  const codes: LuaValue[] = []
  if (to - from > 5_000) throw runtime.error('registry overflow')
  for (let at = from; at < to; at++) codes.push(text.charCodeAt(at))
  return codes
}

function changeCase(change: (character: string) => string): (args: Arguments) => LuaValue[] {
  return args => {
    const text = textOf(args.string(1))
    let changed = ''
    for (const character of text) {
      const other = change(character)
      changed += stringLength(other) === 1 ? other : character
    }
    return [bytesOf(changed)]
  }
}

export const stringLibrary: Library = [
  ['byte', bytes],
  ['char', args => [args.values.map((_value, at) => String.fromCharCode(args.integer(at + 1) & 255)).join('')]],
  [
    'dump',
    (_args, runtime) => {
      throw runtime.error('GopherLua does not support the string.dump')
    },
  ],
  ['find', find],
  ['format', (args, runtime) => [formatString(args.string(1), args.values.slice(1), runtime)]],
  ['gmatch', gmatch],
  ['gfind', gmatch],
  ['gsub', gsub],
  ['len', args => [args.string(1).length]],
  ['lower', changeCase(character => character.toLowerCase())],
  ['upper', changeCase(character => character.toUpperCase())],
  ['match', match],
  [
    'rep',
    (args, runtime) => {
      const [text, times] = [args.string(1), args.integer(2)]
      checkLength(runtime, text.length * Math.max(times, 0))
      return [text.repeat(Math.max(times, 0))]
    },
  ],
  ['reverse', args => [Buffer.from(args.string(1), 'latin1').reverse().toString('latin1')]],
  [
    'sub',
    args => {
      const text = args.string(1)
      const start = position(text.length, args.integer(2), true)
      return [text.slice(start, Math.max(start, position(text.length, args.integer(3, -1), false)))]
    },
  ],
]
