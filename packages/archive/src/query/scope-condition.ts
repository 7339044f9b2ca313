import type { Scope } from '../archive.ts'
import { and, FALSE, isFound, isOneOf, or, type Sql, sql } from './sql.ts'

/** Whether a scope covers what has this one; nothing is covered of which nobody knows the scope. */
export function scopeCondition(column: string, scope: Scope): Sql {
  if (isEverything(scope)) return sql(`${column} IS NOT NULL`)
  const covered = scope.grants.map(({ kind, namespaces }) =>
    and([
      ...(kind === '*' ? [] : [sql('kind = ?', kind)]),
      ...(namespaces === '*' ? [] : [namespaces.length === 0 ? FALSE : isOneOf('namespace', namespaces)]),
    ]),
  )
  const all = or(covered)
  return isFound(column, sql(`SELECT id FROM scopes WHERE ${all.text}`, ...all.values))
}

/** The same of rows that only lead to those of a list: what is not covered leads to none. */
export const reachOf = (column: string, scope: Scope | undefined): readonly Sql[] =>
  scope && !isEverything(scope) ? [scopeCondition(column, scope)] : []

const isEverything = ({ grants }: Scope): boolean =>
  grants.some(({ kind, namespaces }) => kind === '*' && namespaces === '*')
