import { fieldsAt, offsetOf, type TimeFields } from '../time.ts'
import { CelError, type CelValue, type Duration, type Timestamp } from '../value.ts'
import { type Implementation, overload } from './implementation.ts'

const accessors: readonly (readonly [string, (fields: TimeFields) => number])[] = [
  ['timestamp_to_year', fields => fields.year],
  ['timestamp_to_month', fields => fields.month],
  ['timestamp_to_day_of_year', fields => fields.dayOfYear],
  ['timestamp_to_day_of_month', fields => fields.day - 1],
  ['timestamp_to_day_of_month_1_based', fields => fields.day],
  ['timestamp_to_day_of_week', fields => fields.dayOfWeek],
  ['timestamp_to_hours', fields => fields.hours],
  ['timestamp_to_minutes', fields => fields.minutes],
  ['timestamp_to_seconds', fields => fields.seconds],
  ['timestamp_to_milliseconds', fields => Math.trunc(fields.nanosecond / 1_000_000)],
]

function accessor(read: (fields: TimeFields) => number): (time: Timestamp, zone?: string) => CelValue {
  return (time, zone = 'UTC') => {
    const offset = offsetOf(zone, time.nanos)
    if (offset instanceof Error) return new CelError(offset.message)
    return BigInt(read(fieldsAt(time.nanos, offset)))
  }
}

const durationUnits: readonly (readonly [string, bigint])[] = [
  ['duration_to_hours', 3_600_000_000_000n],
  ['duration_to_minutes', 60_000_000_000n],
  ['duration_to_seconds', 1_000_000_000n],
  ['duration_to_milliseconds', 1_000_000n],
]

export const timeOverloads: readonly (readonly [string, Implementation])[] = [
  ...accessors.flatMap(([id, read]) => [
    overload(id, accessor(read)),
    overload(id === 'timestamp_to_seconds' ? 'timestamp_to_seconds_tz' : `${id}_with_tz`, accessor(read)),
  ]),
  ...durationUnits.map(([id, unit]) => overload(id, (duration: Duration) => duration.nanos / unit)),
]
