import { compileTemplate } from '@tiphys/expressions/go-template'
import { compileGovaluate } from '@tiphys/expressions/govaluate'
import { compileJq } from '@tiphys/expressions/jq'
import { parseLua } from '@tiphys/expressions/lua'
import { compilePattern } from '@tiphys/expressions/re2'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { isWithin, type TimeFilter } from '../sensor/time-filter.ts'
import { error, unreadable, warning } from './finding.ts'
import type { ManifestSet, ProvidedEntry } from './manifest-set.ts'
import { checkDataPath } from './payload.ts'

/** A dependency and the entry that provides its events, as far as these manifests say. */
export interface LintedDependency {
  name: string
  entry: ProvidedEntry | undefined
  /** Its events are changed before anybody sees them: nobody can tell what is in them. */
  isTransformed: boolean
}

/** What is wrong with a dependency of a Sensor beyond what keeps it from running. */
export function checkDependency(
  dependency: Fields,
  at: string,
  namespace: string,
  set: ManifestSet,
): { problems: Problem[]; linted: LintedDependency } {
  const [name, sourceName, eventName] = [dependency.name, dependency.eventSourceName, dependency.eventName].map(
    textOf,
  ) as [string, string, string]
  const entries = set.entries(sourceName, namespace)
  const entry = entries?.find(({ name }) => name === eventName)
  const transform = fieldsOf(dependency.transform)
  const isTransformed = textOf(transform.jq) !== '' || textOf(transform.script) !== ''
  const problems = [
    ...checkProvided({ sourceName, eventName, entries, entry }, at, namespace, set),
    ...checkTransform(transform, `${at}.transform`),
    ...checkFilters(fieldsOf(dependency.filters), `${at}.filters`, isTransformed ? undefined : entry),
    ...(entry
      ? checkContext(fieldsOf(fieldsOf(dependency.filters).context), sourceName, entry, `${at}.filters.context`)
      : []),
  ]
  return { problems, linted: { name, entry, isTransformed } }
}

function checkProvided(
  wanted: {
    sourceName: string
    eventName: string
    entries: readonly ProvidedEntry[] | undefined
    entry: ProvidedEntry | undefined
  },
  at: string,
  namespace: string,
  set: ManifestSet,
): Problem[] {
  const { sourceName, eventName, entries, entry } = wanted
  if (sourceName === '' || eventName === '' || entry) return []
  if (entries) {
    const names = entries.map(({ name }) => name).join(', ')
    return [
      error(`${at}.eventName`, `the EventSource ${sourceName} has no entry "${eventName}": it has ${names || 'none'}`),
    ]
  }
  const missing = `no EventSource "${sourceName}" is in these manifests`
  return [(set.hasKind('EventSource', namespace) ? error : warning)(`${at}.eventSourceName`, missing)]
}

function checkTransform({ jq, script }: Fields, at: string): Problem[] {
  return [
    ...(textOf(jq) === '' ? [] : unreadable(`${at}.jq`, () => compileJq(textOf(jq)))),
    ...(textOf(script) === '' ? [] : unreadable(`${at}.script`, () => parseLua(textOf(script)))),
    ...(textOf(jq) !== '' && textOf(script) !== ''
      ? [warning(`${at}.script`, 'is never run: there is jq, too, and that wins')]
      : []),
  ]
}

function checkFilters(filters: Fields, at: string, entry: ProvidedEntry | undefined): Problem[] {
  const { data, exprs, time, script } = filters
  return [
    ...operators(filters, at),
    ...listOf(exprs).flatMap((expr, i) => checkExpr(fieldsOf(expr), `${at}.exprs[${i}]`, entry)),
    ...listOf(data).flatMap((filter, i) => checkData(fieldsOf(filter), `${at}.data[${i}]`, entry)),
    ...(time === undefined || time === null
      ? []
      : unreadable(`${at}.time`, () => isWithin(fieldsOf(time) as unknown as TimeFilter, 0))),
    ...(textOf(script) === '' ? [] : unreadable(`${at}.script`, () => parseLua(textOf(script)))),
  ]
}

function operators(filters: Fields, at: string): Problem[] {
  return ['exprLogicalOperator', 'dataLogicalOperator'].flatMap(name => {
    const value = textOf(filters[name])
    return ['', 'and', 'or'].includes(value)
      ? []
      : [error(`${at}.${name}`, `${JSON.stringify(value)} is neither "and" nor "or"`)]
  })
}

function checkExpr({ expr, fields }: Fields, at: string, entry: ProvidedEntry | undefined): Problem[] {
  const given = listOf(fields).map(fieldsOf)
  const problems = given.flatMap(({ path }, i) =>
    entry ? checkDataPath(textOf(path), entry, `${at}.fields[${i}].path`) : [],
  )
  try {
    const names = new Set(given.map(({ name }) => textOf(name)))
    const unknown = compileGovaluate(textOf(expr)).variables.find(name => !names.has(name))
    if (unknown !== undefined && given.length > 0)
      problems.push(error(`${at}.expr`, `"${unknown}" is the name of no field: every event fails here`))
  } catch (thrown) {
    problems.push(error(`${at}.expr`, (thrown as Error).message))
  }
  return problems
}

const COMPARATORS: Readonly<Record<string, readonly string[]>> = {
  number: ['', '=', '!=', '>', '>=', '<', '<='],
  string: ['', '=', '!='],
}
const NUMBER = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i
const BOOLEAN = /^(?:1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$/

function checkData(filter: Fields, at: string, entry: ProvidedEntry | undefined): Problem[] {
  const [path, type, comparator, template] = [filter.path, filter.type, filter.comparator, filter.template].map(
    textOf,
  ) as [string, string, string, string]
  const values = listOf(filter.value)
  return [
    ...(path === ''
      ? [error(`${at}.path`, 'must be specified')]
      : entry
        ? checkDataPath(path, entry, `${at}.path`)
        : []),
    ...(values.length === 0 ? [error(`${at}.value`, 'no values specified: no event passes')] : []),
    ...(['bool', 'number', 'string'].includes(type)
      ? []
      : [error(`${at}.type`, `"${type}" is none of bool, number and string`)]),
    ...(COMPARATORS[type]?.includes(comparator) === false
      ? [error(`${at}.comparator`, `"${comparator}" compares no ${type}: no event passes`)]
      : []),
    ...(template === '' ? [] : unreadable(`${at}.template`, () => compileTemplate(template, { funcs: 'sprig' }))),
    ...values.flatMap((value, i) => checkValue(value, type, `${at}.value[${i}]`)),
  ]
}

function checkValue(value: unknown, type: string, at: string): Problem[] {
  if (typeof value !== 'string') return [error(at, `must be a text in quotes, not ${JSON.stringify(value)}`)]
  if (type === 'number' && !NUMBER.test(value)) return [error(at, `${JSON.stringify(value)} is not a number`)]
  if (type === 'bool' && !BOOLEAN.test(value)) return [error(at, `${JSON.stringify(value)} is neither true nor false`)]
  return type === 'string' ? unreadable(at, () => compilePattern(value)) : []
}

/** An event's context is known beforehand. */
function checkContext(context: Fields, source: string, entry: ProvidedEntry, at: string): Problem[] {
  const actual = { type: entry.type, subject: entry.name, source, datacontenttype: 'application/json' }
  return Object.entries(actual).flatMap(([name, value]) => {
    const wanted = textOf(context[name])
    return wanted === '' || wanted === value
      ? []
      : [error(`${at}.${name}`, `no event passes: the ${name} of these events is "${value}"`)]
  })
}
