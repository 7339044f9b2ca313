import { describe, FatalReadError, type Plan, type Reading } from './decode-plan.ts'
import { canonicalQuantity } from './go-quantity.ts'
import { normalizeMicroTime, normalizeTime, TimeSyntaxError } from './go-time.ts'
import type { Json, Schema } from './schema.ts'

/** The plan of a type that has no parts; undefined for structs, lists and maps. `goType` is its name in Go's errors. */
export function planForScalar(schema: Schema, goType: string): Plan | undefined {
  switch (schema.go?.scalar) {
    case 'Time':
      return timePlan(normalizeTime)
    case 'MicroTime':
      return timePlan(normalizeMicroTime)
    case 'Quantity':
      return QUANTITY
    case 'IntOrString':
      return INT_OR_STRING
    case 'bytes':
      return BYTES
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return ANYTHING
    case 'Duration':
      return stringPlan(goType)
    default:
      break
  }
  switch (schema.type) {
    case 'string':
      return stringPlan(goType)
    case 'boolean':
      return booleanPlan(goType)
    case 'integer':
      return integerPlan(goType, schema.format)
    case 'number':
      return numberPlan(goType)
    case undefined:
      return schema.properties === undefined && schema.additionalProperties === undefined ? ANYTHING : undefined
    default:
      return undefined
  }
}

function stringPlan(goType: string): Plan {
  return {
    nilable: false,
    zero: () => '',
    isEmpty: value => value === '',
    read(value, reading) {
      if (typeof value === 'string') return value
      reading.reportType(describe(value), goType)
      return ''
    },
  }
}

function booleanPlan(goType: string): Plan {
  return {
    nilable: false,
    zero: () => false,
    isEmpty: value => value === false,
    read(value, reading) {
      if (typeof value === 'boolean') return value
      reading.reportType(describe(value), goType)
      return false
    },
  }
}

const INT64: readonly [bigint, bigint] = [-(2n ** 63n), 2n ** 63n - 1n]
const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint8: [0n, 255n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
}

function integerPlan(goType: string, format = 'int64'): Plan {
  const [low, high] = RANGES[format] ?? INT64
  const [safeLow, safeHigh] = [
    Math.max(Number(low), Number.MIN_SAFE_INTEGER),
    Math.min(Number(high), Number.MAX_SAFE_INTEGER),
  ]
  return {
    nilable: false,
    zero: () => 0,
    isEmpty: value => value === 0,
    read(value, reading) {
      if (typeof value === 'number') {
        const written = reading.numberText()
        if (written === undefined && Number.isInteger(value) && value >= safeLow && value <= safeHigh) return value
        reading.reportType(`number ${written ?? numberText(value)}`, goType)
        return 0
      }
      if (typeof value === 'bigint' && value >= low && value <= high) return value
      reading.reportType(typeof value === 'bigint' ? `number ${numberText(value)}` : describe(value), goType)
      return 0
    },
  }
}

const INT32_HIGH = 2 ** 31 - 1

/** A number of digits alone, as the client wrote it; where the text is gone, as it most likely did. */
function numberText(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value)
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(BigInt(value)) : String(value)
}

function numberPlan(goType: string): Plan {
  return {
    nilable: false,
    zero: () => 0,
    isEmpty: value => value === 0,
    read(value, reading) {
      if (typeof value === 'number' || typeof value === 'bigint') return value
      reading.reportType(describe(value), goType)
      return 0
    },
  }
}

function timePlan(normalize: (text: string) => string | null): Plan {
  return {
    nilable: false,
    zero: () => null,
    isEmpty: () => false,
    read(value, reading) {
      if (typeof value !== 'string') throw new FatalReadError(reading.typeMismatch(describe(value), 'string'))
      try {
        return normalize(value)
      } catch (thrown) {
        if (thrown instanceof TimeSyntaxError) throw new FatalReadError(thrown.message)
        throw thrown
      }
    },
  }
}

const QUANTITY: Plan = {
  nilable: false,
  zero: () => '0',
  isEmpty: () => false,
  read(value) {
    const quantity = canonicalQuantity(typeof value === 'object' ? '{' : String(value).trim())
    if ('error' in quantity) throw new FatalReadError(quantity.error)
    return quantity.text
  },
}

const INT_OR_STRING: Plan = {
  nilable: false,
  zero: () => 0,
  isEmpty: () => false,
  read(value, reading) {
    const written = reading.numberText()
    const isInteger = written === undefined && Number.isInteger(value) && Math.abs(value as number) <= INT32_HIGH
    if (typeof value === 'string' || isInteger) return value
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    const found = isNumber ? `number ${written ?? numberText(value)}` : describe(value)
    throw new FatalReadError(reading.typeMismatch(found, 'int32'))
  },
}

const ANYTHING: Plan = { nilable: false, zero: () => null, isEmpty: () => false, read: value => value }

const BYTES: Plan = {
  nilable: true,
  zero: () => '',
  isEmpty: value => value === '',
  read: readBytes,
}

const BYTE = integerPlan('uint8', 'uint8')

/** Text in base64, or, as Go has it, a list of numbers. */
function readBytes(value: Json, reading: Reading): Json {
  if (Array.isArray(value)) {
    const bytes = value.map(byte => (byte === null ? 0 : BYTE.read(byte, reading)) as number)
    return Buffer.from(bytes).toString('base64')
  }
  if (typeof value !== 'string') {
    reading.reportType(describe(value), '[]uint8')
    return ''
  }
  const canonical = Buffer.from(value, 'base64').toString('base64')
  if (canonical === value) return value
  const wrong = firstWrongBase64Byte(value)
  if (wrong === undefined) return canonical
  reading.typeError ??= `illegal base64 data at input byte ${wrong}`
  return ''
}

const BASE64_CHAR = /[A-Za-z0-9+/]/
const LINE_BREAK = /[\r\n]/

/** Where Go's decoder stops; undefined when it does not. Line breaks are allowed everywhere, the last bits are free. */
function firstWrongBase64Byte(text: string): number | undefined {
  const bytes = Buffer.from(text)
  const char = (i: number) => String.fromCharCode(bytes[i] ?? 0)
  const skipBreaks = (i: number) => {
    while (i < bytes.length && LINE_BREAK.test(char(i))) i++
    return i
  }
  for (let at = 0; ; ) {
    for (let digits = 0; digits < 4; digits++) {
      at = skipBreaks(at)
      if (at >= bytes.length) return digits === 0 ? undefined : at - digits
      if (char(at) === '=') return digits < 2 ? at : wrongPadding(digits, at)
      if (!BASE64_CHAR.test(char(at))) return at
      at++
    }
  }

  function wrongPadding(digits: number, pad: number): number | undefined {
    let next = skipBreaks(pad + 1)
    if (digits === 2) {
      if (next >= bytes.length) return bytes.length
      if (char(next) !== '=') return next - 1
      next = skipBreaks(next + 1)
    }
    return next < bytes.length ? next : undefined
  }
}
