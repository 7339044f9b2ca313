/** The decimal digits of a number: 0.d₁d₂d₃… times ten to the power of `point`. */
interface Digits {
  digits: string
  point: number
}

/** A float64 as Go's strconv.FormatFloat writes it. A precision of -1 asks for the fewest digits that tell the number from
 *  its neighbours. */
export function formatFloat(value: number, verb: string, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const size = Math.abs(value)
  switch (verb) {
    case 'e':
    case 'E':
      return sign + exponentForm(rounded(size, precision < 0 ? -1 : precision + 1), precision, verb)
    case 'f':
      return sign + (precision < 0 ? fixedForm(shortest(size), -1) : fixedForm(fixedDigits(size, precision), precision))
    case 'g':
    case 'G':
      return sign + generalForm(size, verb, precision)
    case 'b':
      return sign + binaryForm(size)
    case 'x':
    case 'X':
      return sign + hexForm(size, verb, precision)
    default:
      return `%${verb}`
  }
}

function shortest(size: number): Digits {
  if (size === 0) return { digits: '', point: 0 }
  const [mantissa = '', exponent = '0'] = size.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 }
}

/** All digits: every float64 has finitely many. */
function exact(size: number): Digits {
  if (size === 0) return { digits: '', point: 0 }
  const { mantissa, exponent } = binaryParts(size)
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString()
    return { digits: digits.replace(/0+$/, ''), point: digits.length }
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString()
  return { digits: digits.replace(/0+$/, ''), point: digits.length + exponent }
}

function binaryParts(size: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, size)
  const bits = view.getBigUint64(0)
  const fraction = bits & ((1n << 52n) - 1n)
  const biased = Number(bits >> 52n)
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 }
}

/** Rounds to a count of digits, halves to even. */
function round({ digits, point }: Digits, count: number): Digits {
  if (count >= digits.length) return { digits, point }
  if (count < 0) return { digits: '', point: 0 }
  const isUp = roundsUp(digits, count)
  let kept = digits.slice(0, count)
  let at = point
  if (isUp) {
    const higher = (BigInt(kept === '' ? '0' : kept) + 1n).toString().padStart(count, '0')
    if (higher.length > count) at += 1
    kept = higher
  }
  return { digits: kept.replace(/0+$/, ''), point: at }
}

function roundsUp(digits: string, count: number): boolean {
  const next = digits[count] as string
  if (next !== '5' || count + 1 < digits.length) return next >= '5'
  return count > 0 && Number(digits[count - 1]) % 2 === 1
}

const rounded = (size: number, count: number): Digits => (count < 0 ? shortest(size) : round(exact(size), count))

function fixedDigits(size: number, precision: number): Digits {
  const all = exact(size)
  return round(all, all.point + precision)
}

function exponentForm({ digits, point }: Digits, precision: number, verb: string): string {
  const first = digits[0] ?? '0'
  const rest = digits.slice(1)
  const fraction = precision < 0 ? rest : rest.padEnd(precision, '0')
  const exponent = digits === '' ? 0 : point - 1
  const sign = exponent < 0 ? '-' : '+'
  return `${first}${fraction === '' ? '' : `.${fraction}`}${verb}${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function fixedForm({ digits, point }: Digits, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  const fractionDigits = point > 0 ? digits.slice(point) : '0'.repeat(digits === '' ? 0 : -point) + digits
  const fraction = precision < 0 ? fractionDigits : fractionDigits.slice(0, precision).padEnd(precision, '0')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function generalForm(size: number, verb: string, precision: number): string {
  const isShortest = precision < 0
  const count = precision === 0 ? 1 : precision
  const digits = rounded(size, count)
  let threshold = count
  if (threshold > digits.digits.length && digits.digits.length >= digits.point) threshold = digits.digits.length
  if (isShortest) threshold = 6
  const exponent = (digits.digits === '' ? 0 : digits.point) - 1
  if (exponent < -4 || exponent >= threshold) {
    return exponentForm(digits, Math.max(digits.digits.length - 1, 0), verb === 'g' ? 'e' : 'E')
  }
  return fixedForm(digits, Math.max(digits.digits.length - digits.point, 0))
}

function binaryForm(size: number): string {
  const { mantissa, exponent } = binaryParts(size)
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

function hexForm(size: number, verb: string, precision: number): string {
  let { mantissa, exponent } = binaryParts(size)
  if (mantissa === 0n) exponent = 0
  else {
    while (mantissa >> 52n === 0n) {
      mantissa <<= 1n
      exponent -= 1
    }
    exponent += 52
  }
  if (precision >= 0 && precision < 13) {
    const drop = BigInt((13 - precision) * 4)
    const half = 1n << (drop - 1n)
    const tail = mantissa & ((1n << drop) - 1n)
    mantissa >>= drop
    if (tail > half || (tail === half && (mantissa & 1n) === 1n)) mantissa += 1n
    mantissa <<= drop
    if (mantissa >> 53n !== 0n) {
      mantissa >>= 1n
      exponent += 1
    }
  }
  const all = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0')
  const fraction = precision < 0 ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0')
  const sign = exponent < 0 ? '-' : '+'
  const text = `0x${mantissa === 0n ? 0 : 1}${fraction === '' ? '' : `.${fraction}`}p${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
  return verb === 'X' ? text.toUpperCase() : text
}
