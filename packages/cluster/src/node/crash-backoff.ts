import type { CrashBackoff } from './observed-pod.ts'

const FIRST_DELAY_MS = 10_000
const LONGEST_DELAY_MS = 300_000

/** A container that ran this long after its last backoff begins anew. */
const STABLE_AFTER_MS = 2 * LONGEST_DELAY_MS

/** When a container that ended may start again; in the past when it may at once. The first restart never waits. */
export function restartAt(backoff: CrashBackoff | undefined, finishedAt: number): number {
  return backoff === undefined || isOver(backoff, finishedAt) ? finishedAt : finishedAt + backoff.delayMs
}

/** The backoff after a restart at `now` of what ended at `finishedAt`. */
export function nextBackoff(backoff: CrashBackoff | undefined, finishedAt: number, now: number): CrashBackoff {
  if (backoff === undefined || isOver(backoff, finishedAt)) return { delayMs: FIRST_DELAY_MS, since: now }
  return { delayMs: Math.min(LONGEST_DELAY_MS, backoff.delayMs * 2), since: now }
}

const isOver = ({ since }: CrashBackoff, finishedAt: number) => finishedAt - since > STABLE_AFTER_MS

/** As Go prints a duration of whole seconds: `10s`, `1m20s`, `5m0s`. */
export function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours > 0) return `${hours}h${minutes % 60}m${seconds % 60}s`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}
