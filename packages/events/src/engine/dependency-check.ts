import { type Fields, fieldsOf, listOf } from '../fields.ts'
import type { Problem } from '../problem.ts'
import { isWithin, type TimeFilter } from '../sensor/time-filter.ts'
import { problemsOf, type Shape } from '../sources/shape.ts'

const SHAPE: Shape = {
  name: 'string',
  eventSourceName: 'string',
  eventName: 'string',
  filtersLogicalOperator: 'string',
  transform: { jq: 'string', script: 'string' },
  filters: {
    exprs: [{ expr: 'string', fields: [{ name: 'string', path: 'string' }] }],
    exprLogicalOperator: 'string',
    // Numbers and booleans among the values are read as they are written.
    data: [{ path: 'string', type: 'string', value: ['any'], comparator: 'string', template: 'string' }],
    dataLogicalOperator: 'string',
    context: { '*': 'string' },
    time: { start: 'string', stop: 'string', timezone: 'string' },
    script: 'string',
  },
}

const OPERATORS = ['', 'and', 'or']
const COMPARATORS = ['', '=', '!=', '>', '>=', '<', '<=']
const TYPES = ['bool', 'number', 'string']

/** What is wrong with a dependency's transformation and filters. Upstream refuses all of this, too: a filter without its
 *  parts would let everything pass, or nothing. */
export function dependencyProblems(dependency: unknown, path: string): Problem[] {
  const problems = problemsOf(dependency, SHAPE, path).filter(({ severity }) => severity === 'error')
  if (problems.length > 0) return problems
  const { filters = {} } = readDependency((dependency ?? {}) as Fields) as { filters?: Fields }
  return checkFilters(filters).map(problem => ({ ...problem, path: `${path}.filters.${problem.path}` }))
}

function checkFilters(filters: Fields): Problem[] {
  const problems: Problem[] = []
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  const isOneOf = (path: string, value: unknown, known: readonly string[]) => {
    if (!known.includes(String(value ?? '')))
      error(path, `"${String(value)}" is none of ${known.filter(Boolean).join(', ')}`)
  }
  const isThere = (path: string, value: unknown) => {
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      error(path, 'must be specified')
  }
  for (const name of ['exprLogicalOperator', 'dataLogicalOperator']) isOneOf(name, filters[name], OPERATORS)
  for (const [i, filter] of listOf(filters.exprs).entries()) {
    const { expr, fields } = fieldsOf(filter)
    isThere(`exprs[${i}].expr`, expr)
    isThere(`exprs[${i}].fields`, fields ?? '')
    for (const [j, field] of listOf(fields).entries())
      for (const name of ['name', 'path']) isThere(`exprs[${i}].fields[${j}].${name}`, fieldsOf(field)[name])
  }
  for (const [i, filter] of listOf(filters.data).entries()) {
    const { path, type, value, comparator } = fieldsOf(filter)
    isThere(`data[${i}].path`, path)
    isThere(`data[${i}].value`, value ?? '')
    isOneOf(`data[${i}].type`, type ?? 'none', TYPES)
    isOneOf(`data[${i}].comparator`, comparator, COMPARATORS)
  }
  if (filters.time !== undefined)
    try {
      isWithin(filters.time as TimeFilter, 0)
    } catch (thrown) {
      error('time', (thrown as Error).message)
    }
  return problems
}

/** The dependency as Go would read it: what is null is not there. Values that a filter compares with are texts. */
export function readDependency(dependency: Fields): Fields {
  const read = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map(item => (name === 'value' ? String(item) : read(item, name)))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).filter(([, field]) => field !== null)
    return Object.fromEntries(fields.map(([name, field]) => [name, read(field, name)]))
  }
  return read(dependency, '') as Fields
}
