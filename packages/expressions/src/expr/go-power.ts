/** math.Pow as Go calculates it: the result may differ in its last digit from JavaScript's. */
export function goPower(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1
  if (exponent === 1) return base
  if (Number.isNaN(base) || Number.isNaN(exponent)) return Number.NaN
  if (base === -1 && Math.abs(exponent) === Infinity) return 1
  if (exponent === 0.5) return Math.sqrt(base)
  if (exponent === -0.5) return 1 / Math.sqrt(base)
  const size = Math.abs(exponent)
  let whole = Math.trunc(size)
  let fraction = size - whole
  const isOrdinary = base !== 0 && Number.isFinite(base) && whole < 2 ** 53
  if (!isOrdinary || (fraction !== 0 && base < 0)) return base ** exponent
  let mantissa = 1
  if (fraction !== 0) {
    if (fraction > 0.5) {
      fraction--
      whole++
    }
    mantissa = Math.exp(fraction * Math.log(base))
  }
  let power = 0
  let [factor, factorPower] = split(base)
  for (let left = whole; left !== 0; left = Math.floor(left / 2)) {
    if (Math.abs(factorPower) > 4096) return base ** exponent
    if (left % 2 === 1) {
      mantissa *= factor
      power += factorPower
    }
    factor *= factor
    factorPower *= 2
    if (factor < 0.5) {
      factor += factor
      factorPower--
    }
  }
  return exponent < 0 ? scale(1 / mantissa, -power) : scale(mantissa, power)
}

/** A mantissa from 0.5 to 1 and the power of two that it is multiplied by. */
function split(value: number): [number, number] {
  let power = Math.max(Math.floor(Math.log2(Math.abs(value))) + 1, -1073)
  let mantissa = scale(value, -power)
  while (Math.abs(mantissa) >= 1) {
    mantissa /= 2
    power++
  }
  while (Math.abs(mantissa) < 0.5) {
    mantissa *= 2
    power--
  }
  return [mantissa, power]
}

/** In two steps, since a power of two alone may be out of range. */
function scale(value: number, power: number): number {
  const half = Math.trunc(power / 2)
  return value * 2 ** half * 2 ** (power - half)
}
