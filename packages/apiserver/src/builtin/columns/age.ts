const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** `5s`, `3m20s`, `4h`, `2d3h`, `1y20d`: as precise as a reader wants it, as kubectl prints ages. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(milliseconds / MINUTE)
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(milliseconds / HOUR)
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(milliseconds / DAY)
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(milliseconds / YEAR)
  if (hours < 24 * 365 * 8) return withRest(years, 'y', days % 365, 'd')
  return `${years}y`
}

const withRest = (value: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${value}${unit}` : `${value}${unit}${rest}${restUnit}`

/** How long ago `timestamp` was. */
export function formatAge(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>'
  return formatDuration(now - Date.parse(timestamp))
}
