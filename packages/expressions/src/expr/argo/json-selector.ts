import type { ExprValue } from '../value.ts'
import { SelectorError } from './selector-error.ts'
import { compileScript } from './selector-script.ts'
import {
  type Bound,
  currentStep,
  filterStep,
  indexStep,
  keyStep,
  lengthStep,
  rangeStep,
  recursiveStep,
  rootStep,
  type Step,
  scriptStep,
  startStep,
  unionStep,
  wildcardStep,
} from './selector-step.ts'

/** A JSONPath of Argo's `jsonpath` function, which is that of evilmonkeyinc/jsonpath: it has filters and scripts, fails for
 *  a missing key, and gives a list where it may find several. */
export interface JsonSelector {
  /** Throws SelectorError. */
  query(value: ExprValue): ExprValue
}

/** Throws SelectorError. */
export function compileSelector(text: string): JsonSelector {
  let steps: Step[]
  try {
    steps = parseSteps(text)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    throw new SelectorError(`invalid JSONPath selector '${text}' ${error.message}`, 'selector')
  }
  return { query: value => startStep(steps)(value, value) }
}

export function parseSteps(text: string): Step[] {
  return tokenize(text).map(parseToken)
}

/** Cuts a path into its tokens: `$`, names, `..` and what stands in brackets. */
function tokenize(selector: string): string[] {
  const unexpected = (what: string, at: number) =>
    new SelectorError(`unexpected token '${what}' at index ${at}`, 'other')
  const first = selector.charAt(0)
  if (first !== '$' && first !== '@') throw unexpected(Array.from(selector)[0] ?? '', 0)
  const second = selector.charAt(1)
  if (second !== '' && second !== '.' && second !== '[') throw unexpected(second, 1)
  const tokens = [first]
  let token = ''
  let quotes = 0
  let scripts = 0
  let brackets = 0
  const finish = (text: string) => {
    tokens.push(text.startsWith('.') ? text.slice(1) : text)
  }
  for (const character of selector.slice(1)) {
    if (token === '') {
      quotes = 0
      scripts = 0
    }
    if (character === "'") quotes++
    else if (character === '(') scripts++
    else if (character === ')') scripts--
    else if (character === '[') brackets++
    else if (character === ']') brackets--
    token += character
    if (token === '.') continue
    if (token === '..') {
      tokens.push(token)
      token = ''
      continue
    }
    const isOpenInside = quotes % 2 === 1 || scripts !== 0
    if (character === '[') {
      if (token === '[' || token === '.[' || token.split('[').length > 2) continue
      finish(token.slice(0, -1))
      token = '['
    } else if (token.includes('[')) {
      if (isOpenInside || character !== ']' || brackets !== 0) continue
      finish(token)
      token = ''
    } else if (character === '.' && !isOpenInside) {
      finish(token.slice(0, -1))
      token = '.'
    }
  }
  if (token !== '') finish(token)
  return tokens
}

const malformed = (token: string) =>
  new SelectorError(`invalid token. '${token}' does not match any token format`, 'token')
const misshapen = (text: string) => new SelectorError(`invalid expression. invalid format '${text}'`, 'expression')
const isScript = (text: string) => /^\([^]+\)$/.test(text)
const isQuoted = (text: string) => text.length > 1 && /^('[^]*'|"[^]*")$/.test(text)

function parseToken(given: string): Step {
  const token = given.trim()
  if (token === '') throw new SelectorError('invalid token. token string is empty', 'token')
  if (token === '$') return rootStep
  if (token === '@') return currentStep
  if (token === '*') return wildcardStep
  if (token === '..') return recursiveStep
  if (!token.startsWith('[')) return token === 'length' ? lengthStep : keyStep(token)
  if (!token.endsWith(']')) throw malformed(token)
  const subscript = token.slice(1, -1).trim()
  if (subscript === '') throw malformed(token)
  if (subscript === '*') return wildcardStep
  if (subscript.startsWith('?')) {
    if (!subscript.startsWith('?(') || !subscript.endsWith(')')) throw malformed(token)
    return filterStep(subscript.slice(2, -1).trim())
  }
  return parseSubscript(token, subscript)
}

type Piece = string | bigint | undefined

function parseSubscript(token: string, subscript: string): Step {
  const { pieces, separators } = splitSubscript(token, subscript)
  if (separators.length === 0) {
    const [piece] = pieces
    if (pieces.length !== 1 || piece === undefined) throw malformed(token)
    if (typeof piece === 'bigint') return indexStep(piece)
    if (isQuoted(piece)) return keyStep(piece.slice(1, -1))
    if (isScript(piece)) return scriptStep(compileScript(piece.slice(1, -1)))
    throw malformed(token)
  }
  if (new Set(separators).size > 1) throw malformed(token)
  if (separators[0] === ',') return parseUnion(token, pieces, separators.length)
  if (separators.length > 2) throw malformed(token)
  const [from, to, step] = pieces
  return rangeStep(bound(from), bound(to), bound(step))
}

function bound(piece: Piece): Bound {
  if (piece === undefined || typeof piece === 'bigint') return piece
  if (!isScript(piece)) throw misshapen(piece)
  return compileScript(piece.slice(1, -1))
}

function parseUnion(token: string, pieces: readonly Piece[], commas: number): Step {
  if (commas >= pieces.length) throw malformed(token)
  return unionStep(
    pieces.map(piece => {
      if (typeof piece === 'bigint') return piece
      if (piece !== undefined && isScript(piece)) return compileScript(piece.slice(1, -1))
      if (piece !== undefined && isQuoted(piece)) return piece.slice(1, -1)
      throw malformed(token)
    }),
  )
}

/** The parts between `:` or `,`, which quotes and brackets protect. A part that is missing from a range is undefined. */
function splitSubscript(token: string, subscript: string): { pieces: Piece[]; separators: string[] } {
  const pieces: Piece[] = []
  const separators: string[] = []
  let buffer = ''
  let quote = ''
  let depth = 0
  let isPieceDone = false
  const close = (isRange: boolean, isLast = false) => {
    const text = buffer.trim()
    buffer = ''
    if (isPieceDone) {
      isPieceDone = false
      if (text !== '') throw malformed(token)
      return
    }
    if (text === '') {
      if (isRange) pieces.push(undefined)
      return
    }
    const number = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined
    if (isRange && !isLast && number === undefined) throw malformed(token)
    pieces.push(number ?? text)
  }
  for (const character of subscript) {
    buffer += character
    if (quote !== '') {
      if (character !== quote) continue
      if (buffer.at(-2) === '\\') buffer = `${buffer.slice(0, -2)}${quote}`
      else {
        quote = ''
        pieces.push(buffer.trim())
        buffer = ''
        isPieceDone = true
      }
    } else if (character === '(') depth++
    else if (character === ')') {
      depth--
      if (depth !== 0) continue
      if (!isScript(buffer.trim())) throw misshapen(buffer.trim())
      pieces.push(buffer.trim())
      buffer = ''
      isPieceDone = true
    } else if (depth > 0) continue
    else if (character === "'" || character === '"') {
      if (buffer.trim() !== character) throw malformed(token)
      buffer = character
      quote = character
    } else if (character === ':' || character === ',') {
      buffer = buffer.slice(0, -1)
      close(character === ':')
      separators.push(character)
    }
  }
  if (buffer.trim() !== '' || separators.at(-1) === ':') close(separators.at(-1) === ':', true)
  return { pieces, separators }
}
