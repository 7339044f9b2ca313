import { TerminalFailure } from '@tiphys/env'
import { goQuote } from './go-quote.ts'
import { labelKeyErrors, labelValueErrors } from './label-name.ts'

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface LabelRequirement {
  key: string
  operator: LabelOperator
  values: readonly string[]
}

/** A condition on labels that is ready to use: everything it requires must hold. */
export interface LabelSelector {
  /** Ordered by key. Empty when the selector selects everything (or, see `nothing`, nothing). */
  readonly requirements: readonly LabelRequirement[]
  /** Selects no object at all: what a missing selector object means. */
  readonly nothing: boolean
  matches(labels: Readonly<Record<string, string>> | undefined): boolean
}

/** A selector as objects carry it (`spec.selector`). */
export interface LabelSelectorObject {
  matchLabels?: Readonly<Record<string, string>>
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] | null }[]
}

/** A selector that cannot be understood. The message is the API server's. */
export class SelectorFailure extends TerminalFailure {
  constructor(what: string) {
    super('kube-selector-invalid', { what })
  }
}

/** Reads the text form: `app=web,tier!=cache,env in (a,b),!legacy,size>3`. Throws a `SelectorFailure`. */
export function parseLabelSelector(text: string): LabelSelector {
  return selectorOf(new Parser(scan(text)).parse())
}

/** Reads the object form. None selects nothing, an empty one everything. Throws a `SelectorFailure`. */
export function labelSelectorFrom(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (!object) return { requirements: [], nothing: true, matches: () => false }
  const fromLabels = Object.entries(object.matchLabels ?? {}).map(([key, value]) => requirement(key, '=', [value]))
  const fromExpressions = (object.matchExpressions ?? []).map(({ key, operator, values }) => {
    const known = Object.hasOwn(OBJECT_OPERATORS, operator) ? OBJECT_OPERATORS[operator] : undefined
    if (!known) throw new SelectorFailure(`${goQuote(operator)} is not a valid label selector operator`)
    return requirement(key, known, values ?? [])
  })
  return selectorOf([...fromLabels, ...fromExpressions])
}

/** The text form, in the order and spelling of the API server. */
export function formatLabelSelector({ requirements }: LabelSelector): string {
  return requirements.map(formatRequirement).join(',')
}

const OBJECT_OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

