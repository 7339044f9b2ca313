import { functionDeclarations, type Overload } from '../declarations/declarations.ts'
import { type CelType, parameterOf } from '../type.ts'
import { CelError, CelList, CelMap, type CelValue, Duration, noSuchOverload, Timestamp, typeName } from '../value.ts'
import { authorizationOverloads } from './authorization.ts'
import { conversionOverloads } from './conversions.ts'
import { formatOverloads } from './formats.ts'
import type { Implementation, OperatorFunction } from './implementation.ts'
import { kubernetesOverloads } from './kubernetes.ts'
import { listFunctions, listOverloads } from './lists.ts'
import { netOverloads } from './net.ts'
import { operatorFunctions } from './operators.ts'
import { optionalOverloads } from './optionals.ts'
import { semverOverloads } from './semver.ts'
import { stringOverloads } from './strings.ts'
import { timeOverloads } from './times.ts'

const implementations: ReadonlyMap<string, Implementation> = new Map([
  ...conversionOverloads,
  ...stringOverloads,
  ...timeOverloads,
  ...listOverloads,
  ...optionalOverloads,
  ...kubernetesOverloads,
  ...netOverloads,
  ...semverOverloads,
  ...formatOverloads,
  ...authorizationOverloads,
])

const operators: ReadonlyMap<string, OperatorFunction> = new Map([...operatorFunctions, ...listFunctions])

/** Whether a call evaluates all its operands even when one of them is an error. */
export function isNonStrict(functionName: string): boolean {
  return functionName === '@not_strictly_false'
}

// These look at their operands themselves.
const unguarded = new Set(['contains', 'startsWith', 'endsWith', 'flatten'])

/** The function that a call runs: the one overload that the checker found, or a choice by the values at run time. */
export function dispatch(functionName: string, overloadIds: readonly string[]): Implementation {
  const operator = operators.get(functionName)
  if (operator !== undefined) return applyOperator(functionName, operator)
  const declared = functionDeclarations().get(functionName)?.overloads ?? []
  const candidates = declared.filter(overload => implementations.has(overload.id))
  const only = overloadIds.length === 1 ? candidates.find(overload => overload.id === overloadIds[0]) : undefined
  const considered = only === undefined ? candidates : [only]
  return chooseAtRuntime(functionName, considered)
}

function applyOperator(name: string, { accepts, implementation }: OperatorFunction): Implementation {
  const refused = new CelError(`no such overload: ${name}`)
  return (...args) => {
    const [first = null] = args
    if (accepts(first)) return implementation(...args)
    return isReceiver(first) ? noSuchOverload : refused
  }
}

/** Strings and times look a function up themselves, and report its absence without its name. */
function isReceiver(value: CelValue): boolean {
  return typeof value === 'string' || value instanceof Timestamp || value instanceof Duration
}

function chooseAtRuntime(name: string, overloads: readonly Overload[]): Implementation {
  const guarded = overloads.map(overload => ({
    matches: unguarded.has(name)
      ? (args: readonly CelValue[]) => args.length === overload.argTypes.length
      : signatureMatcher(overload),
    implementation: implementations.get(overload.id) as Implementation,
  }))
  return (...args) => {
    for (const { matches, implementation } of guarded) {
      if (matches(args)) return implementation(...args)
    }
    return args.find(arg => arg instanceof CelError) ?? noMatch(name, args)
  }
}

function noMatch(name: string, args: readonly CelValue[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(typeName).join(', ')})`)
}

function signatureMatcher(overload: Overload): (args: readonly CelValue[]) => boolean {
  if (overload.id === 'not_strictly_false') return () => true
  const matchers = overload.argTypes.map(typeMatcher)
  return args => args.length === matchers.length && matchers.every((matches, index) => matches(args[index] as CelValue))
}

type TypeMatcher = (value: CelValue) => boolean

/** Lists and maps are judged by their first element, as cel-go does. */
function typeMatcher(type: CelType): TypeMatcher {
  switch (type.kind) {
    case 'dyn':
    case 'any':
    case 'param':
      return () => true
    case 'string':
      return value => typeof value === 'string'
    case 'int':
      return value => typeof value === 'bigint'
    case 'double':
      return value => typeof value === 'number'
    case 'bool':
      return value => typeof value === 'boolean'
    case 'list': {
      const element = typeMatcher(parameterOf(type, 0))
      return value => value instanceof CelList && (value.size === 0 || element(value.at(0)))
    }
    case 'map': {
      const key = typeMatcher(parameterOf(type, 0))
      const entry = typeMatcher(parameterOf(type, 1))
      return value => value instanceof CelMap && firstEntryMatches(value, key, entry)
    }
    default:
      return value => typeName(value) === type.name
  }
}

function firstEntryMatches(map: CelMap, key: TypeMatcher, entry: TypeMatcher): boolean {
  for (const first of map.keys()) return key(first) && entry(map.find(first) ?? null)
  return true
}
