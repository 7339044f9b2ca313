interface Filters {
  exprs?: readonly { expr?: string }[]
  exprLogicalOperator?: string
  data?: readonly { path?: string; comparator?: string; value?: readonly string[]; template?: string }[]
  dataLogicalOperator?: string
  context?: Readonly<Record<string, string>>
  time?: { start?: string; stop?: string; timezone?: string }
  script?: string
}

export interface SensorSpec {
  dependencies?: readonly {
    name: string
    eventSourceName?: string
    eventName?: string
    filters?: unknown
    filtersLogicalOperator?: string
    transform?: unknown
  }[]
  triggers?: readonly { template?: { name?: string; conditions?: string } }[]
}

type FilterKind = 'exprs' | 'data' | 'context' | 'time' | 'script'

/** The filters of a dependency in words, one line each; lines are joined by the returned word. `only` those of one kind. */
export function filterWords(
  given: unknown,
  operator: string | undefined,
  only?: FilterKind,
): { lines: string[]; joinedBy: string } {
  const all = (typeof given === 'object' && given !== null ? given : {}) as Filters
  const { exprLogicalOperator, dataLogicalOperator } = all
  const filters: Filters =
    only === undefined
      ? all
      : {
          [only]: all[only],
          ...(exprLogicalOperator !== undefined && { exprLogicalOperator }),
          ...(dataLogicalOperator !== undefined && { dataLogicalOperator }),
        }
  const joined = (lines: readonly string[], by: string | undefined) =>
    lines.length > 1 && by === 'or' ? [lines.join(' or ')] : [...lines]
  const { exprs = [], data = [], context, time, script } = filters
  const lines = [
    ...joined(
      exprs.map(({ expr = '' }) => expr),
      filters.exprLogicalOperator,
    ),
    ...joined(
      data.map(
        ({ path = '', comparator = '', value = [], template }) =>
          `${path} ${SIGNS[comparator] ?? comparator} ${value.join(' or ')}${template ? ' (after a template)' : ''}`,
      ),
      filters.dataLogicalOperator,
    ),
    ...Object.entries(context ?? {}).map(([name, value]) => `${name} = ${value}`),
    ...(time ? [`between ${time.start} and ${time.stop} ${time.timezone || 'UTC'}`] : []),
    ...(script ? ['a Lua script says true'] : []),
  ]
  return { lines, joinedBy: operator === 'or' ? 'or' : 'and' }
}

const SIGNS: Readonly<Record<string, string>> = { '': '=', '<=': '≤', '>=': '≥', '!=': '≠' }
