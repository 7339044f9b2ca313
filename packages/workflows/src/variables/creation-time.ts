import { formatTime, GoTime } from '@tiphys/expressions/go-time'

/** Go's layouts of the letters of strftime that `workflow.creationTimestamp.X` has. */
const layouts: Readonly<Record<string, string>> = {
  B: 'January',
  b: 'Jan',
  m: '01',
  A: 'Monday',
  a: 'Mon',
  d: '02',
  H: '15',
  I: '03',
  M: '04',
  S: '05',
  Y: '2006',
  y: '06',
  p: 'PM',
  Z: 'MST',
  z: '-0700',
  L: '.000',
}

/** Second granularity, as Kubernetes writes times. */
export function rfc3339(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`
}

/** The texts of `workflow.creationTimestamp.LETTER`, by letter, with `s` (seconds) and `RFC3339`. */
export function* creationTimes(millis: number): Generator<readonly [string, string]> {
  const time = GoTime.fromMillis(millis)
  for (const [letter, layout] of Object.entries(layouts)) yield [letter, formatTime(time, layout)]
  yield ['s', String(time.unix)]
  yield ['RFC3339', rfc3339(millis)]
}
