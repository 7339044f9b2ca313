import { readFileSync } from 'node:fs'
import { seededRandom } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { formatDuration } from '../duration.ts'
import { Budget } from '../go-template/budget.ts'
import { sprigFunctions as templateFunctions } from '../go-template/go-template.ts'
import { formatTime, GoTime } from '../go-time/go-time.ts'
import { argoFunctions } from './argo/functions.ts'
import { sprigFunctions } from './argo/sprig-functions.ts'
import type { ExprDialect } from './dialect.ts'
import { compileExpr } from './expr.ts'
import { entriesOf, goJson } from './go-print.ts'
import { anyType, arrayType, floatType, type GoType, intType, stringsType, stringType } from './go-type.ts'
import { ExprError } from './source.ts'
import {
  Byte,
  Duration,
  type ExprFunction,
  type ExprObject,
  type ExprValue,
  isList,
  isTypedNil,
  Location,
  NamedInt,
  typeName,
} from './value.ts'

interface Case {
  d: ExprDialect
  n: string
  e: string
}

interface Answer {
  v?: string
  compile?: string
  run?: string
}

const read = (name: string) => readFileSync(new URL(`../../testdata/${name}`, import.meta.url), 'utf8').trim()
const recorded = read('expr.jsonl')
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })
const environments = JSON.parse(read('expr-environments.json')) as Record<string, unknown>

function typed(value: unknown): ExprValue {
  if (Array.isArray(value)) return value.map(typed)
  if (typeof value !== 'object' || value === null) return value as ExprValue
  if ('$int' in value) return BigInt((value as { $int: string }).$int)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, typed(item)]))
}

function declared(
  parameters: readonly GoType[],
  result: GoType,
  call: (...values: never[]) => ExprValue,
  isVariadic = false,
): ExprFunction {
  return Object.assign(call, { signature: { parameters, results: [result], isVariadic } })
}

const sprig = sprigFunctions(templateFunctions, () => ({
  random: seededRandom(1),
  now: () => 0,
  budget: new Budget(),
}))

/** The same functions as the oracle has. */
function functionsOf(dialect: ExprDialect): ExprObject {
  return {
    ...(argoFunctions(dialect, sprig) as ExprObject),
    shout: declared([stringType], stringType, (text: string) => `${text.replace(/[^ß]/g, one => one.toUpperCase())}!`),
    half: declared([floatType], floatType, (value: number) => value / 2),
    pick: declared([arrayType, stringType], anyType, (list: ExprValue[], name: string) => `${name}${list.length}`),
    many: declared([arrayType], anyType, (...values: ExprValue[]) => BigInt(values.length), true),
    broken: declared([stringType], anyType, (text: string) => {
      throw new Error(`broken: ${text}`)
    }),
    lib: {
      double: declared([intType], intType, (value: bigint) => BigInt.asIntN(64, 2n * value)),
      greet: declared([stringType], stringType, (text: string) => `hello ${text}`),
      keep: declared([anyType], anyType, (value: ExprValue) => value),
      rest: declared(
        [stringType, stringsType],
        stringType,
        (text: string, ...rest: string[]) => text + rest.join(''),
        true,
      ),
    },
  }
}

const completed = new Map<string, ExprObject>()

function environmentOf({ d, n }: Case): ExprObject {
  const known = completed.get(`${d} ${n}`)
  if (known !== undefined) return known
  const environment = { ...(typed(environments[n]) as ExprObject), ...functionsOf(d) }
  completed.set(`${d} ${n}`, environment)
  return environment
}

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) } as never

function answer(given: Case): Answer {
  try {
    const environment = environmentOf(given)
    const compiled = compileExpr(given.e, { dialect: given.d })
    return { v: render(compiled.run(environment, { clock })) }
  } catch (error) {
    if (!(error instanceof ExprError)) throw new Error(`${given.d} ${given.e}`, { cause: error })
    return error.phase === 'compile' ? { compile: error.message } : { run: error.message }
  }
}

/** Writes a value with its Go type, as the oracle does. */
function render(value: ExprValue): string {
  if (value === null || value === undefined) return 'nil'
  switch (typeof value) {
    case 'string':
      return goJson(value)
    case 'boolean':
      return `${value}`
    case 'bigint':
      return `int(${value})`
    case 'number':
      return exponential(value)
    case 'function':
      return 'func'
    default:
  }
  if (value instanceof GoTime) return `time.Time(${formatTime(value, '2006-01-02T15:04:05.999999999Z07:00')})`
  if (value instanceof Duration) return `time.Duration(${formatDuration(value.nanos)})`
  if (value instanceof Location) return `*time.Location(${value.zone.name})`
  if (value instanceof NamedInt || value instanceof Byte) return `${typeName(value)}(${value.value})`
  if (value instanceof Uint8Array) return `[]uint8{${[...value].map(byte => `uint8(${byte})`).join(', ')}}`
  if (isTypedNil(value) && isList(value)) return `${typeName(value)}(nil)`
  if (isList(value)) return `${typeName(value)}{${value.map(render).join(', ')}}`
  const entries = entriesOf(value).map(([key, item]) => `${render(key)}: ${render(item)}`)
  return `${typeName(value)}{${entries.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(', ')}}`
}

function exponential(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0e+00'
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

/** Where another answer is wanted, and why. */
const wantedDifferences: Readonly<Record<string, string>> = {
  'x ** 3.5': 'the last digit of a power with a fraction is that of the processor',
}

describe('expr gives the answers of the Go modules', () => {
  for (const dialect of ['1.17', '1.15'] as const) {
    test(`values with their types and error texts of every recorded case, dialect ${dialect}`, () => {
      const cases = recorded.filter(({ case: given }) => given.d === dialect)
      const differences = cases.flatMap(({ case: given, answer: expected }) => {
        if (Object.hasOwn(wantedDifferences, given.e)) return []
        const actual = answer(given)
        const isSame = actual.v === expected.v && actual.compile === expected.compile && actual.run === expected.run
        return isSame ? [] : [{ expression: given.e, environment: given.n, expected, actual }]
      })
      expect(differences.slice(0, 20)).toEqual([])
      expect(cases.length).toBeGreaterThan(2000)
    })
  }
})
