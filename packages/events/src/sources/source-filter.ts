import { asError, type Env } from '@tiphys/env'
import {
  argoFunctions,
  compileExpr,
  type ExprObject,
  type ExprValue,
  evalBool,
  eventEnvironment,
  identifiersOf,
} from '@tiphys/expressions/expr'
import { sprigFunctions } from '@tiphys/expressions/expr/sprig'
import { TemplateBudget, sprigFunctions as templateFunctions } from '@tiphys/expressions/go-template'
import type { DecisionRecord } from '@tiphys/journal/records'
import type { Problem } from '../problem.ts'
import { recordedValue } from '../recorded-value.ts'
import type { SourceEvent, SourceHost, SourceType } from './source.ts'

/** An entry that may have upstream's `filter.expression`. */
interface Filtered {
  filter?: { expression?: string }
}

/** Filters are evaluated where everything else is done: none may hold that up for longer than a blink. */
const LIMITS = { steps: 200_000, memory: 100_000, textLength: 2 ** 20 }

/** Whether a payload passes. Throws an Error that says why there is no answer. */
type SourceFilter = (data: string) => boolean

/** Reads an expression of expr-lang over the keys of a payload. Throws when it does not parse. */
export function sourceFilter(expression: string, env: Pick<Env, 'clock' | 'random'>): SourceFilter {
  const { clock, random } = env
  const context = () => ({ random, now: () => clock.now(), budget: new TemplateBudget() })
  const functions = argoFunctions('1.15', sprigFunctions(templateFunctions, context))
  const compiled = compileExpr(expression, { dialect: '1.15', functions })
  return data => evalBool(compiled, environmentOf(data), { clock, limits: LIMITS })
}

function environmentOf(data: string): ExprObject {
  const payload: unknown = JSON.parse(data) ?? {}
  if (typeof payload !== 'object' || Array.isArray(payload))
    throw new Error('failed to unmarshal data, the payload has no fields')
  return eventEnvironment(payload as ExprObject)
}

type Inputs = NonNullable<DecisionRecord['inputs']>

/** What an expression reads of a payload: the fields that it names, as far as it writes them out. */
export function inputReader(expression: string): (data: string) => Inputs {
  const found = identifiersOf(expression, '1.15').filter(({ isCalled }) => !isCalled)
  const paths = new Map(found.slice(0, MOST_INPUTS).map(({ path }) => [pathText(path), path]))
  return data => {
    let environment: ExprObject
    try {
      environment = environmentOf(data)
    } catch {
      return [] // That there are no fields is said as the reason already.
    }
    return [...paths].map(([path, names]) => {
      const value = valueAt(environment, names)
      return value === undefined ? { path } : { path, value: recordedValue(JSON.stringify(value)) }
    })
  }
}

const MOST_INPUTS = 20
const LONGEST_EXPRESSION = 300

function pathText([first = '', ...more]: readonly string[]): string {
  return first + more.map(name => (/^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('')
}

function valueAt(environment: ExprObject, names: readonly string[]): ExprValue | undefined {
  let value: unknown = environment
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as ExprObject)[name]
  }
  return value as ExprValue
}

/** A type whose entries may have a filter, with that filter in front of the bus. An event that does not pass ends there, as
 *  does one for which the expression has no answer; the latter is said in the entry's health. */
export function withFilter<Spec extends Filtered>(type: SourceType<Spec>): SourceType<Spec> {
  return {
    type: type.type,
    check: spec => [...type.check(spec), ...checkFilter(spec)],
    start: (spec, host) => type.start(spec, hostWithFilter(spec.filter?.expression ?? '', host)),
  }
}

function checkFilter({ filter }: Filtered): Problem[] {
  const expression: unknown = filter?.expression
  if (typeof expression !== 'string' || expression === '') return []
  try {
    sourceFilter(expression, NOWHERE)
    return []
  } catch (thrown) {
    return [{ path: 'filter.expression', message: asError(thrown).message, severity: 'error' }]
  }
}

/** Reading needs neither time nor chance. */
const NOWHERE = { clock: { now: () => 0 }, random: { next: () => 0 } } as unknown as Pick<Env, 'clock' | 'random'>

function hostWithFilter(expression: string, host: SourceHost): SourceHost {
  if (expression === '') return host
  const passes = sourceFilter(expression, host.env)
  const inputsOf = inputReader(expression)
  const says =
    expression.length > LONGEST_EXPRESSION ? `${expression.slice(0, LONGEST_EXPRESSION)}…` : expression.trim()
  let failure: string | undefined
  const isWanted = (event: SourceEvent): boolean => {
    const before = failure
    failure = undefined
    try {
      return passes(event.data)
    } catch (thrown) {
      failure = host.tellable?.(asError(thrown).message, event) ?? asError(thrown).message
      host.report({ state: 'failing', reason: 'FilterFailed', message: `An event was held back: ${failure}` })
      return false
    } finally {
      if (before !== undefined && failure === undefined) host.report({ state: 'active' })
    }
  }
  return {
    ...host,
    async publish(event) {
      if (isWanted(event)) return host.publish(event)
      const inputs = inputsOf(event.data)
      const isAnswered = failure === undefined
      host.filtered?.(event, {
        inputs,
        filters: [
          { by: 'expression', says, paths: inputs.map(({ path }) => path), ...(isAnswered && { passed: false }) },
        ],
        ...(failure !== undefined && { message: failure }),
      })
      return 'filtered'
    },
  }
}
