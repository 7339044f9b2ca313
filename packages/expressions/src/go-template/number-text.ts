import { quote } from './quote.ts'

export type ParsedInteger = { value: bigint } | { problem: 'invalid syntax' | 'value out of range' }

const maxInt64 = 2n ** 63n - 1n
const digitsOf: Readonly<Record<number, RegExp>> = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^\d+$/, 16: /^[\da-f]+$/i }

/** Go's strconv.ParseInt for 64 bits. With base 0 the prefix decides, and underscores may separate digits. */
export function parseInt64(text: string, base = 10): ParsedInteger {
  const isNegative = text.startsWith('-')
  const magnitude = parseDigits(/^[+-]/.test(text) ? text.slice(1) : text, base)
  if (magnitude === undefined) return { problem: 'invalid syntax' }
  if (magnitude > maxInt64 + (isNegative ? 1n : 0n)) return { problem: 'value out of range' }
  return { value: isNegative ? -magnitude : magnitude }
}

/** Go's strconv.ParseUint for 64 bits. */
export function parseUint64(text: string, base = 10): ParsedInteger {
  const magnitude = parseDigits(text, base)
  if (magnitude === undefined) return { problem: 'invalid syntax' }
  return magnitude >= 2n ** 64n ? { problem: 'value out of range' } : { value: magnitude }
}

function parseDigits(text: string, base: number): bigint | undefined {
  if (base !== 0) return digitsValue(text, base)
  const [, prefix = '', rest = ''] = /^(0[xX]|0[oO]|0[bB]|0(?=.)|)(.*)$/s.exec(text) ?? []
  const inBase = { '': 10, '0': 8, '0x': 16, '0o': 8, '0b': 2 }[prefix.toLowerCase()] as number
  if (!rest.includes('_')) return digitsValue(rest, inBase)
  const isSeparated = /^[\da-f]+(_[\da-f]+)*$/i.test(prefix === '' ? rest : rest.replace(/^_/, ''))
  return isSeparated ? digitsValue(rest.replaceAll('_', ''), inBase) : undefined
}

function digitsValue(digits: string, base: number): bigint | undefined {
  if (digitsOf[base]?.test(digits) !== true) return undefined
  const prefix = { 2: '0b', 8: '0o', 10: '', 16: '0x' }[base] as string
  return BigInt(prefix + digits)
}

/** The text of the error that strconv returns. */
export function numberError(name: string, text: string, problem: string): string {
  return `strconv.${name}: parsing ${quote(text)}: ${problem}`
}
