import { notApplicable } from './errors.ts'
import type { Native } from './functions.ts'
import { type JqValue, toFloat } from './value.ts'

function float(name: string, value: JqValue): number {
  const number = toFloat(value)
  if (number === undefined) throw notApplicable(name, value)
  return number
}

const bits = new DataView(new ArrayBuffer(8))

function exponentBits(value: number): number {
  bits.setFloat64(0, value)
  return (bits.getUint16(0) >> 4) & 0x7ff
}

/** A fraction from one half up to one, and the power of two that it is multiplied by. */
function frexp(value: number): [fraction: number, exponent: number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0]
  const isSubnormal = exponentBits(value) === 0
  const normal = isSubnormal ? value * 2 ** 64 : value
  const exponent = exponentBits(normal) - 1022
  return [normal / 2 ** exponent, isSubnormal ? exponent - 64 : exponent]
}

function ldexp(fraction: number, exponent: number): number {
  const power = Math.max(Math.min(Math.trunc(exponent), 2200), -2200)
  const half = Math.trunc(power / 2)
  const quarter = Math.trunc(half / 2)
  return fraction * 2 ** quarter * 2 ** (half - quarter) * 2 ** quarter * 2 ** (power - half - quarter)
}

function roundToEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest < 0.5 || !Number.isFinite(value)) return rest === 0 ? value : signed(floor, value)
  if (rest > 0.5) return signed(floor + 1, value)
  return signed(floor % 2 === 0 ? floor : floor + 1, value)
}

function signed(value: number, sign: number): number {
  return value === 0 && (sign < 0 || Object.is(sign, -0)) ? -0 : value
}

/** Halves away from zero, which is not what Math.round does. */
function round(value: number): number {
  const size = Math.abs(value)
  const floor = Math.floor(size)
  const rounded = size - floor >= 0.5 ? floor + 1 : floor
  return value < 0 || Object.is(value, -0) ? -rounded : rounded
}

function remainder(left: number, right: number): number {
  if (!Number.isFinite(left) || Number.isNaN(right) || right === 0) return Number.NaN
  if (!Number.isFinite(right)) return left
  const divisor = Math.abs(right)
  let rest = Math.abs(left) % (divisor * 2 === Number.POSITIVE_INFINITY ? divisor : divisor * 2)
  if (rest * 2 > divisor) rest -= divisor
  if (rest * 2 >= divisor) rest -= divisor
  return left < 0 ? -rest : rest
}

function nextAfter(from: number, towards: number): number {
  if (Number.isNaN(from) || Number.isNaN(towards)) return Number.NaN
  if (from === towards) return from
  if (from === 0) return towards > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  bits.setFloat64(0, from)
  const pattern = bits.getBigInt64(0)
  bits.setBigInt64(0, from < towards === from > 0 ? pattern + 1n : pattern - 1n)
  return bits.getFloat64(0)
}

const lanczos = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 0.000009984369578019572, 1.5056327351493116e-7,
]

function gamma(value: number): number {
  if (Number.isInteger(value)) {
    if (value < 0) return Number.NaN
    if (value === 0) return 1 / value
    if (value > 171) return Number.POSITIVE_INFINITY
    let product = 1
    for (let factor = 2; factor < value; factor++) product *= factor
    return product
  }
  if (value < 0.5) return Math.PI / (Math.sin(Math.PI * value) * gamma(1 - value))
  const [series, top] = lanczosSeries(value)
  return Math.sqrt(2 * Math.PI) * top ** (value - 0.5) * Math.exp(-top) * series
}

function lanczosSeries(value: number): [series: number, top: number] {
  const series = lanczos.reduce((sum, term, index) => (index === 0 ? term : sum + term / (value - 1 + index)), 0)
  return [series, value + 6.5]
}

function logGamma(value: number): number {
  if (value === 1 || value === 2) return 0
  if (!Number.isFinite(value)) return Number.isNaN(value) ? value : Number.POSITIVE_INFINITY
  if (Number.isInteger(value) && value <= 0) return Number.POSITIVE_INFINITY
  if (value < 0.5) return Math.log(Math.abs(Math.PI / Math.sin(Math.PI * value))) - logGamma(1 - value)
  const [series, top] = lanczosSeries(value)
  return 0.5 * Math.log(2 * Math.PI) + (value - 0.5) * Math.log(top) - top + Math.log(series)
}

/** The complement of the error function by its continued fraction, or by the series near zero. */
function erfc(value: number): number {
  if (Number.isNaN(value)) return value
  if (value < 0) return 2 - erfc(-value)
  if (value < 2.5) return 1 - erfSeries(value)
  if (value > 28) return 0
  let fraction = 0
  for (let term = 120; term > 0; term--) fraction = term / 2 / (value + fraction)
  return Math.exp(-value * value) / (Math.sqrt(Math.PI) * (value + fraction))
}

