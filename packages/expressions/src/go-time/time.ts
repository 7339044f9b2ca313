import { type CivilTime, civilAt, instantOf } from '../civil-time.ts'
import { type NamedZone, utcZone } from './zone.ts'

const second = 1_000_000_000n

/** An instant with the zone in which it is shown: what Go calls a time.Time. */
export class GoTime {
  /** Whole seconds since the epoch. */
  readonly unix: number
  /** Nanoseconds beyond them. */
  readonly nanosecond: number
  readonly zone: NamedZone

  constructor(unix: number, nanosecond = 0, zone: NamedZone = utcZone) {
    this.unix = unix
    this.nanosecond = nanosecond
    this.zone = zone
  }

  static fromMillis(millis: number, zone: NamedZone = utcZone): GoTime {
    const unix = Math.floor(millis / 1000)
    return new GoTime(unix, Math.round((millis - unix * 1000) * 1_000_000), zone)
  }

  /** When the zone's clocks show this. */
  static fromCivil(civil: Omit<CivilTime, 'weekday'>, nanosecond: number, zone: NamedZone): GoTime {
    return new GoTime(instantOf(civil, zone), nanosecond, zone)
  }

  get civil(): CivilTime {
    return civilAt(this.unix, this.zone)
  }

  /** The day of the year, from 1. */
  get yearDay(): number {
    const { year, month, day } = this.civil
    return Math.round(daysSinceEpoch(year, month, day) - daysSinceEpoch(year, 1, 1) + 1)
  }

  get offset(): number {
    return this.zone.offsetAt(this.unix)
  }

  in(zone: NamedZone): GoTime {
    return new GoTime(this.unix, this.nanosecond, zone)
  }

  /** Nanoseconds later. */
  add(nanos: bigint): GoTime {
    const total = BigInt(this.nanosecond) + nanos
    const nanosecond = ((total % second) + second) % second
    return new GoTime(this.unix + Number((total - nanosecond) / second), Number(nanosecond), this.zone)
  }

  /** The nanoseconds from `other` to this, no more than a Go duration holds. */
  since(other: GoTime): bigint {
    const nanos = BigInt(this.unix - other.unix) * second + BigInt(this.nanosecond - other.nanosecond)
    const limit = 2n ** 63n
    return nanos >= limit ? limit - 1n : nanos < -limit ? -limit : nanos
  }

  isSameInstant(other: GoTime): boolean {
    return this.unix === other.unix && this.nanosecond === other.nanosecond
  }

  /** The year and week of ISO 8601. */
  get isoWeek(): { year: number; week: number } {
    const { year, month, day, weekday } = this.civil
    const thursday = daysSinceEpoch(year, month, day) + 4 - (weekday === 0 ? 7 : weekday)
    const inYear = new Date(thursday * 86_400_000).getUTCFullYear()
    return { year: inYear, week: Math.floor((thursday - daysSinceEpoch(inYear, 1, 1)) / 7) + 1 }
  }
}

/** Midnight of 1 January of the year 1, which Go takes for no time. */
export const zeroTime = new GoTime(-62_135_596_800)

function daysSinceEpoch(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / 86_400_000
}
