import type { Cell } from '../database/database.ts'

/** A piece of a statement, with the values for its `?`. Values never become part of the text. */
export interface Sql {
  readonly text: string
  readonly values: readonly Cell[]
  /** Of a condition that an index answers: which values its column may have. */
  readonly choice?: Choice
  /** Of a condition on when something happened: not before `from`, and before `before`. */
  readonly times?: Times
}

export interface Times {
  readonly from?: number
  readonly before?: number
}

/** A column that has an index in the order of the list, and what is wanted of it: values, or statements that give them. */
export interface Choice {
  /** Empty when there is none: then it only tells whether anything can be found at all. */
  readonly column: string
  readonly values: readonly Cell[]
  readonly found: readonly Sql[]
  /** Of each value there are few rows. */
  readonly isRare?: boolean
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

/** So many conditions are one below the other for a database, which goes only so deep. */
const MOST_TOGETHER = 100

export function joined(parts: readonly Sql[], by: string): Sql {
  if (parts.length === 1) return parts[0] as Sql
  if (parts.length > MOST_TOGETHER) {
    const half = Math.ceil(parts.length / 2)
    return joined([joined(parts.slice(0, half), by), joined(parts.slice(half), by)], by)
  }
  return sql(parts.map(({ text }) => `(${text})`).join(by), ...parts.flatMap(({ values }) => values))
}

/** Whose `column` is one of those that a statement gives; the column has an index in the order of the list. */
export function isFound(column: string, found: Sql, { isRare = false }: Pick<Choice, 'isRare'> = {}): Sql {
  const condition = sql(`${column} IN (${found.text})`, ...found.values)
  return { ...condition, choice: { column, values: [], found: [found], isRare } }
}

/** As `isOneOf`, of a column that has an index in the order of the list. */
export function isChosen(column: string, values: readonly Cell[]): Sql {
  return { ...isOneOf(column, values), choice: { column, values, found: [] } }
}

/** One of several conditions; still a choice when all are choices of one column. */
export function either(parts: readonly Sql[]): Sql {
  const any = or(parts)
  if (parts.length === 1) return any
  const column = parts[0]?.choice?.column
  const choices = parts.flatMap(({ choice }) => (choice?.column === column && choice ? [choice] : []))
  if (column === undefined || choices.length < parts.length) return sql(any.text, ...any.values)
  const choice = {
    column,
    values: choices.flatMap(({ values }) => values),
    found: choices.flatMap(({ found }) => found),
    isRare: choices.every(({ isRare }) => isRare),
  }
  return { ...any, choice }
}

/** `column IN (…)` with one value for each. */
export function isOneOf(column: string, values: readonly Cell[]): Sql {
  if (values.length === 0) return FALSE
  return values.length === 1
    ? sql(`${column} = ?`, ...values)
    : sql(`${column} IN (${values.map(() => '?').join(', ')})`, ...values)
}

/** Whether conditions look at no other columns of a table than these, which an index has. */
export function areOnly(conditions: readonly Sql[], table: string, columns: readonly string[]): boolean {
  const others = new RegExp(`\\b${table}\\.(?!(?:${columns.join('|')})\\b)\\w`)
  return conditions.every(({ text }) => !others.test(text))
}

export type Dialect = 'sqlite' | 'postgres'

/** Whether a column is a pattern's text, in which `*` stands for anything. */
export function matches(dialect: Dialect, column: string, pattern: string): Sql {
  if (!pattern.includes('*')) return sql(`${column} = ?`, pattern)
  if (/^\*+$/.test(pattern)) return sql(`${column} IS NOT NULL`)
  if (dialect === 'sqlite') return sql(`${column} GLOB ?`, pattern.replaceAll(/[[?]/g, '[$&]'))
  return sql(`${column} LIKE ?`, pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%'))
}
