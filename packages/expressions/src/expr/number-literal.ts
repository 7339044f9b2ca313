import { goQuote } from '../cel/functions/go-text.ts'
import type { ExprDialect } from './dialect.ts'
import { Fault } from './source.ts'
import type { Node } from './syntax-tree.ts'

const maxInt = 2n ** 63n - 1n

/** The node of a number token. `blame` is where a bad number is reported: at the token that follows it. */
export function numberNode(token: string, position: number, blame: number, dialect: ExprDialect): Node {
  const text = token.replaceAll('_', '')
  const lower = text.toLowerCase()
  const isHex = dialect === '1.17' ? lower.startsWith('0x') : text.includes('x')
  if (isHex) return integer(text, 'hex', 16, position, blame)
  if (/[.e]/.test(lower)) return float(text, position, blame)
  if (dialect === '1.17' && lower.startsWith('0b')) return integer(text, 'binary', 2, position, blame)
  if (dialect === '1.17' && lower.startsWith('0o')) return integer(text, 'octal', 8, position, blame)
  return integer(text, 'integer', 10, position, blame)
}

const digitsOf: ReadonlyMap<number, RegExp> = new Map([
  [16, /^0[xX][0-9a-fA-F]+$/],
  [10, /^[0-9]+$/],
  [8, /^0[oO][0-7]+$/],
  [2, /^0[bB][01]+$/],
])

function integer(text: string, what: string, base: number, position: number, blame: number): Node {
  const refuse = (why: string) =>
    new Fault(`invalid ${what} literal: strconv.ParseInt: parsing ${goQuote(text)}: ${why}`, blame)
  if (!digitsOf.get(base)?.test(text)) throw refuse('invalid syntax')
  const value = BigInt(text.toLowerCase())
  if (value > maxInt) throw refuse('value out of range')
  return { kind: 'integer', value, position }
}

function float(text: string, position: number, blame: number): Node {
  const refuse = (why: string) =>
    new Fault(`invalid float literal: strconv.ParseFloat: parsing ${goQuote(text)}: ${why}`, blame)
  if (!/^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) throw refuse('invalid syntax')
  const value = Number(text)
  if (!Number.isFinite(value)) throw refuse('value out of range')
  return { kind: 'float', value, position }
}
