import { GoTime, loadZone, type NamedZone, parseTime, TimeParseError } from '../go-time/go-time.ts'
import { TimeZoneError } from '../time-zone.ts'
import { type Builtin, textAt } from './builtins.ts'
import type { ExprDialect } from './dialect.ts'
import type { Evaluation } from './evaluation.ts'
import { Fault } from './source.ts'
import { type ExprValue, Location } from './value.ts'

const layouts = [
  '2006-01-02',
  '15:04:05',
  '2006-01-02 15:04:05',
  '2006-01-02T15:04:05Z07:00',
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 MST',
]

function now(run: Evaluation, [zone]: readonly ExprValue[]): ExprValue {
  if (run.clock === undefined) throw new Fault('now() has no clock here')
  const time = GoTime.fromMillis(run.clock.now())
  return zone instanceof Location ? time.in(zone.zone) : time
}

function zoneNamed(name: string): NamedZone {
  try {
    return loadZone(name)
  } catch (error) {
    throw error instanceof TimeZoneError ? new Fault(error.message) : error
  }
}

function parse(layout: string, text: string, zone?: NamedZone): GoTime {
  try {
    return parseTime(layout, text, zone)
  } catch (error) {
    throw error instanceof TimeParseError ? new Fault(error.message) : error
  }
}

function date(_run: Evaluation, given: readonly ExprValue[]): ExprValue {
  const zone = given[0] instanceof Location ? given[0].zone : undefined
  const values = zone === undefined ? given : given.slice(1)
  const text = textAt(values, 0)
  if (values.length === 2) return parse(textAt(values, 1), text, zone)
  if (values.length === 3) {
    const layout = textAt(values, 1)
    return parse(layout, text, zoneNamed(textAt(values, 2)))
  }
  for (const layout of layouts) {
    try {
      return parseTime(layout, text, zone)
    } catch (error) {
      // The text may still fit one of the other layouts.
      if (!(error instanceof TimeParseError)) throw error
    }
  }
  throw new Fault(`invalid date ${text}`)
}

export function dateBuiltins(dialect: ExprDialect): Record<string, Builtin> {
  if (dialect === '1.15') return { now, date }
  return { now, date, timezone: (_run, values) => new Location(zoneNamed(textAt(values, 0))) }
}
