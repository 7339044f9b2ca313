import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Json, jsonOf, NotJsonError, stringify } from './event-table.ts'
import { LuaError, LuaLimitError, LuaSyntaxError, parseLua } from './index.ts'
import { evaluateLua } from './lua.ts'
import { LuaFunction, typeName } from './value.ts'

interface Case {
  s: string
  e: { [key: string]: Json }
}

interface Answer {
  error?: string
  type?: string
  value?: string
}

const recorded = readFileSync(new URL('../../testdata/lua.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

/** Wanted differences, by what the script says. */
const exceptions: readonly { script: RegExp; why: string }[] = [
  { script: /\bos\.execute\b/, why: 'nothing that reaches the machine is there' },
]

function answer({ s, e }: Case): Answer {
  try {
    const value = evaluateLua(s, e)
    const type = typeName(value)
    return value instanceof LuaFunction ? { type } : { type, value: stringify(jsonOf(value)) }
  } catch (error) {
    const isAnswer = [LuaError, LuaSyntaxError, LuaLimitError, NotJsonError].some(kind => error instanceof kind)
    if (isAnswer) return { error: (error as Error).message }
    throw error
  }
}

/** Go escapes what HTML minds, and writes what is no UTF-8 as an escape; both mean the same. */
function normalized({ value, ...rest }: Answer): Answer {
  return value === undefined ? rest : { ...rest, value: stringify(JSON.parse(value) as Json) }
}

describe('Lua', () => {
  test('answers as gopher-lua does for Argo Events, error texts included', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      if (exceptions.some(({ script }) => script.test(given.s))) return []
      const actual = answer(given)
      return JSON.stringify(normalized(actual)) === JSON.stringify(normalized(expected))
        ? []
        : [{ given, expected, actual }]
    })
    expect(differences.slice(0, 10)).toEqual([])
    expect(recorded.length).toBeGreaterThan(3_000)
  })

  test('filters by the last value that the script returns, if it is true', () => {
    const event = '{"replicas": 3}'
    expect(parseLua('return event.replicas > 2').filter(event)).toBe(true)
    expect(parseLua('return true, 1').filter(event)).toBe(false)
    expect(parseLua('return 1').filter(event)).toBe(false)
    expect(parseLua('local x = true').filter(event)).toBe(false)
  })

  test('transforms into the table that the script returns', () => {
    const script = parseLua('event.tags = setmetatable({}, {__is_array = true}) event.n = nil return event')
    expect(script.transform('{"b": 1, "n": 2, "a": [1, null, 2]}')).toBe('{"a":[1,2],"b":1,"tags":[]}')
    expect(() => parseLua('return 1').transform('{}')).toThrow('transformation script output type is not of lua table')
  })

  test('has nothing that reaches the machine', () => {
    const names = [
      'io',
      'package',
      'require',
      'module',
      'dofile',
      'loadfile',
      'debug',
      'channel',
      'setfenv',
      'newproxy',
    ]
    const reached = [...names, 'os.execute', 'os.getenv', 'os.exit', 'os.remove', 'os.tmpname', 'os.setenv'].filter(
      name => evaluateLua(`return ${name}`, {}) !== undefined,
    )
    expect(reached).toEqual([])
  })

  test('takes keys of the prototype for data', () => {
    const event = '{"__proto__": {"polluted": 1}, "constructor": 2}'
    const script = 'event.x = event["__proto__"].polluted event.toString = 1 return event'
    expect(parseLua(script).transform(event)).toBe('{"__proto__":{"polluted":1},"constructor":2,"toString":1,"x":1}')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test.each([
    ['an endless loop', 'while true do end'],
    ['an endless loop in pcall', 'while true do pcall(function() while true do end end) end'],
    ['endless tail calls', 'local function f() return f() end return f()'],
    ['a long string', 'return string.rep("x", 1e9)'],
    ['a string that doubles', 'local s = "x" while true do s = s .. s end'],
    ['an array of nothing', 'local t = {} t[60000000] = 1 return t'],
    ['a pattern that backtracks', 'return string.find(string.rep("a", 50), ".-.-.-.-.-.-.-.-b")'],
    ['a goto', '::a:: goto a'],
  ])('stops %s', (_name, script) => {
    expect(() => parseLua(script).filter('{}', { maxSteps: 300_000 })).toThrow(LuaLimitError)
  })

  test('refuses scripts that are nested too deep', () => {
    expect(() => parseLua(`return ${'('.repeat(5_000)}1${')'.repeat(5_000)}`)).toThrow(LuaLimitError)
    expect(() => parseLua(`return ${'{'.repeat(100_000)}`)).toThrow(LuaLimitError)
    expect(() => parseLua('local t = {} t.t = t return t').transform('{}')).toThrow(/nested more than/)
  })
})
