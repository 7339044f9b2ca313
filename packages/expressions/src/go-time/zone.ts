import { loadTimeZone, type TimeZone, utc } from '../time-zone.ts'
import { zoneAbbreviations } from './zone-abbreviations.ts'

/** A zone that knows what its time is called. */
export interface NamedZone extends TimeZone {
  /** `CET` or `CEST`; `+03` where the zone has no letters; empty when nothing is known. */
  abbreviationAt(unix: number): string
}

export const utcZone: NamedZone = { ...utc, abbreviationAt: () => 'UTC' }

/** A zone with one offset, which goes by the name it is given. */
export function fixedZone(name: string, offset: number): NamedZone {
  return { name, offsetAt: () => offset, abbreviationAt: () => name }
}

let lettersByZone: Map<string, string> | undefined

function lettersOf(zone: string): string | undefined {
  lettersByZone ??= new Map(
    Object.entries(zoneAbbreviations).flatMap(([letters, zones]) => zones.split(' ').map(name => [name, letters])),
  )
  return lettersByZone.get(zone)
}

/** The zone with this name, as Go's time.LoadLocation finds it; `Local` is UTC. Throws TimeZoneError. */
export function loadZone(name: string): NamedZone {
  if (name === '' || name === 'UTC' || name === 'Local') return utcZone
  const zone = loadTimeZone(name)
  const [standard, summer] = lettersOf(name)?.split(' ') ?? []
  return {
    name,
    offsetAt: unix => zone.offsetAt(unix),
    abbreviationAt(unix) {
      const offset = zone.offsetAt(unix)
      if (standard === undefined) return offsetName(offset)
      // Zones are whole quarters of an hour since they have clocks; before that it was local mean time.
      if (offset % 900 !== 0) return 'LMT'
      return summer !== undefined && isSummer(zone, unix, offset) ? summer : standard
    },
  }
}

function isSummer(zone: TimeZone, unix: number, offset: number): boolean {
  const year = new Date(unix * 1000).getUTCFullYear()
  const [january, july] = [0, 6].map(month => zone.offsetAt(Date.UTC(year, month, 1) / 1000)) as [number, number]
  return january !== july && offset === Math.max(january, july)
}

function offsetName(offset: number): string {
  const size = Math.abs(offset)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(size / 60) % 60
  return `${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 3600))}${minutes === 0 ? '' : twoDigits(minutes)}`
}
