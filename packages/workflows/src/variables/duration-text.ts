import { DurationError, parseDuration } from '@tiphys/expressions/duration'

/** Milliseconds of `30`, `"30"` (seconds) or `1h30m`. Throws an Error that names the text. */
export function durationOf(text: string | number): number {
  const trimmed = String(text)
  if (/^[+-]?\d+$/.test(trimmed)) return Number(trimmed) * 1000
  try {
    return Number(parseDuration(trimmed)) / 1e6
  } catch (error) {
    if (error instanceof DurationError) throw new Error(`unable to parse ${trimmed} as a duration: ${error.message}`)
    throw error
  }
}

/** A duration as people say it: `10 seconds`, `1 minute 30 seconds`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const parts = [
    [Math.floor(seconds / 86400), 'day'],
    [Math.floor((seconds % 86400) / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [seconds % 60, 'second'],
  ] as const
  const said = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
  return said.length === 0 ? '0 seconds' : said.slice(0, 2).join(' ')
}
