import type { EventRow, OutcomeRow, RunRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { and, isOneOf, type Sql, sql } from '../query/sql.ts'
import type { Source } from './source.ts'

/** A trigger that waits for several events does one thing for all of them, and its records are traced by the first. */
export interface Together {
  /** What was done for an event and others. */
  actions: ReadonlySet<string>
  /** The others. */
  traces: readonly number[]
}

const MOST_OTHERS = 500

export async function togetherWith(source: Source, trace: number): Promise<Together> {
  const rows = await source.database.all<Pick<OutcomeRow, 'trace'> & { action: string }>(
    `SELECT o.action AS action, o.trace AS trace FROM outcomes mine JOIN outcomes o ON o.action = mine.action AND o.trace <> mine.trace
      WHERE mine.trace = ? AND mine.action IS NOT NULL LIMIT ${MOST_OTHERS}`,
    [trace],
  )
  return { actions: new Set(rows.map(({ action }) => action)), traces: [...new Set(rows.map(row => row.trace))] }
}

/** The runs of an event; those that it shares with others are told by their action. */
export function runsOf(trace: number, { actions, traces }: Together): Sql {
  if (traces.length === 0) return sql('trace = ?', trace)
  const shared = and([isOneOf('trace', traces), isOneOf('action', [...actions])])
  return sql(`(trace = ? OR (${shared.text}))`, trace, ...shared.values)
}

/** The events that led to a run. */
export async function eventRowsOf(
  source: Source,
  { trace, action }: Pick<RunRow, 'trace' | 'action'>,
): Promise<EventRow[]> {
  const joined =
    action === null
      ? []
      : await source.database.all<Pick<OutcomeRow, 'trace'>>(
          `SELECT trace FROM outcomes WHERE action = ? LIMIT ${MOST_OTHERS}`,
          [action],
        )
  return source.byId<EventRow>(tables.EVENTS, [trace, ...joined.map(row => row.trace)], 'trace')
}
