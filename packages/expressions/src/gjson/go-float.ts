const decimal = /^[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?$/
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([+-]?\d[\d_]*)$/
const misplacedUnderscore = /(?:^|[^0-9a-fA-FxX])_|_(?:$|[^0-9a-fA-F])/

/** The number that Go's strconv.ParseFloat reads: infinite when it is out of range, undefined when it is no number. */
export function parseGoFloat(text: string): number | undefined {
  const plain = /^-?\d{1,15}$/.test(text)
  if (plain) return Number(text)
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  if (decimal.test(text)) {
    if (!text.includes('_')) return Number(text)
    return misplacedUnderscore.test(text) ? undefined : Number(text.replaceAll('_', ''))
  }
  return hexFloat(text)
}

function hexFloat(text: string): number | undefined {
  const match = hexadecimal.exec(text)
  if (match === null || misplacedUnderscore.test(text)) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match.map(part => part.replaceAll('_', ''))
  if (whole === '' && fraction === '') return undefined
  const mantissa = Number(BigInt(`0x${whole}${fraction}`))
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}
