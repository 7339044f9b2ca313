/** A zone of the IANA database. Times are whole seconds since the epoch. */
export interface TimeZone {
  readonly name: string
  /** Seconds east of UTC at a time. */
  offsetAt(unix: number): number
}

/** The zone is not known; the message is the one that Go gives. */
export class TimeZoneError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TimeZoneError'
  }
}

export const utc: TimeZone = { name: 'UTC', offsetAt: () => 0 }

const loaded = new Map<string, TimeZone>([
  ['', utc],
  ['UTC', utc],
])

/** Names that ICU knows from of old and the IANA database does not. */
const notInDatabase =
  /^(SystemV\/.*|US\/Pacific-New|ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST)$/

/** The zone with this name, as Go's time.LoadLocation finds it: case matters, and an empty name is UTC. Throws
 *  TimeZoneError. */
export function loadTimeZone(name: string): TimeZone {
  const known = loaded.get(name)
  if (known !== undefined) return known
  if (name.includes('..') || /^[/\\]/.test(name)) throw new TimeZoneError('time: invalid location name')
  const format = formatOf(name)
  if (format === undefined) throw new TimeZoneError(`unknown time zone ${name}`)
  const zone = intlZone(name, format)
  loaded.set(name, zone)
  return zone
}

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Z]/.test(name) || /\/[^A-Z]/.test(name) || notInDatabase.test(name)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'narrow',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    // Intl does not mind case. What is only an alias it answers with another name, which says nothing about case.
    const resolved = format.resolvedOptions().timeZone
    return resolved !== name && resolved.toLowerCase() === name.toLowerCase() ? undefined : format
  } catch {
    // Intl throws for a name that its database lacks; the caller throws the error for people.
    return undefined
  }
}

/** Offsets are looked up for spans of about six days. No zone has changed its offset twice within such a span since the
 *  time of local mean time. */
const span = 2 ** 19
/** Enough for forty years of one zone. */
const rememberedSpans = 2400

interface Span {
  changesAt: number
  before: number
  after: number
}

function intlZone(name: string, format: Intl.DateTimeFormat): TimeZone {
  const spans = new Map<number, Span>()
  // The end of one span is the start of the next.
  let last = { unix: Number.NaN, offset: 0 }
  const look = (unix: number) => {
    if (unix !== last.unix) last = { unix, offset: intlOffset(format, unix) }
    return last.offset
  }
  return {
    name,
    offsetAt(unix) {
      const index = Math.floor(unix / span)
      let found = spans.get(index)
      if (found === undefined) {
        if (spans.size >= rememberedSpans) spans.clear()
        found = readSpan(look, index * span, (index + 1) * span)
        spans.set(index, found)
      }
      return unix < found.changesAt ? found.before : found.after
    },
  }
}

function readSpan(look: (unix: number) => number, start: number, end: number): Span {
  const before = look(start)
  const after = look(end)
  let low = start
  let high = end
  while (before !== after && high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (look(middle) === before) low = middle
    else high = middle
  }
  return { changesAt: high, before, after }
}

function intlOffset(format: Intl.DateTimeFormat, unix: number): number {
  // `3 29 2026 A, 02:30:00` with whatever stands between: cheaper to take apart than to ask for the parts.
  const text = format.format(unix * 1000)
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (text.match(/\d+/g) ?? []).map(Number)
  const local = new Date(0)
  local.setUTCFullYear(text.includes('B') ? 1 - year : year, month - 1, day)
  local.setUTCHours(hour, minute, second)
  return local.getTime() / 1000 - unix
}
