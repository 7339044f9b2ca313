import type { Cell } from '../database/database.ts'

/** A piece of a statement, with the values for its `?`. Values never become part of the text. */
export interface Sql {
  readonly text: string
  readonly values: readonly Cell[]
}

export const sql = (text: string, ...values: Cell[]): Sql => ({ text, values })

export const TRUE = sql('1 = 1')
export const FALSE = sql('1 = 0')

export function and(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? TRUE : joined(parts, ' AND ')
}

export function or(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? FALSE : joined(parts, ' OR ')
}

/** Also true where the condition is neither true nor false because something is not known. */
export const not = (part: Sql): Sql => sql(`(${part.text}) IS NOT TRUE`, ...part.values)

export function joined(parts: readonly Sql[], by: string): Sql {
  if (parts.length === 1) return parts[0] as Sql
  return sql(parts.map(({ text }) => `(${text})`).join(by), ...parts.flatMap(({ values }) => values))
}

/** `column IN (…)` with one value for each. */
export function isOneOf(column: string, values: readonly Cell[]): Sql {
  if (values.length === 0) return FALSE
  return values.length === 1
    ? sql(`${column} = ?`, ...values)
    : sql(`${column} IN (${values.map(() => '?').join(', ')})`, ...values)
}

export type Dialect = 'sqlite' | 'postgres'

/** Whether a column is a pattern's text, in which `*` stands for anything. */
export function matches(dialect: Dialect, column: string, pattern: string): Sql {
  if (!pattern.includes('*')) return sql(`${column} = ?`, pattern)
  if (/^\*+$/.test(pattern)) return sql(`${column} IS NOT NULL`)
  if (dialect === 'sqlite') return sql(`${column} GLOB ?`, pattern.replaceAll(/[[?]/g, '[$&]'))
  return sql(`${column} LIKE ?`, pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%'))
}
