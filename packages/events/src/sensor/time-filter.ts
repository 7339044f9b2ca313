import { formatTime, GoTime, loadZone, parseTime, utcZone } from '@tiphys/expressions/go-time'

/** `time` of a dependency's filters: from `start` on and before `stop`, times of day as `15:04:05`. */
export interface TimeFilter {
  start: string
  stop: string
  /** UTC without one. */
  timezone?: string
}

/** Whether the time of day of an instant (milliseconds) lies between the two; a stop before the start is one of the next
 *  day. Throws an Error with Go's words for what cannot be read. */
export function isWithin({ start, stop, timezone = '' }: TimeFilter, at: number): boolean {
  const zone = timezone === '' ? utcZone : zoneOf(timezone)
  const day = formatTime(new GoTime(Math.floor(at / 1000), 0, zone), '2006-01-02')
  const instant = (time: string) => parseTime('2006-01-02 15:04:05', `${day} ${time}`, zone).unix * 1000
  const [from, to] = [instant(start), instant(stop)]
  return from < to ? at >= from && at < to : at >= from || at < to
}

function zoneOf(name: string) {
  try {
    return loadZone(name)
  } catch (thrown) {
    throw new Error(`invalid timezone '${name}': ${(thrown as Error).message}`, { cause: thrown })
  }
}
