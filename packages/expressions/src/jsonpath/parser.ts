import type { ListNode, Node, SliceBound } from './node.ts'
import { unquote } from './unquote.ts'

/** The template is no JSONPath of kubectl's dialect. */
export class JsonPathSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonPathSyntaxError'
  }
}

/** Parses a template: text with actions in braces. Throws JsonPathSyntaxError. */
export function parseTemplate(template: string): ListNode {
  return new TemplateParser(template).parse()
}

function parseAction(text: string): ListNode {
  const [action] = parseTemplate(`{${text}}`).nodes
  return action as ListNode
}

const end = ''
const isSpace = (character: string): boolean => character === ' ' || character === '\t'
const isEndOfLine = (character: string): boolean => character === '\r' || character === '\n'
const isDigit = (character: string): boolean => /^\p{Nd}$/u.test(character)
const isAlphaNumeric = (character: string): boolean => /^[_\p{L}\p{Nd}]$/u.test(character)

function isTerminator(character: string): boolean {
  return character === end || isSpace(character) || isEndOfLine(character) || '.,[]$@{}'.includes(character)
}

class TemplateParser {
  readonly #input: readonly string[]
  readonly #root: ListNode = { kind: 'list', nodes: [] }
  #position = 0
  #start = 0

  constructor(template: string) {
    this.#input = Array.from(template)
  }

  parse(): ListNode {
    while (this.#position < this.#input.length) {
      if (this.#peek() !== '{') {
        this.#position++
        continue
      }
      this.#takeText()
      this.#position++
      this.#consume()
      const action: ListNode = { kind: 'list', nodes: [] }
      this.#root.nodes.push(action)
      this.#parseAction(action.nodes)
    }
    this.#takeText()
    return this.#root
  }

