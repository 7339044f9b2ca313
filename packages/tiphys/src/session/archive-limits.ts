import type { Retention } from '@tiphys/archive'
import { parseAge, parseSize } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type Flags, textOf } from '../command.ts'

const MINUTE_MS = 60_000
const SMALLEST_BYTES = 2 ** 20

/** How much history is kept: by flags, else by variables of the environment (`--archive-max-age` is `TIPHYS_ARCHIVE_MAX_AGE`); everything when
 *  neither says so. */
export function archiveLimits(flags: Flags, environment: NodeJS.ProcessEnv = process.env): Retention | undefined {
  const given = <T>(name: string, read: (text: string) => T | undefined, example: string): T | undefined => {
    const variable = `TIPHYS_${name.toUpperCase().replaceAll('-', '_')}`
    const flag = textOf(flags, name)
    const text = flag ?? environment[variable]
    if (text === undefined || text === '') return undefined
    const value = read(text.trim())
    if (value === undefined)
      throw new UsageFailure(
        `${flag === undefined ? variable : `--${name}`} cannot be ${JSON.stringify(text)}`,
        example,
      )
    return value
  }
  const maxAgeMs = given('archive-max-age', age, 'It is an age of at least a minute: 30d, 12h, 1w or 1d12h')
  const maxEvents = given('archive-max-events', count, 'It is a number of events: 1000000')
  const maxBytes = given('archive-max-size', size, 'It is a size of at least 1M: 500M, 2G')
  if (maxAgeMs === undefined && maxEvents === undefined && maxBytes === undefined) return undefined
  return {
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    ...(maxEvents !== undefined && { maxEvents }),
    ...(maxBytes !== undefined && { maxBytes }),
  }
}

function age(text: string): number | undefined {
  const ms = parseAge(text)
  return ms === undefined || ms < MINUTE_MS ? undefined : Math.round(ms)
}

function count(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

function size(text: string): number | undefined {
  const bytes = Math.round(parseSize(text) ?? 0)
  return bytes >= SMALLEST_BYTES && Number.isSafeInteger(bytes) ? bytes : undefined
}
