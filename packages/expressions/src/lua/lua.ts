import { addFunctions, functionsOf } from './arguments.ts'
import { baseLibrary } from './base-library.ts'
import { type Json, jsonOf, NotJsonError, stringify, tableOf } from './event-table.ts'
import { compileFunction } from './interpreter.ts'
import { mathLibrary } from './math-library.ts'
import { Operators } from './operators.ts'
import { osLibrary } from './os-library.ts'
import { parse } from './parser.ts'
import { stringLibrary } from './string-library.ts'
import type { FunctionBody } from './syntax-tree.ts'
import { tableLibrary } from './table-library.ts'
import { bytesOf, forgetIdentities, LuaError, LuaLimitError, LuaTable, type LuaValue, textOf } from './value.ts'

export interface LuaOptions {
  /** How many loops, calls and the like a run may take; large values cost more than one. */
  maxSteps?: number
  /** How many characters the result may have as JSON. */
  maxOutput?: number
  /** What `os.time` and `os.date` go by, in milliseconds since 1970. Without it the time is always 0. */
  now?: () => number
  /** What `math.random` goes by: numbers from 0 up to 1. Without it they are always 0. */
  random?: () => number
  /** Takes what the script prints. Without it nothing is kept. */
  print?: (line: string) => void
}

const defaultMaxSteps = 5_000_000
const defaultMaxOutput = 1024 * 1024

/** A parsed script. It holds no state: every run starts with fresh globals. */
export interface LuaScript {
  /** What a filter of Argo Events says: whether the last value that the script returns is true. */
  filter(event: string, options?: LuaOptions): boolean
  /** What a transformation of Argo Events makes: the last value that the script returns, a table, as JSON. */
  transform(event: string, options?: LuaOptions): string
}

const chunkName = '<string>'

/**
 * Parses a script of Lua 5.1 as gopher-lua runs it for Argo Events. The global `event` is the event's data.
 * Nothing reaches the machine: of `os` there is time, and neither `io` nor `require` nor `debug`. Throws LuaSyntaxError.
 */
export function parseLua(source: string): LuaScript {
  return new ParsedScript(parse(bytesOf(source), chunkName))
}

class ParsedScript implements LuaScript {
  readonly #body: FunctionBody

  constructor(body: FunctionBody) {
    this.#body = body
  }

  filter(event: string, options: LuaOptions = {}): boolean {
    return this.#run(event, options) === true
  }

  transform(event: string, options: LuaOptions = {}): string {
    const result = this.#run(event, options)
    if (!(result instanceof LuaTable)) throw new LuaError('transformation script output type is not of lua table')
    const text = resultText(result)
    const { maxOutput = defaultMaxOutput } = options
    if (text.length > maxOutput) throw new LuaLimitError(`the output has more than ${maxOutput} characters`)
    return text
  }

  #run(event: string, options: LuaOptions): LuaValue {
    const data = JSON.parse(event) as Json
    if (typeof data !== 'object' || Array.isArray(data)) throw new LuaError('the event is no JSON object')
    return runScript(this.#body, data ?? {}, options)
  }
}

/** The last value that the script returns, nil without one. */
function runScript(body: FunctionBody, event: { [key: string]: Json }, options: LuaOptions): LuaValue {
  forgetIdentities()
  const { print = () => {}, now = () => 0, random = () => 0 } = options
  const surroundings = { now, random, print: (line: string) => print(textOf(line)) }
  const operators = new Operators(chunkName, options.maxSteps ?? defaultMaxSteps, surroundings)
  openLibraries(operators)
  operators.globals.set('event', tableOf(event))
  try {
    return operators.call(compileFunction(body, operators)([]), []).at(-1)
  } catch (error) {
    if (error instanceof RangeError) throw new LuaLimitError('the script needs too much stack or too long an array')
    throw error
  }
}

const libraries = {
  base: functionsOf(baseLibrary),
  string: functionsOf(stringLibrary),
  table: functionsOf(tableLibrary),
  math: functionsOf(mathLibrary),
  os: functionsOf(osLibrary),
}

function openLibraries({ globals, typeMetatables }: Operators): void {
  addFunctions(globals, libraries.base)
  const strings = addFunctions(new LuaTable(), libraries.string)
  strings.set('__index', strings)
  typeMetatables.set('string', strings)
  const math = addFunctions(new LuaTable(), libraries.math)
  math.set('pi', Math.PI)
  math.set('huge', Number.MAX_VALUE)
  globals.set('string', strings)
  globals.set('table', addFunctions(new LuaTable(), libraries.table))
  globals.set('math', math)
  globals.set('os', addFunctions(new LuaTable(), libraries.os))
  globals.set('_G', globals)
  globals.set('_VERSION', 'Lua 5.1')
}

function resultText(result: LuaValue): string {
  try {
    return stringify(jsonOf(result))
  } catch (error) {
    if (error instanceof NotJsonError) throw new LuaError(error.message)
    if (error instanceof RangeError) throw new LuaLimitError('the result is too large')
    throw error
  }
}

/** For comparisons with the original: the last value of whatever type. */
export function evaluateLua(source: string, event: { [key: string]: Json }): LuaValue {
  return runScript(parse(bytesOf(source), chunkName), event, {})
}
