import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type DeclType, declTypeFromSchema } from './decl-type.ts'
import { CelCostError } from './evaluation.ts'
import { type Authorizer, AuthorizerValue, authorizerType } from './functions/authorization.ts'
import { formatUrl } from './functions/go-url.ts'
import { QuantityValue, UrlValue } from './functions/kubernetes.ts'
import { type CelEnv, CelEvaluationError, compileCel } from './program.ts'
import type { StructuralSchema } from './schema.ts'
import { CelCompileError, CelProgramError } from './source.ts'
import { formatSeconds, formatTimestamp } from './time.ts'
import { type CelType, dynType } from './type.ts'
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts'

interface Case {
  e: string
  schema?: string
  value?: string
  oldValue?: string
  s?: StructuralSchema
  root?: boolean
  self?: unknown
  old?: unknown
  optional?: boolean
  limit?: number
}

interface Answer {
  compile?: string
  program?: string
  type?: string
  min?: string
  max?: string
  value?: string
  error?: string
  cost?: number
}

const lines = readFileSync(new URL('../../testdata/cel.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const fixtures = JSON.parse(readFileSync(new URL('../../testdata/cel-fixtures.json', import.meta.url), 'utf8')) as {
  schemas: Record<string, StructuralSchema>
  values: Record<string, unknown>
}
const recorded = lines.map(line => {
  const { case: given, answer: expected } = JSON.parse(line) as { case: Case; answer: Answer }
  const { schema, value, oldValue } = given
  if (schema !== undefined) given.s = fixtures.schemas[schema] as StructuralSchema
  if (value !== undefined) given.self = fixtures.values[value]
  if (oldValue !== undefined) given.old = fixtures.values[oldValue]
  return { case: given, answer: expected }
})

const environments = new Map<string, { env: CelEnv; declType: DeclType | undefined }>()

/** Cases with the same schema share an environment, as rules do. */
function environmentOf({ s, schema, root = false, optional = false }: Case): {
  env: CelEnv
  declType: DeclType | undefined
} {
  const key = `${schema ?? JSON.stringify(s)} ${root} ${optional}`
  const known = environments.get(key)
  if (known !== undefined) return known
  const declType = s === undefined ? undefined : declTypeFromSchema(s, root)
  const self = declType === undefined ? dynType : { declType }
  const oldSelf = declType === undefined ? dynType : { declType, optional }
  const environment = { env: { variables: { self, oldSelf, authorizer: authorizerType } }, declType }
  environments.set(key, environment)
  return environment
}

function answer(given: Case): Answer {
  const { env, declType } = environmentOf(given)
  try {
    const program = compileCel(given.e, env)
    const { min, max } = program.estimateCost(declType)
    const start: Answer = { type: typeText(program.outputType), min: min.toString(), max: max.toString() }
    return { ...start, ...evaluate(program, given) }
  } catch (error) {
    if (error instanceof CelCompileError) return { compile: error.message }
    if (error instanceof CelProgramError) return { program: error.message }
    throw error
  }
}

function evaluate(program: ReturnType<typeof compileCel>, { self, old, limit }: Case): Answer {
  try {
    const options = limit === undefined ? {} : { costLimit: limit }
    const { value, cost } = program.evaluate(
      { self, oldSelf: old, authorizer: new AuthorizerValue(authorizer) },
      options,
    )
    return { value: render(value), cost }
  } catch (error) {
    if (error instanceof CelEvaluationError) return { error: error.message, cost: error.cost }
    if (error instanceof CelCostError) return { error: error.message }
    throw error
  }
}

/** Allows get, fails for fail, denies the rest, and says what it was asked: the oracle has the same. */
const authorizer: Authorizer = {
  authorize({ verb, serviceAccount, ...check }) {
    const { namespace, name } = serviceAccount ?? { namespace: '', name: '' }
    const user = serviceAccount === undefined ? 'jane' : `system:serviceaccount:${namespace}:${name}`
    const asked =
      check.kind === 'path'
        ? [user, verb, check.path, '', '', '', '', '']
        : [user, verb, '', check.group, check.resource, check.subresource, check.namespace, check.name]
    if (verb === 'get') return { allowed: true, reason: `allowed ${asked.join(',')}` }
    if (verb === 'fail') return { allowed: false, reason: '', error: 'no answer' }
    return { allowed: false, reason: `denied ${asked.join(',')}` }
  },
}

function typeText(type: CelType): string {
  if (type.parameters.length === 0) return type.name
  return `${type.name}(${type.parameters.map(typeText).join(', ')})`
}

/** Writes a value the way the oracle writes it. */
function render(value: CelValue): string {
  if (typeof value === 'number') return exponential(value)
  if (typeof value === 'string') return JSON.stringify(value).replace(/[\u2028\u2029\x7f]/g, escapeUnicode)
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`
  if (value instanceof Timestamp) return `google.protobuf.Timestamp(${formatTimestamp(value)})`
  if (value instanceof Duration) return `google.protobuf.Duration(${formatSeconds(value)})`
  if (value instanceof Optional) return value.value === undefined ? 'optional.none' : `optional(${render(value.value)})`
  if (value instanceof CelList) return `[${[...value].map(render).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map(key => `${render(key)}: ${render(value.find(key) ?? null)}`)
    return `{${entries.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(', ')}}`
  }
  if (value instanceof CelError) return `error(${value.message})`
  if (value instanceof TypeValue) return `type(${value.name})`
  if (value instanceof QuantityValue) return `quantity(${value.quantity.toString()})`
  if (value instanceof UrlValue) return `url(${formatUrl(value.url)})`
  if (value instanceof OpaqueValue) {
    const text = (value as { toString(): string }).toString()
    if (value.typeName === 'net.IP') return `ip(${text})`
    return value.typeName === 'net.CIDR' ? `cidr(${text})` : value.typeName
  }
  return String(value)
}

function escapeUnicode(character: string): string {
  return character === '\x7f' ? character : `\\u${character.charCodeAt(0).toString(16)}`
}

function exponential(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0e+00'
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

describe('CEL gives the answers of cel-go in a Kubernetes API server', () => {
  test('type, value, error, cost and cost estimate of every recorded case', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      const actual = answer(given)
      return same(actual, expected) ? [] : [{ expression: given.e, expected, actual }]
    })
    expect(differences.slice(0, 20)).toEqual([])
  }, 60_000)

  test('the recorded cases are many', () => {
    expect(recorded.length).toBeGreaterThan(2000)
  })
})

function same(actual: Answer, expected: Answer): boolean {
  // A program that cannot be made has a type and an estimate in Go already.
  if (expected.program !== undefined) return actual.program === expected.program
  const keys = ['compile', 'type', 'min', 'max', 'value', 'error', 'cost'] as const
  return keys.every(key => actual[key] === expected[key])
}