function selectorOf(unordered: readonly LabelRequirement[]): LabelSelector {
  const requirements = unordered.toSorted((a, b) => compareText(a.key, b.key))
  const tests = requirements.map(testFor)
  return {
    requirements,
    nothing: false,
    matches: (labels = {}) => tests.every(test => test(labels)),
  }
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean

function testFor({ key, operator, values }: LabelRequirement): LabelTest {
  const only = values[0] as string
  switch (operator) {
    case '=':
    case '==':
      return labels => Object.hasOwn(labels, key) && labels[key] === only
    case '!=':
      return labels => !Object.hasOwn(labels, key) || labels[key] !== only
    case 'in':
      return labels => Object.hasOwn(labels, key) && values.includes(labels[key] as string)
    case 'notin':
      return labels => !Object.hasOwn(labels, key) || !values.includes(labels[key] as string)
    case 'exists':
      return labels => Object.hasOwn(labels, key)
    case '!':
      return labels => !Object.hasOwn(labels, key)
    case 'gt':
    case 'lt': {
      const bound = parseInt64(only) as bigint
      return labels => {
        const value = Object.hasOwn(labels, key) ? parseInt64(labels[key] as string) : undefined
        return value !== undefined && (operator === 'gt' ? value > bound : value < bound)
      }
    }
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function requirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors = [
    ...labelKeyErrorText('key', key),
    ...countErrors(operator, values),
    ...values.flatMap((value, i) => valueErrorText(key, value, i)),
  ]
  const different = [...new Set(errors)]
  if (different.length === 1) throw new SelectorFailure(different[0] as string)
  if (different.length > 1) throw new SelectorFailure(`[${different.join(', ')}]`)
  return { key, operator, values }
}

function countErrors(operator: LabelOperator, values: readonly string[]): string[] {
  const shown = values.length === 0 ? 'null' : JSON.stringify(values)
  const invalid = (detail: string) => [`values: Invalid value: ${shown}: ${detail}`]
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : invalid("for 'in', 'notin' operators, values set can't be empty")
    case 'exists':
    case '!':
      return values.length === 0 ? [] : invalid('values set must be empty for exists and does not exist')
    case 'gt':
    case 'lt':
      return values.flatMap((value, i) =>
        parseInt64(value) === undefined
          ? [`values[${i}]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`]
          : [],
      )
    default:
      return values.length === 1 ? [] : invalid('exact-match compatibility requires one single value')
  }
}

function labelKeyErrorText(path: string, key: string): string[] {
  const errors = labelKeyErrors(key)
  return errors.length === 0 ? [] : [`${path}: Invalid value: ${goQuote(key)}: ${errors.join('; ')}`]
}

function valueErrorText(key: string, value: string, index: number): string[] {
  const errors = labelValueErrors(value)
  return errors.length === 0 ? [] : [`values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${errors.join('; ')}`]
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted(compareText).join(',')})`
    case 'gt':
      return `${key}>${values[0]}`
    case 'lt':
      return `${key}<${values[0]}`
    default:
      return `${key}${operator}${values[0]}`
  }
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

interface Token {
  type: 'identifier' | 'symbol' | 'end'
  text: string
}

const SYMBOLS = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '('])
const SYMBOL_CHAR = /[=!(),><]/
const WORD_END = /[=!(),>< \t\r\n\0]/

function scan(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (true) {
    while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++
    const char = text[at]
    if (char === undefined || char === '\0') break
    let end = at + 1
    if (SYMBOL_CHAR.test(char)) {
      if (SYMBOLS.has(text.slice(at, at + 2))) end = at + 2
      tokens.push({ type: 'symbol', text: text.slice(at, end) })
    } else {
      while (end < text.length && !WORD_END.test(text[end] as string)) end++
      tokens.push({ type: 'identifier', text: text.slice(at, end) })
    }
    at = end
  }
  tokens.push({ type: 'end', text: '' })
  return tokens
}

const BINARY_OPERATORS: Readonly<Record<string, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    while (this.#peek().type !== 'end') {
      if (!this.#startsRequirement()) {
        throw new SelectorFailure(`found '${this.#peek().text}', expected: !, identifier, or 'end of string'`)
      }
      requirements.push(this.#parseRequirement())
      const after = this.#next()
      if (after.type === 'end') break
      if (after.text !== ',' || after.type !== 'symbol') {
        throw new SelectorFailure(`found '${after.text}', expected: ',' or 'end of string'`)
      }
      if (!this.#startsRequirement()) {
        throw new SelectorFailure(`found '${this.#peek().text}', expected: identifier after ','`)
      }
    }
    return requirements
  }

  #startsRequirement(): boolean {
    return this.#peek().type === 'identifier' || this.#isSymbol('!')
  }

  #parseRequirement(): LabelRequirement {
    try {
      const isAbsent = this.#skipSymbol('!')
      const key = this.#parseKey()
      if (this.#peek().type === 'end' || this.#isSymbol(',')) return requirement(key, isAbsent ? '!' : 'exists', [])
      if (isAbsent) return requirement(key, '!', [])
      const operator = this.#parseOperator()
      const values = operator === 'in' || operator === 'notin' ? this.#parseValues() : [this.#parseExactValue()]
      return requirement(key, operator, values)
    } catch (thrown) {
      if (!(thrown instanceof SelectorFailure)) throw thrown
      throw new SelectorFailure(`unable to parse requirement: ${thrown.what}`)
    }
  }

  #parseKey(): string {
    const token = this.#next()
    if (token.type !== 'identifier') throw new SelectorFailure(`found '${token.text}', expected: identifier`)
    for (const error of labelKeyErrorText('<nil>', token.text)) throw new SelectorFailure(error)
    return token.text
  }

  #parseOperator(): LabelOperator {
    const { text } = this.#next()
    const operator = Object.hasOwn(BINARY_OPERATORS, text) ? BINARY_OPERATORS[text] : undefined
    if (!operator) throw new SelectorFailure(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`)
    return operator
  }

  #parseValues(): string[] {
    const open = this.#next()
    if (open.text !== '(') throw new SelectorFailure(`found '${open.text}' expected: '('`)
    if (this.#skipSymbol(')')) return ['']
    const first = this.#peek()
    if (first.type !== 'identifier' && !this.#isSymbol(',')) {
      throw new SelectorFailure(`found '${first.text}', expected: ',', ')' or identifier`)
    }
    return this.#parseValueList()
  }

  /** Values up to the closing parenthesis; nothing between commas is the empty value. */
  #parseValueList(): string[] {
    const values = new Set<string>()
    while (true) {
      const token = this.#next()
      if (token.type === 'identifier') {
        values.add(token.text)
        if (!this.#isSymbol(',') && !this.#isSymbol(')')) {
          throw new SelectorFailure(`found '${this.#peek().text}', expected: ',' or ')'`)
        }
      } else if (token.type === 'symbol' && token.text === ',') {
        if (values.size === 0 || this.#isSymbol(',') || this.#isSymbol(')')) values.add('')
      } else {
        throw new SelectorFailure(`found '${token.text}', expected: ',', or identifier`)
      }
      if (this.#skipSymbol(')')) return [...values].sort(compareText)
    }
  }

  #parseExactValue(): string {
    if (this.#peek().type === 'end' || this.#isSymbol(',')) return ''
    const token = this.#next()
    if (token.type !== 'identifier') throw new SelectorFailure(`found '${token.text}', expected: identifier`)
    return token.text
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token
  }

  #next(): Token {
    return this.#tokens[this.#at++] as Token
  }

  #isSymbol(text: string): boolean {
    const token = this.#peek()
    return token.type === 'symbol' && token.text === text
  }

  #skipSymbol(text: string): boolean {
    if (!this.#isSymbol(text)) return false
    this.#at++
    return true
  }
}
