import { formatDouble } from '../number-text.ts'
import {
  floorSeconds,
  formatSeconds,
  formatTimestamp,
  isInTimestampRange,
  parseGoDuration,
  parseTimestamp,
} from '../time.ts'
import { CelError, type CelValue, Duration, Timestamp, Uint } from '../value.ts'
import { type Implementation, overload } from './implementation.ts'
import { checkedInt, checkedUint } from './operators.ts'

const intOverflow = new CelError('integer overflow')
const uintOverflow = new CelError('unsigned integer overflow')

function failure(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`)
}

function identity(value: CelValue): CelValue {
  return value
}

function stringToBool(text: string): CelValue {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false
  return failure('string', 'bool')
}

function stringToInt(text: string): CelValue {
  const value = /^[+-]?\d+$/.test(text) ? checkedInt(BigInt(text.replace('+', ''))) : undefined
  return typeof value === 'bigint' ? value : failure('string', 'int')
}

function stringToUint(text: string): CelValue {
  const value = /^\d+$/.test(text) ? checkedUint(BigInt(text)) : undefined
  return value instanceof Uint ? value : failure('string', 'uint')
}

const decimal = /^[+-]?(\d(_?\d)*\.?(\d(_?\d)*)?|\.\d(_?\d)*)(e[+-]?\d(_?\d)*)?$/i
const hexadecimal = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i

/** As Go's ParseFloat reads it: decimal (digits may be grouped with `_`), hexadecimal with a binary exponent, or a name
 *  of infinity or NaN. */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const hex = hexadecimal.exec(text)
  if (hex !== null) {
    const [, sign, whole = '', fraction = '', exponent = '0'] = hex
    if (whole === '' && fraction === '') return undefined
    const mantissa = Number(`0x${whole}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length)
    return sign === '-' ? -mantissa : mantissa
  }
  if (!decimal.test(text)) return undefined
  const value = Number(text.replaceAll('_', ''))
  return Number.isFinite(value) ? value : undefined
}

function doubleToInt(value: number): CelValue {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) return intOverflow
  return BigInt(Math.trunc(value))
}

function doubleToUint(value: number): CelValue {
  if (!(value >= 0 && value < 2 ** 64)) return uintOverflow
  return new Uint(BigInt(Math.trunc(value)))
}

export function bytesToString(bytes: Uint8Array): string | CelError {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // The decoder throws on bytes that are no UTF-8, which is this error value.
    return new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

function stringToDuration(text: string): CelValue {
  const nanos = parseGoDuration(text)
  return nanos === undefined ? failure('string', 'google.protobuf.Duration') : new Duration(nanos)
}

function stringToTimestamp(text: string): CelValue {
  const time = parseTimestamp(text)
  if (time === undefined) return failure('string', 'google.protobuf.Timestamp')
  return isInTimestampRange(time.nanos) ? time : new CelError('timestamp overflow')
}

function intToTimestamp(seconds: bigint): CelValue {
  const nanos = seconds * 1_000_000_000n
  return isInTimestampRange(nanos) ? new Timestamp(nanos) : new CelError('timestamp overflow')
}

export const conversionOverloads: readonly (readonly [string, Implementation])[] = [
  ...[
    'bool_to_bool',
    'bytes_to_bytes',
    'double_to_double',
    'duration_to_duration',
    'int64_to_int64',
    'string_to_string',
    'timestamp_to_timestamp',
    'uint64_to_uint64',
  ].map(id => overload(id, identity)),
  overload('string_to_bool', stringToBool),
  overload('string_to_bytes', (text: string) => new Uint8Array(Buffer.from(text, 'utf8'))),
  overload('int64_to_double', (value: bigint) => Number(value)),
  overload('uint64_to_double', (value: Uint) => Number(value.value)),
  overload('string_to_double', (text: string) => parseDouble(text) ?? failure('string', 'double')),
  overload('int64_to_duration', () => failure('int', 'google.protobuf.Duration')),
  overload('string_to_duration', stringToDuration),
  overload('double_to_int64', doubleToInt),
  overload('duration_to_int64', (duration: Duration) => duration.nanos),
  overload('string_to_int64', stringToInt),
  overload('timestamp_to_int64', (time: Timestamp) => floorSeconds(time.nanos)),
  overload('uint64_to_int64', (value: Uint) => checkedInt(value.value)),
  overload('bool_to_string', (value: boolean) => String(value)),
  overload('bytes_to_string', bytesToString),
  overload('double_to_string', formatDouble),
  overload('duration_to_string', formatSeconds),
  overload('int64_to_string', (value: bigint) => value.toString()),
  overload('timestamp_to_string', formatTimestamp),
  overload('uint64_to_string', (value: Uint) => value.value.toString()),
  overload('int64_to_timestamp', intToTimestamp),
  overload('string_to_timestamp', stringToTimestamp),
  overload('double_to_uint64', doubleToUint),
  overload('int64_to_uint64', checkedUint),
  overload('string_to_uint64', stringToUint),
  overload('not_strictly_false', (value: CelValue) => (typeof value === 'boolean' ? value : true)),
]
