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

export const creationLetters: readonly string[] = [...Object.keys(layouts), 's', 'RFC3339']

/** `workflow.creationTimestamp.LETTER`; `s` are seconds since the epoch. */
export function creationTime(millis: number, letter: string): string | undefined {
  if (letter === 'RFC3339') return rfc3339(millis)
  if (letter === 's') return String(Math.floor(millis / 1000))
  const layout = Object.hasOwn(layouts, letter) ? layouts[letter] : undefined
  return layout === undefined ? undefined : formatTime(GoTime.fromMillis(millis), layout)
}
