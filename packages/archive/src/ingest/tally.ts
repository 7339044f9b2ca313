import { whole } from '../database/checksum.ts'
import type { CountRow, FlowRow } from '../database/rows.ts'

export const MINUTE_MS = 60_000

/** Deliveries of a trigger that are not settled, or wait for a person. */
export const openCount = (trigger: number, state: number): string => `open:${state}:${trigger}`
/** What came to a part or went from it, by what it was about. */
export const partCount = (part: number): string => `part:${part}`

/** What a batch adds to the numbers per minute and of the whole. */
export class Tally {
  readonly flows = new Map<string, FlowRow>()
  readonly counts = new Map<string, CountRow>()

  /** Of all that is there with `at` 0. */
  count(at: number, name: string, scope: number, by: number): void {
    const minute = Math.floor(at / MINUTE_MS)
    const key = `${minute}\n${name}\n${scope}`
    const row = this.counts.get(key)
    if (row) row.count += by
    else this.counts.set(key, { minute, name, scope, count: by, sum: 0 })
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
    const key = `${minute}\n${from}\n${to}\n${scope}`
    const row = this.flows.get(key) ?? {
      minute,
      from_part: from,
      to_part: to,
      scope,
      count: 0,
      errors: 0,
      last_at: 0,
      sum: 0,
    }
    this.count(0, partCount(from), scope, count)
    this.count(0, partCount(to), scope, count)
    row.count += count
    row.errors += errors
    row.last_at = Math.max(row.last_at, whole(at))
    this.flows.set(key, row)
  }
}
