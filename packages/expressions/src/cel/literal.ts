import { isKeyword, type Token } from './lexer.ts'
import { unquoteBytes, unquoteString } from './string-literal.ts'
import type { Literal } from './syntax-tree.ts'
import { Uint } from './value.ts'

const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

export function isLiteral(token: Token): boolean {
  switch (token.kind) {
    case 'int':
    case 'uint':
    case 'float':
    case 'string':
    case 'bytes':
      return true
    default:
      return isKeyword(token) && token.text !== 'in'
  }
}

/** The value of a literal token, or what is wrong with it. A sign before a number belongs to the number. */
export function literalValue({ kind, text }: Token, negative: boolean): Literal | Error {
  switch (kind) {
    case 'int': {
      const value = negative ? -BigInt(text) : BigInt(text)
      return value < minInt || value > maxInt ? new Error('invalid int literal') : value
    }
    case 'uint': {
      const value = BigInt(text.slice(0, -1))
      return value > maxUint ? new Error('invalid uint literal') : new Uint(value)
    }
    case 'float': {
      const value = Number(negative ? `-${text}` : text)
      return Number.isFinite(value) ? value : new Error('invalid double literal')
    }
    case 'string':
    case 'bytes':
      try {
        return kind === 'bytes' ? unquoteBytes(text.slice(1)) : unquoteString(text)
      } catch (error) {
        return error as Error
      }
    default:
      return text === 'null' ? null : text === 'true'
  }
}