  #peek(ahead = 0): string {
    return this.#input[this.#position + ahead] ?? end
  }

  #next(): string {
    const character = this.#peek()
    if (character !== end) this.#position++
    return character
  }

  #startsWith(prefix: string): boolean {
    return Array.from(prefix).every((character, index) => this.#peek(index) === character)
  }

  #consume(): string {
    const text = this.#input.slice(this.#start, this.#position).join('')
    this.#start = this.#position
    return text
  }

  #takeText(): void {
    if (this.#position > this.#start) this.#root.nodes.push({ kind: 'text', text: this.#consume() })
  }

  /** Reads up to and including the closing brace. */
  #parseAction(nodes: Node[]): void {
    for (;;) {
      if (this.#startsWith('}')) {
        this.#position++
        this.#consume()
        return
      }
      if (this.#startsWith('[?(')) this.#parseFilter(nodes)
      else if (this.#startsWith('..')) this.#parseRecursive(nodes)
      else this.#parseItem(nodes)
    }
  }

  #parseItem(nodes: Node[]): void {
    const character = this.#next()
    if (character === end || isEndOfLine(character)) throw new JsonPathSyntaxError('unclosed action')
    // The current object: nothing to select.
    if (character === ' ' || character === '@' || character === '$') this.#consume()
    else if (character === '[') this.#parseArray(nodes)
    else if (character === '"' || character === "'") this.#parseQuote(nodes, character)
    else if (character === '.') this.#parseField(nodes)
    else if (character === '+' || character === '-' || isDigit(character)) this.#parseNumber(nodes)
    else if (isAlphaNumeric(character)) this.#parseIdentifier(nodes)
    else throw new JsonPathSyntaxError(`unrecognized character in action: ${describe(character)}`)
  }

  #parseIdentifier(nodes: Node[]): void {
    while (!isTerminator(this.#peek())) this.#position++
    const name = this.#consume()
    if (name === 'true' || name === 'false') nodes.push({ kind: 'constant', value: name === 'true', isFloat: false })
    else nodes.push({ kind: 'identifier', name })
  }

  #parseRecursive(nodes: Node[]): void {
    if (nodes.at(-1)?.kind === 'recursive') throw new JsonPathSyntaxError('invalid multiple recursive descent')
    this.#position += 2
    this.#consume()
    nodes.push({ kind: 'recursive' })
    if (isAlphaNumeric(this.#peek())) this.#parseField(nodes)
  }

  #parseNumber(nodes: Node[]): void {
    while (this.#peek() === '.' || isDigit(this.#peek())) this.#position++
    const text = this.#consume()
    if (/^[+-]?\d+$/.test(text)) nodes.push({ kind: 'constant', value: Number(text), isFloat: false })
    else if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) nodes.push({ kind: 'constant', value: Number(text), isFloat: true })
    else throw new JsonPathSyntaxError(`cannot parse number ${text}`)
  }

  #parseArray(nodes: Node[]): void {
    for (;;) {
      const character = this.#next()
      if (character === end || character === '\n') throw new JsonPathSyntaxError('unterminated array')
      if (character === ']') break
    }
    const inner = this.#consume().slice(1, -1)
    const text = inner === '*' ? ':' : inner
    const parts = text.split(',')
    if (parts.length > 1) {
      const alternatives = parts.map(part => parseAction(`[${part.replace(/^ +| +$/g, '')}]`))
      nodes.push({ kind: 'union', alternatives })
      return
    }
    const key = /^'([^']*)'$/.exec(text)
    if (key !== null) nodes.push(...parseAction(`.${key[1]}`).nodes)
    else nodes.push({ kind: 'array', bounds: parseSlice(text) })
  }

  #parseFilter(nodes: Node[]): void {
    this.#position += 3
    this.#consume()
    let quote = end
    let isClosed = false
    for (;;) {
      const character = this.#next()
      if (character === end || character === '\n') throw new JsonPathSyntaxError('unterminated filter')
      if (character === '"' || character === "'") {
        if (quote === end) quote = character
        else if (this.#input[this.#position - 2] !== '\\' && character === quote) isClosed = true
      } else if (character === ')' && (quote !== end) === isClosed) break
    }
    if (this.#next() !== ']') throw new JsonPathSyntaxError('unclosed array expect ]')
    const text = this.#consume().slice(0, -2)
    const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text)
    if (comparison === null) {
      nodes.push({ kind: 'filter', left: parseAction(text), right: { kind: 'list', nodes: [] }, operator: 'exists' })
      return
    }
    const [, left = '', operator = '', right = ''] = comparison
    nodes.push({ kind: 'filter', left: parseAction(left), right: parseAction(right), operator })
  }

  #parseQuote(nodes: Node[], quote: string): void {
    for (;;) {
      const character = this.#next()
      if (character === end || character === '\n') throw new JsonPathSyntaxError('unterminated quoted string')
      if (character === quote && this.#input[this.#position - 2] !== '\\') break
    }
    const literal = this.#consume()
    const text = unquote(literal)
    if (text === undefined) throw new JsonPathSyntaxError(`unquote string ${literal} error invalid syntax`)
    nodes.push({ kind: 'text', text })
  }

  #parseField(nodes: Node[]): void {
    this.#consume()
    for (;;) {
      const character = this.#peek()
      if (isTerminator(character)) break
      this.#position += character === '\\' && this.#peek(1) !== end ? 2 : 1
    }
    const name = this.#consume()
    if (name === '*') nodes.push({ kind: 'wildcard' })
    else nodes.push({ kind: 'field', name: name.replaceAll('\\', '') })
  }
}

/** A character as Go's %#U shows it. */
function describe(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character) ? `U+${code} '${character}'` : `U+${code}`
}

function parseSlice(text: string): [SliceBound, SliceBound, SliceBound] {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text)
  if (match === null) throw new JsonPathSyntaxError(`invalid array index ${text}`)
  const unknown: SliceBound = { value: 0, isKnown: false, isDerived: false }
  const bound = (digits: string): SliceBound => {
    if (!/^-?\d+$/.test(digits)) throw new JsonPathSyntaxError(`array index ${digits} is not a number`)
    return { value: Number(digits), isKnown: true, isDerived: false }
  }
  const later = (part: string | undefined): SliceBound =>
    part === undefined || part === ':' ? unknown : bound(part.slice(1))
  const start = match[1] === '' || match[1] === undefined ? unknown : bound(match[1])
  const stop = match[2] === undefined ? { value: start.value + 1, isKnown: true, isDerived: true } : later(match[2])
  return [start, stop, later(match[3])]
}
