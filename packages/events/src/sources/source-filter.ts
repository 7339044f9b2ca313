import { asError, type Env } from '@tiphys/env'
import { argoFunctions, compileExpr, type ExprObject, evalBool, eventEnvironment } from '@tiphys/expressions/expr'
import { sprigFunctions } from '@tiphys/expressions/expr/sprig'
import { TemplateBudget, sprigFunctions as templateFunctions } from '@tiphys/expressions/go-template'
import type { Problem } from '../problem.ts'
import type { SourceHost, SourceType } from './source.ts'

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
  return data => {
    const payload: unknown = JSON.parse(data) ?? {}
    if (typeof payload !== 'object' || Array.isArray(payload))
      throw new Error('failed to unmarshal data, the payload has no fields')
    return evalBool(compiled, eventEnvironment(payload as ExprObject), { clock, limits: LIMITS })
  }
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
  let failure: string | undefined
  const isWanted = (data: string): boolean => {
    const before = failure
    failure = undefined
    try {
      return passes(data)
    } catch (thrown) {
      failure = asError(thrown).message
      host.report({ state: 'failing', reason: 'FilterFailed', message: `An event was held back: ${failure}` })
      return false
    } finally {
      if (before !== undefined && failure === undefined) host.report({ state: 'active' })
    }
  }
  return {
    ...host,
    async publish(event) {
      if (isWanted(event.data)) return host.publish(event)
      host.filtered?.(event, failure)
      return 'filtered'
    },
  }
}
