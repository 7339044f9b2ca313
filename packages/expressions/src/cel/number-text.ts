/** A double as `string(x)` gives it: the shortest digits, an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return value.toString()
  const sign = exponent < 0 ? '-' : '+'
  return `${mantissa}e${sign}${Math.abs(exponent).toString().padStart(2, '0')}`
}

/** Without an exponent, whatever the magnitude. */
export function plainDecimal(value: number): string {
  const text = value.toString()
  if (!text.includes('e')) return text
  const [mantissa = '0', exponentText = '0'] = text.split('e')
  const negative = mantissa.startsWith('-')
  const [whole = '0', fraction = ''] = (negative ? mantissa.slice(1) : mantissa).split('.')
  const exponent = Number(exponentText)
  const digits = whole + fraction
  const point = whole.length + exponent
  const plain =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : point >= digits.length
        ? digits + '0'.repeat(point - digits.length)
        : `${digits.slice(0, point)}.${digits.slice(point)}`
  return negative ? `-${plain}` : plain
}
