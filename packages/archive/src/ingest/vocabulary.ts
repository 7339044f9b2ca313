import type { TraceRecord } from '@tiphys/journal/records'
import type { Verdict } from '../archive.ts'

/** As the kinds of records are numbered in the database. From `health` on they are rare enough to have an index. */
export const KIND_NUMBERS: Readonly<Record<TraceRecord['kind'] | 'unknown', number>> = {
  event: 1,
  decision: 2,
  delivery: 3,
  run: 4,
  step: 5,
  log: 6,
  write: 7,
  health: 8,
  audit: 9,
  gap: 10,
  unknown: 11,
}

/** Of a kind that has an index. Said twice: of the equation alone SQLite does not see that the index has them all. */
export const isOfRareKind = (column: string, kind: 'health' | 'audit' | 'gap' | 'unknown'): string =>
  `${column} >= ${KIND_NUMBERS.health} AND ${column} = ${KIND_NUMBERS[kind]}`

export const KIND_NAMES: Readonly<Record<number, TraceRecord['kind'] | 'unknown'>> = Object.fromEntries(
  Object.entries(KIND_NUMBERS).map(([name, number]) => [number, name as TraceRecord['kind'] | 'unknown']),
)

/** The worse, the greater: an event is as badly off as the worst of its triggers. They are in databases: a new one takes a free number. */
export const VERDICT_NUMBERS: Readonly<Record<Verdict, number>> = {
  unheard: -1,
  pending: 0,
  filtered: 1,
  superseded: 2,
  discarded: 3,
  ran: 4,
  waiting: 5,
  running: 6,
  failed: 7,
  parked: 8,
}

const VERDICTS = new Map(Object.entries(VERDICT_NUMBERS).map(([name, number]) => [number, name as Verdict]))

export const verdictOf = (number: number): Verdict => VERDICTS.get(number) ?? 'pending'

/** Whether something is still to come of an outcome, or a person is waited for. A delivery that failed is tried again, or given up;
 *  an event that could not be decided about has ended. */
export const isOpen = (verdict: number, isDelivery: boolean): boolean =>
  verdict >= VERDICT_NUMBERS.waiting && (isDelivery || verdict !== VERDICT_NUMBERS.failed)

/** The same of a row of `outcomes`. */
export const IS_OPEN = `state >= ${VERDICT_NUMBERS.waiting} AND NOT (state = ${VERDICT_NUMBERS.failed} AND attempt IS NULL)`

export const isBad = (verdict: number): boolean => verdict >= VERDICT_NUMBERS.failed

/** Phases of a run after which nothing comes. */
export const FINAL_PHASES: readonly string[] = ['Succeeded', 'Failed', 'Error', 'Skipped', 'Omitted']
export const FAILED_PHASES: readonly string[] = ['Failed', 'Error']
export const GONE_WELL: readonly string[] = ['Succeeded', 'Skipped', 'Omitted']
