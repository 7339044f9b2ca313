import { whole } from '../database/checksum.ts'
import type { CountRow, FlowRow } from '../database/rows.ts'
import { within } from './name-tree.ts'

export const MINUTE_MS = 60_000

/** Deliveries of a trigger that are not settled, or wait for a person. */
export const openCount = (trigger: number, state: number): string => `open:${state}:${trigger}`
/** Events that are so badly off. */
export const verdictCount = (verdict: number): string => `verdict:${verdict}`
/** What came to a part or went from it, by what it was about. */
export const partCount = (part: number): string => `part:${part}`

type ByScope<R> = Map<number, R>

/** What a batch adds to the numbers per minute and of the whole. Every record counts several times: it is found by numbers and by names as they
 *  are, without making a key of them. */
export class Tally {
  readonly #counts = new Map<number, Map<string, ByScope<CountRow>>>()
  readonly #flows = new Map<number, Map<number, Map<number, ByScope<FlowRow>>>>()

  /** Of all that is there with `at` 0. */
  count(at: number, name: string, scope: number, by: number): void {
    const minute = Math.floor(at / MINUTE_MS)
    const rows = within(within(this.#counts, minute), name)
    const row = rows.get(scope)
    if (row) row.count += by
    else rows.set(scope, { minute, name, scope, count: by, sum: 0 })
  }

  /** What went from one part to another. */
  flow(
    from: number,
    to: number,
    scope: number,
    at: number,
    { count, errors = 0 }: { count: number; errors?: number },
  ): void {
    const minute = Math.floor(at / MINUTE_MS)
    const rows = within(within(within(this.#flows, minute), from), to)
    let row = rows.get(scope)
    if (!row) {
      row = { minute, from_part: from, to_part: to, scope, count: 0, errors: 0, last_at: 0, sum: 0 }
      rows.set(scope, row)
    }
    row.count += count
    row.errors += errors
    row.last_at = Math.max(row.last_at, whole(at))
  }

  /** All that was counted; once. */
  finish(): { counts: CountRow[]; flows: FlowRow[] } {
    const flows: FlowRow[] = []
    for (const byFrom of this.#flows.values())
      for (const byTo of byFrom.values()) for (const rows of byTo.values()) flows.push(...rows.values())
    for (const { from_part, to_part, scope, count } of flows) {
      this.count(0, partCount(from_part), scope, count)
      this.count(0, partCount(to_part), scope, count)
    }
    const counts: CountRow[] = []
    for (const byName of this.#counts.values()) for (const rows of byName.values()) counts.push(...rows.values())
    return { counts, flows }
  }
}
