/** A power as Go's math package computes it: by squaring, which can differ from other ways in the last digit. */
export function power(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1
  if (exponent === 1) return base
  if (Number.isNaN(base) || Number.isNaN(exponent)) return Number.NaN
  if (!Number.isFinite(exponent)) return base === -1 ? 1 : base ** exponent
  if (base === 0 || !Number.isFinite(base)) return base ** exponent
  if (exponent === 0.5) return Math.sqrt(base)
  if (exponent === -0.5) return 1 / Math.sqrt(base)
  return finitePower(base, exponent)
}

function finitePower(base: number, exponent: number): number {
  let whole = Math.trunc(Math.abs(exponent))
  let fraction = Math.abs(exponent) - whole
  if (fraction !== 0 && base < 0) return Number.NaN
  if (whole >= 2 ** 63) {
    if (base === -1) return 1
    return Math.abs(base) < 1 === exponent > 0 ? 0 : Infinity
  }
  let result = 1
  let scale = 0
  if (fraction !== 0) {
    if (fraction > 0.5) {
      fraction--
      whole++
    }
    result = base ** fraction
  }
  let [mantissa, binaryExponent] = split(base)
  for (let rest = BigInt(whole); rest !== 0n; rest >>= 1n) {
    if (binaryExponent < -4096 || binaryExponent > 4096) {
      scale += binaryExponent
      break
    }
    if ((rest & 1n) === 1n) {
      result *= mantissa
      scale += binaryExponent
    }
    mantissa *= mantissa
    binaryExponent *= 2
    if (mantissa < 0.5) {
      mantissa += mantissa
      binaryExponent--
    }
  }
  return exponent < 0 ? join(1 / result, -scale) : join(result, scale)
}

/** A number as mantissa × 2^exponent, with the mantissa in [0.5, 1). */
function split(value: number): [mantissa: number, exponent: number] {
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1)
  let mantissa = value * 2 ** -exponent
  while (Math.abs(mantissa) < 0.5) {
    mantissa *= 2
    exponent--
  }
  while (Math.abs(mantissa) >= 1) {
    mantissa /= 2
    exponent++
  }
  return [mantissa, exponent]
}

/** Rounds once, also where the result is below the normal numbers. */
function join(mantissa: number, exponent: number): number {
  if (exponent < -1000) return mantissa * 2 ** (exponent + 1000) * 2 ** -1000
  return exponent > 1000 ? mantissa * 2 ** (exponent - 1000) * 2 ** 1000 : mantissa * 2 ** exponent
}
