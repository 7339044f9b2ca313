import { compilePattern, PatternError } from '../../re2/pattern.ts'
import { goPower } from '../go-power.ts'
import { goText } from '../go-print.ts'
import { decodeJson } from '../json-decoder.ts'
import { type ExprValue, isList, isObject, own } from '../value.ts'
import { parseSteps } from './json-selector.ts'
import { SelectorError } from './selector-error.ts'
import { startStep } from './selector-step.ts'

/** An expression within a path, in a filter or a script. Throws SelectorError. */
export type Script = (root: ExprValue, current: ExprValue) => ExprValue

/** From the loosest to the tightest. */
const operators = [
  '||',
  '&&',
  '==',
  '!=',
  '<=',
  '>=',
  '<',
  '>',
  '=~',
  '!',
  '+',
  '-',
  '**',
  '*',
  '/',
  '%',
  'not in',
  'in',
  '@',
  '$',
]
const maxDepth = 100

const fail = (what: string) => new SelectorError(what, 'other')

/** An operand: text that may be a number, a quoted string or a word, JSON, or a script of its own. */
type Operand = { text: string } | { value: ExprValue } | { script: Script } | undefined

export function compileScript(text: string): Script {
  if (text === '')
    return () => {
      throw new SelectorError('invalid expression. is empty', 'expression')
    }
  const script = build(text, operators, 0)
  if (script !== undefined) return script
  return (root, current) => {
    const named = namedValue(text, root, current)
    if (named !== undefined) return named.value
    const number = numberOf(text)
    if (number !== undefined) return number
    return booleanOf(text) ?? text
  }
}

function build(given: string, allowed: readonly string[], depth: number): Script | undefined {
  if (depth > maxDepth) throw fail('expression is nested too deeply')
  let text = given.trim()
  if (text === '') return undefined
  let left = allowed
  if (text.startsWith('(') && text.endsWith(')')) {
    text = text.slice(1, -1).trim()
    left = ['', ...operators]
  }
  for (let index = 0; index < left.length; index++) {
    const operator = index === 0 ? (allowed[0] as string) : (left[index] as string)
    const at = operator === '' ? -1 : findOperator(text, operator)
    if (at < 0) continue
    const rest = left.slice(index)
    const script = apply(text, operator, at, rest, depth)
    if (script !== undefined) return script
  }
  return undefined
}

function apply(text: string, operator: string, at: number, rest: readonly string[], depth: number): Script | undefined {
  const isPath = operator === '@' || operator === '$'
  const after = text.slice(at + operator.length).trim()
  const before = text.slice(0, at).trim()
  if (after === '' && !isPath) return undefined
  if (before === '' && !isPath && operator !== '!') return undefined
  if (isPath || operator === '!') {
    if (before !== '') return undefined
    if (isPath) return pathScript(text)
    const operand = operandOf(after, rest, depth)
    return (root, current) => !requireBoolean(operand, root, current)
  }
  const [one, other] = [operandOf(before, rest, depth), operandOf(after, rest, depth)]
  const operate = binary[operator]
  return operate === undefined ? undefined : (root, current) => operate(one, other, root, current)
}

function pathScript(text: string): Script {
  const query = startStep(parseSteps(text))
  return (root, current) => {
    const value = query(root, current)
    if (typeof value !== 'string' || /^'[^]+'$/.test(value)) return value
    return `'${value}'`
  }
}

function operandOf(text: string, rest: readonly string[], depth: number): Operand {
  const script = build(text, rest, depth + 1)
  if (script !== undefined) return { script }
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (/^(\[[^]*\]|\{[^]*\})$/.test(trimmed)) {
    try {
      return { value: decodeJson(trimmed) }
    } catch {
      // What is no JSON is a word like any other.
    }
  }
  return { text: trimmed }
}

/** Where an operator stands outside of quotes and brackets. */
function findOperator(text: string, operator: string): number {
  let quote = ''
  let square = 0
  let round = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (quote !== '') {
      if (character === quote) quote = ''
      else continue
    } else if (square > 0) {
      if (character === '[') square++
      if (character === ']') square--
    } else if (round > 0) {
      if (character === '(') round++
      if (character === ')') round--
    } else if (character === "'" || character === '"') quote = character
    else if (character === '[') square++
    else if (character === '(') round++
    if (quote !== '' || square > 0 || round > 0) continue
    if (index + 1 >= operator.length && text.slice(index + 1 - operator.length, index + 1) === operator)
      return index + 1 - operator.length
  }
  return -1
}

function namedValue(text: string, root: ExprValue, current: ExprValue): { value: ExprValue } | undefined {
  if (text === '$') return { value: root }
  if (text === '@') return { value: current }
  return text === 'nil' || text === 'null' ? { value: null } : undefined
}

