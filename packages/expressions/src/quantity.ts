export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** The text is not a quantity; the message is the one Kubernetes gives. */
export class QuantityError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'QuantityError'
  }
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongNumber = 'unable to parse numeric part of quantity'
const wrongSuffix = "unable to parse quantity's suffix"

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const decimalByExponent = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]))
const binaryByExponent = new Map(Object.entries(binarySuffixes).map(([suffix, exponent]) => [exponent, suffix]))

const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)
const fitsInt64 = (value: bigint): boolean => value >= minInt64 && value <= maxInt64
const pow10 = (exponent: number): bigint => 10n ** BigInt(exponent)

// Kubernetes multiplies by these powers of ten in one go, and returns what is left of an overflow.
const wrappingScales = new Set([1, 2, 3, 6, 9])

interface Parts {
  unscaled: bigint
  /** The value is `unscaled` times ten to this power. */
  scale: number
  /** Too large or too fine for Kubernetes' int64 arithmetic; such a quantity never converts to an integer. */
  isBig: boolean
  format: QuantityFormat
  /** The text it was parsed from, where that is canonical already. */
  text?: string | undefined
}

/** A Kubernetes resource quantity: exact, immutable, and printed the way the API server prints it. */
export class Quantity {
  readonly format: QuantityFormat
  readonly #unscaled: bigint
  readonly #scale: number
  readonly #isBig: boolean
  #text: string | undefined

  private constructor({ unscaled, scale, isBig, format, text }: Parts) {
    this.#unscaled = unscaled
    this.#scale = scale
    this.#isBig = isBig
    this.format = format
    this.#text = text
  }

  static of(value: bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity({ unscaled: value, scale: 0, isBig: false, format })
  }

  /** Throws QuantityError. */
  static parse(text: string): Quantity {
    if (text === '') throw new QuantityError(wrongFormat)
    if (text === '0') return new Quantity({ unscaled: 0n, scale: 0, isBig: false, format: 'DecimalSI', text })
    const literal = splitLiteral(text)
    const { exponent, format } = interpretSuffix(literal.suffix)
    return new Quantity(smallParts(text, literal, exponent, format) ?? bigParts(literal, exponent, format))
  }

  static isValid(text: string): boolean {
    try {
      Quantity.parse(text)
      return true
    } catch {
      // The question is only whether it parses.
      return false
    }
  }

  get isZero(): boolean {
    return this.#unscaled === 0n
  }

  sign(): -1 | 0 | 1 {
    return this.#unscaled === 0n ? 0 : this.#unscaled > 0n ? 1 : -1
  }

  compare(other: Quantity): -1 | 0 | 1 {
    const [left, right] = align(this, other)
    return left === right ? 0 : left < right ? -1 : 1
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0
  }

  add(other: Quantity): Quantity {
    return this.#combine(other, 1n)
  }

  sub(other: Quantity): Quantity {
    return this.#combine(other, -1n)
  }

