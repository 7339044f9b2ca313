import { TerminalFailure } from '@tiphys/env'
import type { Completion, Scope } from '../archive.ts'
import { FIELDS, fieldOf } from '../query/fields.ts'
import { and, matches, sql } from '../query/sql.ts'
import { type Source, within } from './source.ts'

const MOST = 50
/** Who may look into some namespaces alone is asked about for each. */
const MOST_NAMESPACES = 1000

/** Values of a field that begin so. Without a colon in sight, the names of the fields themselves. */
export async function complete(
  source: Source,
  field: string,
  prefix: string,
  { scope, of = 'events' }: { scope?: Scope; of?: 'events' | 'runs' | 'objects' } = {},
): Promise<Completion[]> {
  if (field === '') {
    const names = [...Object.keys(FIELDS[of]), ...(of === 'events' ? ['data.', 'label'] : [])]
    return names.filter(name => name.startsWith(prefix.toLowerCase())).map(value => ({ value, count: 0 }))
  }
  const known = fieldOf(of, { field })
  if (!known)
    throw new TerminalFailure('query-invalid', {
      what: `There is no field ${JSON.stringify(field)} to complete`,
      todo: `Known: ${Object.keys(FIELDS[of]).join(', ')}`,
    })
  const { values } = known
  if (values === undefined) return []
  if (Array.isArray(values))
    return values
      .filter(value => value.toLowerCase().startsWith(prefix.toLowerCase()))
      .map(value => ({ value, count: 0 }))
  if ('part' in values) return completePart(source, values.part, prefix, scope)
  const { object: column } = values as { object: 'kind' | 'namespace' | 'name' }
  return column === 'namespace'
    ? completeNamespace(source, prefix, scope)
    : completeObject(source, column, prefix, scope)
}

async function completePart(
  source: Source,
  type: string,
  prefix: string,
  scope: Scope | undefined,
): Promise<Completion[]> {
  const { dialect } = source.database
  const pattern = matches(dialect, 'p.name', `${prefix.replaceAll('*', '')}*`)
  // Of what somebody may not see not even the names are told: a part is shown with a flow that the scope covers.
  const allowed = within('c.scope', scope)
  const seen = scope
    ? sql(
        `EXISTS (SELECT 1 FROM counts c WHERE c.minute = 0 AND c.name = 'part:' || p.id AND ${allowed.text})`,
        ...allowed.values,
      )
    : sql('1 = 1')
  const where = and([pattern, seen])
  const rows = await source.database.all<{ value: string; count: number }>(
    `SELECT p.name AS value, count(*) AS count FROM parts p WHERE p.type = '${type}' AND ${where.text} GROUP BY p.name ORDER BY count DESC, value LIMIT ${MOST}`,
    where.values,
  )
  return rows.map(({ value, count }) => ({ value, count: Number(count) }))
}

/** Those of everything that was recorded: where there were only runs, no object tells of it. */
async function completeNamespace(source: Source, prefix: string, scope: Scope | undefined): Promise<Completion[]> {
  const where = and([
    matches(source.database.dialect, 's.namespace', `${prefix.replaceAll('*', '')}*`),
    within('s.id', scope),
    sql("s.namespace <> ''"),
  ])
  const rows = await source.database.all<{ value: string; count: number }>(
    `SELECT s.namespace AS value, count(*) AS count FROM scopes s WHERE ${where.text} GROUP BY s.namespace ORDER BY count DESC, value LIMIT ${MOST_NAMESPACES}`,
    where.values,
  )
  return rows.map(({ value, count }) => ({ value, count: Number(count) }))
}

async function completeObject(
  source: Source,
  column: 'kind' | 'name',
  prefix: string,
  scope: Scope | undefined,
): Promise<Completion[]> {
  const where = and([
    matches(source.database.dialect, column, `${prefix.replaceAll('*', '')}*`),
    within('scope', scope),
  ])
  const rows = await source.database.all<{ value: string; count: number }>(
    `SELECT ${column} AS value, count(*) AS count FROM (SELECT ${column} FROM objects WHERE ${where.text} ORDER BY changed DESC LIMIT 10000) o
      GROUP BY ${column} ORDER BY count DESC, value LIMIT ${MOST}`,
    where.values,
  )
  return rows.filter(({ value }) => value !== '').map(({ value, count }) => ({ value, count: Number(count) }))
}
