import { inspect } from 'node:util'

/** Structured logging: one line per event, a message that is a constant sentence, and fields that carry what varies. */
export interface Log {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** A log whose every line also carries `fields`. */
  with(fields: Fields): Log
}

export type Fields = Readonly<Record<string, unknown>>
export type Level = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  time: number
  level: Level
  message: string
  fields: Fields
}

const RANK: Record<Level, number> = { debug: 0, info: 1, warn: 2, error: 3 }

export interface LogOptions {
  now: () => number
  write: (line: LogLine) => void
  level?: Level
}

export function createLog({ now, write, level = 'info' }: LogOptions, bound: Fields = {}): Log {
  const at = (lineLevel: Level) => (message: string, fields?: Fields) => {
    if (RANK[lineLevel] < RANK[level]) return
    write({ time: now(), level: lineLevel, message, fields: fields ? { ...bound, ...fields } : bound })
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: fields => createLog({ now, write, level }, { ...bound, ...fields }),
  }
}

/** Says nothing. The default of every library entry point. */
export const silentLog: Log = createLog({ now: () => 0, write: () => {} })

/** One JSON object a line, for machines. */
export function formatJson({ time, level, message, fields }: LogLine): string {
  const own = { time: new Date(time).toISOString(), level, message }
  return JSON.stringify({ ...own, ...describeFields(fields), ...own })
}

const COLOUR: Record<Level, string> = { debug: '\x1b[2m', info: '\x1b[36m', warn: '\x1b[33m', error: '\x1b[31m' }

/** One aligned line, for people. */
export function formatPretty({ time, level, message, fields }: LogLine, colour: boolean): string {
  const clock = new Date(time).toISOString().slice(11, 23)
  const label = level.padEnd(5)
  const pairs = Object.entries(describeFields(fields)).map(([key, value]) => `${key}=${formatValue(value)}`)
  const tail = pairs.length === 0 ? '' : `  ${pairs.join(' ')}`
  if (!colour) return `${clock} ${label} ${message}${tail}`
  return `\x1b[2m${clock}\x1b[0m ${COLOUR[level]}${label}\x1b[0m ${message}\x1b[2m${tail}\x1b[0m`
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text
}

const describeFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, describe(value)]))

/** A line must come out whatever it is given: what JSON cannot hold becomes text. */
function describe(value: unknown): unknown {
  if (value instanceof Error) return value.message
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return value
  try {
    JSON.stringify(value)
    return value
  } catch {
    // Circular, or with a part that refuses to be read.
    return inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY })
  }
}
