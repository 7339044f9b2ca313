/** A number in Go's shortest form (`%g`): an exponent of two digits or more below 0.0001 and from a million on. */
export function formatGoFloat(value: number): string {
  return formatShortest(value, value.toExponential())
}

/** The same with the precision of a 32-bit number. */
export function formatGoFloat32(value: number): string {
  const rounded = Math.fround(value)
  for (let digits = 1; digits < 9; digits++) {
    const candidate = rounded.toExponential(digits - 1)
    if (Math.fround(Number(candidate)) === rounded) return formatShortest(rounded, candidate)
  }
  return formatShortest(rounded, rounded.toExponential(8))
}

function formatShortest(value: number, exponential: string): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf'
  const [mantissa, exponent] = exponential.split('e') as [string, string]
  const power = Number(exponent)
  if (power >= -4 && power < SHORTEST_PRECISION) return String(Number(exponential))
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

const SHORTEST_PRECISION = 6