  neg(): Quantity {
    return new Quantity({ unscaled: -this.#unscaled, scale: this.#scale, isBig: this.#isBig, format: this.format })
  }

  #combine(other: Quantity, factor: bigint): Quantity {
    const format = this.isZero ? other.format : this.format
    const small = !this.#isBig && !other.#isBig
    if (small && other.isZero) return new Quantity({ ...this.#parts(), format })
    if (small && this.isZero) {
      return new Quantity({ ...other.#parts(), unscaled: other.#unscaled * factor, format })
    }
    const [left, right, scale] = align(this, other)
    const unscaled = left + factor * right
    const isBig = !(small && fitsInt64(left) && fitsInt64(right) && fitsInt64(unscaled))
    return new Quantity({ unscaled, scale, isBig, format })
  }

  #parts(): Parts {
    return { unscaled: this.#unscaled, scale: this.#scale, isBig: this.#isBig, format: this.format }
  }

  /** The value as an int64, or undefined when it is fractional or out of range. */
  asInt64(): bigint | undefined {
    if (this.#isBig || this.#scale < 0) return undefined
    const value = this.#unscaled * pow10(this.#scale)
    return fitsInt64(value) ? value : undefined
  }

  /** In units of ten to the power of `scale`, as Kubernetes' Value() (0) and MilliValue() (-3) give it: rounded up, and
   *  with the oddities of int64 arithmetic for amounts that do not fit. */
  scaledValue(scale: number): bigint {
    const difference = scale - this.#scale
    if (!this.#isBig) {
      if (difference > 0) return roundUp(this.#unscaled, pow10(difference))
      const value = this.#unscaled * pow10(-difference)
      if (fitsInt64(value)) return value
      return wrappingScales.has(-difference) ? BigInt.asIntN(64, value) : 0n
    }
    const wrapped = BigInt.asIntN(64, this.#unscaled)
    if (difference <= 0) return BigInt.asIntN(64, wrapped * pow10(-difference))
    const divisor = pow10(difference)
    const isSmall = this.#unscaled < maxInt64 && difference < 19
    const dividend = isSmall ? wrapped : this.#unscaled
    const quotient =
      isSmall || dividend >= 0n || dividend % divisor === 0n ? dividend / divisor : dividend / divisor - 1n
    return BigInt.asIntN(64, dividend % divisor === 0n ? quotient : quotient + 1n)
  }

  /** The least amount in units of ten to the power of `scale` that is not nearer to zero. */
  roundUp(scale: number): Quantity {
    if (this.#scale >= scale) return this
    const unscaled = roundUp(this.#unscaled, pow10(scale - this.#scale))
    return new Quantity({ unscaled, scale, isBig: this.#isBig, format: this.format })
  }

  asApproximateFloat(): number {
    const base = Number(this.#unscaled)
    return this.#scale === 0 ? base : base * Number(`1e${this.#scale}`)
  }

  toString(): string {
    this.#text ??= this.#canonical()
    return this.#text
  }

  toJSON(): string {
    return this.toString()
  }

  #canonical(): string {
    if (this.isZero) return '0'
    if (this.format === 'BinarySI') {
      const binary = this.#canonicalBinary()
      if (binary !== undefined) return binary
    }
    let amount = this.#unscaled
    let exponent = this.#scale
    while (amount % 10n === 0n) {
      amount /= 10n
      exponent++
    }
    while (exponent % 3 !== 0) {
      amount *= 10n
      exponent--
    }
    if (this.format === 'DecimalExponent') return exponent === 0 ? `${amount}` : `${amount}e${exponent}`
    return `${amount}${decimalByExponent.get(exponent) ?? ''}`
  }

  /** Whole amounts from 1024 on; what is smaller or fractional prints in decimal. */
  #canonicalBinary(): string | undefined {
    const limit = 1024n
    const whole = this.#scale >= 0 ? this.#unscaled * pow10(this.#scale) : roundUp(this.#unscaled, pow10(-this.#scale))
    const exact = this.#scale >= 0 || whole * pow10(-this.#scale) === this.#unscaled
    if (!exact || (whole > -limit && whole < limit)) return undefined
    let amount = whole
    let exponent = 0
    while (amount % limit === 0n) {
      amount /= limit
      exponent++
    }
    return `${amount}${binaryByExponent.get(exponent * 10) ?? ''}`
  }

  /** Both amounts at the smaller of the two scales. */
  static align(left: Quantity, right: Quantity): [bigint, bigint, number] {
    const scale = Math.min(left.#scale, right.#scale)
    return [left.#unscaled * pow10(left.#scale - scale), right.#unscaled * pow10(right.#scale - scale), scale]
  }
}

function align(left: Quantity, right: Quantity): [bigint, bigint, number] {
  return Quantity.align(left, right)
}

function roundUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  if (value % divisor === 0n) return quotient
  return value < 0n ? quotient - 1n : quotient + 1n
}

interface Literal {
  negative: boolean
  whole: string
  fraction: string
  suffix: string
  hasDigits: boolean
}

function splitLiteral(text: string): Literal {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text)
  if (match === null) throw new QuantityError(wrongFormat)
  const [, sign, digits = '', fraction = '', suffix = ''] = match
  const whole = digits.replace(/^0+/, '') || '0'
  // A number that is nothing but zeros ends the parse before its suffix is looked at.
  const onlyZeros = /^[+-]?0*$/.test(text)
  return {
    negative: sign === '-',
    whole,
    fraction,
    suffix,
    hasDigits: onlyZeros || digits !== '' || fraction !== '',
  }
}

function interpretSuffix(suffix: string): { exponent: number; format: QuantityFormat } {
  const decimal = Object.hasOwn(decimalSuffixes, suffix) ? decimalSuffixes[suffix] : undefined
  if (decimal !== undefined) return { exponent: decimal, format: 'DecimalSI' }
  const binary = Object.hasOwn(binarySuffixes, suffix) ? binarySuffixes[suffix] : undefined
  if (binary !== undefined) return { exponent: binary, format: 'BinarySI' }
  if (!/^[eE][+-]?\d+$/.test(suffix) || !fitsInt64(BigInt(suffix.slice(1).replace('+', '')))) {
    throw new QuantityError(wrongSuffix)
  }
  const exponent = Number(BigInt.asIntN(32, BigInt(suffix.slice(1).replace('+', ''))))
  return { exponent, format: 'DecimalExponent' }
}

/** What fits Kubernetes' int64 representation, or undefined. */
function smallParts(
  text: string,
  { negative, whole, fraction }: Literal,
  exponent: number,
  format: QuantityFormat,
): Parts | undefined {
  const isBinary = format === 'BinarySI'
  if (isBinary && fraction !== '') return undefined
  const precision = isBinary
    ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1
    : 18 - (whole.length + fraction.length)
  const scale = (isBinary ? 0 : exponent) - fraction.length
  if (precision < 0 || scale < -9) return undefined
  const digits = whole + fraction
  const value = BigInt(digits)
  const magnitude = isBinary ? value << BigInt(exponent) : value
  if (!fitsInt64(magnitude)) return undefined
  const isCanonical = isBinary
    ? (value & 7n) !== 0n
    : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return {
    unscaled: negative ? -magnitude : magnitude,
    scale,
    isBig: false,
    format,
    text: isCanonical ? text : undefined,
  }
}

const nano = -9

function bigParts({ negative, whole, fraction, hasDigits }: Literal, exponent: number, format: QuantityFormat): Parts {
  if (!hasDigits) throw new QuantityError(wrongNumber)
  let unscaled = BigInt(whole + fraction)
  let scale = -fraction.length
  if (format === 'BinarySI') unscaled <<= BigInt(exponent)
  else scale += exponent
  if (unscaled !== 0n) {
    unscaled = scale >= nano ? unscaled * pow10(scale - nano) : roundUp(unscaled, pow10(nano - scale))
    scale = nano
  }
  let resultFormat = format
  if (format === 'BinarySI') {
    const unit = pow10(-scale)
    if (unscaled > maxInt64 * unit) {
      unscaled = maxInt64
      scale = 0
    } else if (unscaled > 0n && unscaled < unit) {
      resultFormat = 'DecimalSI'
    }
  }
  return { unscaled: negative ? -unscaled : unscaled, scale, isBig: true, format: resultFormat }
}
