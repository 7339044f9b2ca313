import { goQuote } from '@tiphys/kube'

interface Bounds {
  low: number
  high: number
  names?: Record<string, number>
}

const numbered = (names: string, from: number) =>
  Object.fromEntries(names.split(' ').map((name, i) => [name, i + from]))

const BOUNDS: readonly Bounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: numbered('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { low: 0, high: 6, names: numbered('sun mon tue wed thu fri sat', 0) },
]
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']
const DURATION = /^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/

/** Why `schedule` is not a cron schedule of five fields or a descriptor, in the real server's words. */
export function cronScheduleProblem(schedule: string): string | undefined {
  let spec = schedule
  if (/^(CRON_)?TZ=/.test(spec)) {
    const space = spec.indexOf(' ')
    if (space < 0) {
      return `invalid schedule format: runtime error: slice bounds out of range [:-1]`
    }
    const zone = spec.slice(spec.indexOf('=') + 1, space)
    const problem = timeZoneProblem(zone)
    if (problem !== undefined) return `provided bad location ${zone}: ${problem}`
    spec = spec.slice(space).trim()
  }
  if (spec.startsWith('@')) return descriptorProblem(spec)
  const fields = spec.split(/\s+/).filter(part => part !== '')
  if (fields.length !== BOUNDS.length) {
    return `expected exactly ${BOUNDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  for (const [i, bounds] of BOUNDS.entries()) {
    for (const expression of (fields[i] ?? '').split(',').filter(part => part !== '')) {
      const problem = rangeProblem(expression, bounds)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function descriptorProblem(descriptor: string): string | undefined {
  if (DESCRIPTORS.includes(descriptor)) return undefined
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`
  const duration = descriptor.slice('@every '.length)
  if (duration === '0' || DURATION.test(duration)) return undefined
  return `failed to parse duration ${descriptor}: time: ${durationProblem(duration)}`
}

function durationProblem(duration: string): string {
  const quoted = goQuote(duration)
  if (/^[+-]?[\d.]+$/.test(duration)) return `missing unit in duration ${quoted}`
  const unit = /^[+-]?[\d.]+([^\d.]+)/.exec(duration)?.[1]
  return unit === undefined ? `invalid duration ${quoted}` : `unknown unit ${goQuote(unit)} in duration ${quoted}`
}

function rangeProblem(expression: string, { low, high, names }: Bounds): string | undefined {
  const [range = '', stepText, ...moreSteps] = expression.split('/')
  const [first = '', last, ...moreEnds] = range.split('-')
  let start = low
  let end = high
  if (first !== '*' && first !== '?') {
    const from = integer(first, names)
    if (typeof from === 'string') return from
    start = from
    end = from
    if (moreEnds.length > 0) return `too many hyphens: ${expression}`
    if (last !== undefined) {
      const to = integer(last, names)
      if (typeof to === 'string') return to
      end = to
    }
  }
  let step = 1
  if (moreSteps.length > 0) return `too many slashes: ${expression}`
  if (stepText !== undefined) {
    const parsed = integer(stepText, undefined)
    if (typeof parsed === 'string') return parsed
    step = parsed
    if (last === undefined) end = high
  }
  if (start < low) return `beginning of range (${start}) below minimum (${low}): ${expression}`
  if (end > high) return `end of range (${end}) above maximum (${high}): ${expression}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`
  if (step === 0) return `step of range should be a positive number: ${expression}`
  return undefined
}

/** The number, or why there is none. */
function integer(text: string, names: Record<string, number> | undefined): number | string {
  const named = names?.[text.toLowerCase()]
  if (named !== undefined) return named
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`
  }
  if (Number(text) < 0) return `negative number (${Number(text)}) not allowed: ${text}`
  return Number(text)
}

export function timeZoneProblem(zone: string): string | undefined {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return undefined
  const isSafe = !zone.startsWith('/') && !zone.includes('\\') && !zone.split('/').includes('..')
  try {
    if (isSafe && /^[A-Za-z]/.test(zone)) {
      Intl.DateTimeFormat('en', { timeZone: zone })
      return undefined
    }
  } catch {
    // The zone is unknown to this machine's database: the answer below says so.
  }
  return isSafe ? `unknown time zone ${zone}` : 'time: invalid location name'
}