function erfSeries(value: number): number {
  let [term, sum] = [value, value]
  for (let index = 1; Math.abs(term) > Math.abs(sum) * 1e-17; index++) {
    term *= (-value * value) / index
    sum += term / (2 * index + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

function erf(value: number): number {
  if (Number.isNaN(value)) return value
  return Math.abs(value) < 2.5 ? erfSeries(value) : value > 0 ? 1 - erfc(value) : erfc(-value) - 1
}

/** Exact: the sum of the product and the addend is rounded once. */
function fusedMultiplyAdd(x: number, y: number, z: number): number {
  const product = x * y
  if (!Number.isFinite(product) || !Number.isFinite(z) || product === 0) return product + z
  const scale = 1100n
  const whole = (value: number): bigint => {
    const [fraction, exponent] = frexp(value)
    return BigInt(fraction * 2 ** 53) << (BigInt(exponent - 53) + scale)
  }
  const exact = whole(x) * whole(y) + (whole(z) << scale)
  const size = exact < 0n ? -exact : exact
  const excess = Math.max(0, size.toString(2).length - 900)
  // A sticky last bit keeps the rounding right after the cut.
  const cut = size >> BigInt(excess)
  const sticky = excess > 0 && cut << BigInt(excess) !== size ? 1n : 0n
  const result = ldexp(Number(cut | sticky), excess - Number(scale) * 2)
  return exact < 0n ? -result : result
}

const unary: { [name: string]: (value: number) => number } = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  floor: Math.floor,
  round,
  nearbyint: roundToEven,
  rint: roundToEven,
  ceil: Math.ceil,
  trunc: Math.trunc,
  significand: value => frexp(value)[0] * 2,
  fabs: Math.abs,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  exp10: value => 10 ** value,
  exp2: value => 2 ** value,
  expm1: Math.expm1,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  logb: value =>
    value === 0 ? Number.NEGATIVE_INFINITY : Number.isFinite(value) ? frexp(value)[1] - 1 : Math.abs(value),
  gamma,
  tgamma: gamma,
  lgamma: logGamma,
  erf,
  erfc,
}

const binary: { [name: string]: (left: number, right: number) => number } = {
  atan2: Math.atan2,
  copysign: (left, right) => {
    const isNegative = right < 0 || Object.is(right, -0)
    return isNegative ? -Math.abs(left) : Math.abs(left)
  },
  drem: (left, right) => {
    const rest = remainder(left, right)
    return rest === 0 ? signed(Math.abs(rest), left) : rest
  },
  fdim: (left, right) => (left <= right ? 0 : left - right),
  fmax: (left, right) => (Number.isNaN(left) ? right : Number.isNaN(right) ? left : Math.max(left, right)),
  fmin: (left, right) => (Number.isNaN(left) ? right : Number.isNaN(right) ? left : Math.min(left, right)),
  fmod: (left, right) => left % right,
  hypot: Math.hypot,
  nextafter: nextAfter,
  nexttoward: nextAfter,
  remainder,
  ldexp,
  scalb: ldexp,
  scalbln: ldexp,
  // Go, unlike JavaScript, has 1 to the power of anything be 1.
  pow: (left, right) =>
    left === 1 || (left === -1 && !Number.isFinite(right) && !Number.isNaN(right)) ? 1 : left ** right,
}

export const mathFunctions: readonly (readonly [string, Native])[] = [
  ...Object.entries(unary).map(
    ([name, apply]) => [`${name}/0`, (value: JqValue) => apply(float(name, value))] as const,
  ),
  ...Object.entries(binary).map(
    ([name, apply]) =>
      [
        `${name}/2`,
        (_value: JqValue, [left = null, right = null]: JqValue[]) => apply(float(name, left), float(name, right)),
      ] as const,
  ),
  [
    'fma/3',
    (_value, [x = null, y = null, z = null]) => fusedMultiplyAdd(float('fma', x), float('fma', y), float('fma', z)),
  ],
  [
    'frexp/0',
    value => {
      const [fraction, exponent] = frexp(float('frexp', value))
      return [fraction, BigInt(exponent)]
    },
  ],
  [
    'modf/0',
    value => {
      const number = float('modf', value)
      if (!Number.isFinite(number) && !Number.isNaN(number)) return [number > 0 ? 0 : -0, number]
      const whole = Math.trunc(number)
      return [signed(number - whole, number), whole]
    },
  ],
  ['infinite/0', () => Number.POSITIVE_INFINITY],
  ['nan/0', () => Number.NaN],
  [
    'isinfinite/0',
    value => {
      const number = toFloat(value)
      return number !== undefined && Math.abs(number) === Number.POSITIVE_INFINITY
    },
  ],
  [
    'isfinite/0',
    value => {
      const number = toFloat(value)
      return number !== undefined && Math.abs(number) !== Number.POSITIVE_INFINITY
    },
  ],
  [
    'isnan/0',
    value => {
      if (value === null) return false
      return Number.isNaN(float('isnan', value))
    },
  ],
  [
    'isnormal/0',
    value => {
      const number = toFloat(value)
      if (number === undefined) return false
      const exponent = exponentBits(number)
      return exponent > 0 && exponent < 0x7ff
    },
  ],
]
