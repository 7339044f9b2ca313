import { getJson, isValidJson, parseJson } from '@tiphys/expressions/gjson'
import type { EventContext } from '../event.ts'
import type { Languages, Scripts } from './languages.ts'
import { isWithin, type TimeFilter } from './time-filter.ts'

/** `filters` of a dependency, as manifests write them. */
export interface DependencyFilter {
  exprs?: readonly ExprFilter[]
  exprLogicalOperator?: LogicalOperator
  data?: readonly DataFilter[]
  dataLogicalOperator?: LogicalOperator
  context?: Partial<EventContext>
  time?: TimeFilter
  script?: string
}

export type LogicalOperator = 'and' | 'or' | ''

export interface ExprFilter {
  expr: string
  fields?: readonly { name: string; path: string }[]
}

export interface DataFilter {
  path: string
  type: 'bool' | 'number' | 'string' | (string & {})
  value?: readonly string[]
  comparator?: '>=' | '>' | '=' | '!=' | '<' | '<=' | '' | (string & {})
  template?: string
}

/** What an event met: it passed, or the filter (`data`, `exprs`, …) that held it back. `error` is what could not be
 *  carried out; it holds an event back unless another filter lets it pass. */
export interface FilterOutcome {
  passed: boolean
  by?: string
  error?: string
  /** What each of the filters said that were asked; those of `exprs` and `data` one by one. */
  verdicts?: FilterVerdicts
}

export type FilterVerdicts = Readonly<Partial<Record<FilterName, readonly (boolean | undefined)[]>>>
export type FilterName = 'exprs' | 'data' | 'context' | 'time' | 'script'

type Verdict = { passed: boolean; error?: string; each?: readonly (boolean | undefined)[] }

/** Applies the filters of a dependency to an event, in upstream's order and with upstream's outcome. */
export async function applyFilter(
  filter: DependencyFilter | undefined,
  operator: LogicalOperator | undefined,
  event: { context: EventContext; data: string },
  languages: Languages,
  scripts: Scripts,
): Promise<FilterOutcome> {
  if (!filter) return { passed: true }
  const { exprs, data, context, time, script } = filter
  const isOr = operator === 'or'
  const judges: [name: FilterName, isSet: boolean, judge: () => Verdict | Promise<Verdict>][] = [
    ['exprs', exprs !== undefined, () => judgeExprs(exprs, filter.exprLogicalOperator === 'or', event.data, languages)],
    ['data', data !== undefined, () => judgeData(data, filter.dataLogicalOperator === 'or', event.data, languages)],
    ['context', context !== undefined, () => ({ passed: isSameContext(context, event.context) })],
    ['time', time !== undefined, () => judgeTime(time, event.context.time)],
    ['script', (script ?? '') !== '', () => judgeScript(script, event.data, scripts)],
  ]
  const errors: string[] = []
  const verdicts: Partial<Record<FilterName, readonly (boolean | undefined)[]>> = {}
  let stoppedBy: string | undefined
  let isLetThrough = false
  for (const [name, isSet, judge] of judges) {
    const { passed, error, each = error === undefined ? [passed] : [] } = await judge()
    if (isSet) verdicts[name] = each
    // A script that fails is the end, whatever the others say.
    if (error !== undefined && (!isOr || name === 'script')) return { passed: false, by: name, error, verdicts }
    if (error !== undefined) errors.push(error)
    if (isSet && passed) isLetThrough = true
    if (!passed) stoppedBy ??= name
  }
  const passed = isOr ? isLetThrough : stoppedBy === undefined
  if (passed && errors.length === 0) return { passed, verdicts }
  const error = errors.length > 0 ? { error: errors.join(SEPARATOR) } : {}
  return { passed: passed && errors.length === 0, by: stoppedBy ?? 'filters', ...error, verdicts }
}

const SEPARATOR = ' / '

/** Collects what single conditions say, all of them or any of them. */
class Judgement {
  readonly #kind: string
  readonly #isOr: boolean
  readonly #errors: string[] = []
  readonly #each: (boolean | undefined)[] = []
  /** Known as soon as the rest does not matter. */
  verdict: Verdict | undefined

  constructor(kind: string, isOr: boolean) {
    this.#kind = kind
    this.#isOr = isOr
  }

