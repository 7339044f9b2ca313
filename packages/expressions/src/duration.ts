/** The text is no duration; the message is the one that Go gives. */
export class DurationError extends Error {
  constructor(problem: string, text: string) {
    super(`time: ${problem} ${quote(text)}`)
    this.name = 'DurationError'
  }
}

const second = 1_000_000_000n
const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['m', 60n * second],
  ['h', 3600n * second],
])

/** What a negative duration may reach; a positive one is one less. */
const limit = 2n ** 63n

/** Nanoseconds of a Go duration such as `1h30m`. Throws DurationError. */
export function parseDuration(text: string): bigint {
  const isNegative = text.startsWith('-')
  let rest = /^[+-]/.test(text) ? text.slice(1) : text
  if (rest === '0') return 0n
  if (rest === '') throw new DurationError('invalid duration', text)
  let total = 0n
  while (rest !== '') {
    const [matched, whole = '', fraction = '', unit = ''] = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest) as RegExpExecArray
    const integer = BigInt(whole)
    if ((whole === '' && fraction === '') || integer > limit) throw new DurationError('invalid duration', text)
    if (unit === '') throw new DurationError('missing unit in duration', text)
    const nanos = unitNanos.get(unit)
    if (nanos === undefined) throw new DurationError(`unknown unit ${quote(unit)} in duration`, text)
    total += integer * nanos + fractionNanos(fraction, nanos)
    if (total > limit) throw new DurationError('invalid duration', text)
    rest = rest.slice(matched.length)
  }
  if (isNegative) return -total
  if (total === limit) throw new DurationError('invalid duration', text)
  return total
}

/** Go multiplies fractions as floating-point numbers, and leaves out the digits that 63 bits do not hold. */
function fractionNanos(digits: string, unit: bigint): bigint {
  let value = 0n
  let scale = 1
  for (const digit of digits) {
    const longer = value * 10n + BigInt(digit)
    if (value > (limit - 1n) / 10n || longer > limit) break
    value = longer
    scale *= 10
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

/** A duration as Go prints it: `1h30m0s`, `1.5s`, `250ms`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s'
  const sign = nanos < 0n ? '-' : ''
  const size = nanos < 0n ? -nanos : nanos
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`
  if (size < second) return `${sign}${decimal(size, 6)}ms`
  const minutes = size / (60n * second)
  const seconds = decimal(size % (60n * second), 9)
  if (minutes === 0n) return `${sign}${seconds}s`
  const hours = minutes / 60n
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}s`
}

function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places)
  const fraction = (value % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`
}

/** The quotes of Go's package time: every byte beyond printable ASCII is written in hexadecimal. */
function quote(text: string): string {
  let quoted = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, '0')}`
    else quoted += character === '"' || character === '\\' ? `\\${character}` : character
  }
  return `"${quoted}"`
}