/** What an operand stands for; a word that names nothing is itself. */
function valueOf(operand: Operand, root: ExprValue, current: ExprValue): { value: ExprValue; isWord: boolean } {
  if (operand === undefined) throw fail('invalid argument. is nil')
  if ('value' in operand) return { value: operand.value, isWord: false }
  const value = 'script' in operand ? operand.script(root, current) : operand.text
  if (typeof value !== 'string') return { value, isWord: false }
  const named = namedValue(value, root, current)
  return named === undefined ? { value, isWord: true } : { value: named.value, isWord: false }
}

function numberOf(text: string): number | undefined {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  return /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : undefined
}

function booleanOf(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined
}

function requireNumber(operand: Operand, root: ExprValue, current: ExprValue): number {
  const number = numberOf(goText(valueOf(operand, root, current).value))
  if (number === undefined) throw fail('invalid argument. expected number')
  return number
}

function requireBoolean(operand: Operand, root: ExprValue, current: ExprValue): boolean {
  if (operand === undefined) return false
  const { value } = valueOf(operand, root, current)
  if (value === null || value === undefined) return false
  const boolean = booleanOf(goText(value))
  if (boolean === undefined) throw fail('invalid argument. expected boolean')
  return boolean
}

/** Strings are compared in single quotes. */
function requireText(operand: Operand, root: ExprValue, current: ExprValue): string {
  const { value, isWord } = valueOf(operand, root, current)
  if (typeof value !== 'string') return goText(value)
  if (/^'[^]*'$/.test(value) && value.length > 1) return value
  if (/^"[^]*"$/.test(value) && value.length > 1) return `'${value.slice(1, -1)}'`
  return isWord ? value : `'${value}'`
}

const unquoted = (text: string) => (text.length > 1 && /^'[^]*'$/.test(text) ? text.slice(1, -1) : text)

type Binary = (left: Operand, right: Operand, root: ExprValue, current: ExprValue) => ExprValue

function isEqual(left: Operand, right: Operand, root: ExprValue, current: ExprValue): boolean {
  const [one, other] = [left, right].map(operand => {
    try {
      return requireNumber(operand, root, current)
    } catch (error) {
      // What is no number is compared as text.
      if (error instanceof SelectorError) return undefined
      throw error
    }
  })
  if (one !== undefined && other !== undefined) return one === other
  return requireText(left, root, current) === requireText(right, root, current)
}

function isMember(left: Operand, right: Operand, root: ExprValue, current: ExprValue): boolean {
  const text = requireText(left, root, current)
  const wanted = numberOf(text) ?? text
  const { value } = valueOf(right, root, current)
  if (value === null || value === undefined) throw fail('invalid argument. is nil')
  const items = isList(value) ? value : isObject(value) ? Object.keys(value).map(key => own(value, key)) : undefined
  if (items === undefined) throw fail('invalid argument. expected array, map, or slice')
  return items.some(item => item === wanted)
}

function matches(left: Operand, right: Operand, root: ExprValue, current: ExprValue): boolean {
  const text = unquoted(requireText(left, root, current))
  try {
    return compilePattern(unquoted(requireText(right, root, current))).test(text)
  } catch (error) {
    if (error instanceof PatternError) throw fail('invalid argument. expected a valid regexp')
    throw error
  }
}

const onNumbers =
  (calculate: (left: number, right: number) => ExprValue): Binary =>
  (left, right, root, current) =>
    calculate(requireNumber(left, root, current), requireNumber(right, root, current))

const binary: Readonly<Record<string, Binary>> = {
  '||': (left, right, root, current) => {
    const [one, other] = [requireBoolean(left, root, current), requireBoolean(right, root, current)]
    return one || other
  },
  '&&': (left, right, root, current) => {
    const [one, other] = [requireBoolean(left, root, current), requireBoolean(right, root, current)]
    return one && other
  },
  '==': isEqual,
  '!=': (left, right, root, current) => !isEqual(left, right, root, current),
  '<=': onNumbers((left, right) => left <= right),
  '>=': onNumbers((left, right) => left >= right),
  '<': onNumbers((left, right) => left < right),
  '>': onNumbers((left, right) => left > right),
  '=~': matches,
  '+': onNumbers((left, right) => left + right),
  '-': onNumbers((left, right) => left - right),
  '**': onNumbers(goPower),
  '*': onNumbers((left, right) => left * right),
  '/': onNumbers((left, right) => left / right),
  '%': onNumbers((left, right) => left % right),
  'not in': (left, right, root, current) => !isMember(left, right, root, current),
  in: isMember,
}