  fail(message: string): void {
    this.#each.push(undefined)
    if (this.#isOr) this.#errors.push(message)
    else this.verdict = { passed: false, error: `${this.#kind} filter error (${message})` }
  }

  add(passed: boolean): void {
    this.#each.push(passed)
    if (passed === this.#isOr) this.verdict = { passed }
  }

  /** It has nothing to look at, and is passed over. */
  skip(): void {
    this.#each.push(undefined)
  }

  result(): Verdict {
    const each = this.#each
    if (this.verdict) return { ...this.verdict, each }
    if (!this.#isOr) return { passed: true, each }
    if (this.#errors.length === 0) return { passed: false, each }
    return { passed: false, error: `${this.#kind} filter errors [${this.#errors.join(SEPARATOR)}]`, each }
  }
}

function judgeExprs(
  filters: readonly ExprFilter[] | undefined,
  isOr: boolean,
  data: string,
  { expression }: Languages,
): Verdict {
  if (!filters) return { passed: true }
  if (!isValidJson(data)) return { passed: false, error: 'expr filter error (event data not valid JSON)' }
  const judgement = new Judgement('expr', isOr)
  for (const { expr, fields = [] } of filters) {
    const found = fields.map(({ name, path }) => ({ name, path, result: getJson(data, path) }))
    const missing = found.find(({ result }) => !result.exists)
    if (missing) judgement.fail(`path '${missing.path}' does not exist`)
    else if (found.length > 0) {
      try {
        const parameters = Object.fromEntries(found.map(({ name, result }) => [name, result.value()]))
        judgement.add(expression(expr, parameters) === true)
      } catch (thrown) {
        judgement.fail((thrown as Error).message)
      }
    } else judgement.skip()
    if (judgement.verdict) break
  }
  return judgement.result()
}

function judgeData(
  filters: readonly DataFilter[] | undefined,
  isOr: boolean,
  data: string,
  languages: Languages,
): Verdict {
  if (!filters || filters.length === 0) return { passed: true }
  if (!isValidJson(data)) return { passed: false, error: 'data filter error (event data not valid JSON)' }
  const judgement = new Judgement('data', isOr)
  for (const filter of filters) {
    try {
      judgement.add(matchesData(filter, isOr, data, languages))
    } catch (thrown) {
      judgement.fail((thrown as Error).message)
    }
    if (judgement.verdict) break
  }
  return judgement.result()
}

/** Throws what cannot be carried out. */
function matchesData(filter: DataFilter, isOr: boolean, data: string, languages: Languages): boolean {
  const { path, type, value: values = [], comparator = '', template = '' } = filter
  const found = getJson(data, path)
  if (!found.exists) throw new Error(`path '${path}' does not exist`)
  if (values.length === 0) throw new Error('no values specified')
  const result = template === '' ? found : parseJson(JSON.stringify(render(template, isOr, found.string(), languages)))
  switch (type) {
    case 'bool':
      return values.some(value => parseBool(value) === result.bool())
    case 'number':
      return values.some(value => compareNumbers(numberOf(result), parseFloat64(value), comparator))
    case 'string':
      return values.some(value => {
        const isMatch = languages.pattern(value, result.string())
        if (comparator === '!=') return !isMatch
        return (comparator === '=' || comparator === '') && isMatch
      })
    default:
      throw new Error(`unsupported JSON type '${type}'`)
  }
}

function render(template: string, isOr: boolean, input: string, languages: Languages): string {
  const output = languages.template(template, input)
  if (output !== '' && output !== '<no value>') return output
  throw new Error(
    isOr
      ? `template evaluated to empty string or no value: '${template}'`
      : `template '${template}' evaluated to empty string or no value`,
  )
}

/** As upstream reads a value as a number: text that is one counts, everything else is 0. */
function numberOf({ type, num, str }: { type: string; num: number; str: string }): number {
  if (type === 'True') return 1
  if (type === 'Number') return num
  return type === 'String' ? readFloat(str).value : 0
}

function compareNumbers(left: number, right: number, comparator: string): boolean {
  switch (comparator) {
    case '>=':
      return left >= right
    case '>':
      return left > right
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '!=':
      return left !== right
    case '=':
    case '':
      return left === right
    default:
      return false
  }
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

function parseBool(text: string): boolean {
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`)
}

function parseFloat64(text: string): number {
  const { value, problem } = readFloat(text)
  if (problem !== undefined) throw new Error(`strconv.ParseFloat: parsing ${JSON.stringify(text)}: ${problem}`)
  return value
}

/** As strconv.ParseFloat reads a number; beside a problem there may still be a value. */
function readFloat(text: string): { value: number; problem?: string } {
  if (/^[+-]?inf(inity)?$/i.test(text)) return { value: text.startsWith('-') ? -Infinity : Infinity }
  if (/^nan$/i.test(text)) return { value: Number.NaN }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return { value: 0, problem: 'invalid syntax' }
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { value, problem: 'value out of range' }
}

const COMPARED = ['type', 'subject', 'source', 'datacontenttype'] as const

function isSameContext(wanted: Partial<EventContext> | undefined, actual: EventContext): boolean {
  return COMPARED.every(name => !wanted?.[name] || wanted[name] === actual[name])
}

function judgeTime(filter: TimeFilter | undefined, time: string): Verdict {
  if (!filter) return { passed: true }
  try {
    return { passed: isWithin(filter, Date.parse(time)) }
  } catch (thrown) {
    return { passed: false, error: `time filter error (${(thrown as Error).message})` }
  }
}

async function judgeScript(script: string | undefined, data: string, scripts: Scripts): Promise<Verdict> {
  if (!script) return { passed: true }
  try {
    return { passed: await scripts.filter(script, data) }
  } catch (thrown) {
    return { passed: false, error: (thrown as Error).message }
  }
}
