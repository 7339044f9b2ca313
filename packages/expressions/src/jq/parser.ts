import { JqLimitError, type JqSyntaxError } from './errors.ts'
import { Lexer, type Token, type TokenType } from './lexer.ts'
import type { Definition, ObjectField, Pattern, PatternField, Program, Query } from './syntax-tree.ts'
import { type JqValue, parseNumber } from './value.ts'

const identity: Query = { kind: 'identity' }
const maxNesting = 1000

/** Operators of one level, from loose to tight. */
const levels: readonly { operators: readonly string[]; associates: 'left' | 'right' | 'never' }[] = [
  { operators: ['//'], associates: 'right' },
  { operators: ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='], associates: 'never' },
  { operators: ['or'], associates: 'left' },
  { operators: ['and'], associates: 'left' },
  { operators: ['==', '!=', '>', '<', '>=', '<='], associates: 'never' },
  { operators: ['+', '-'], associates: 'left' },
  { operators: ['*', '/', '%'], associates: 'left' },
]

const formats: ReadonlyMap<string, string> = new Map([
  ['@text', 'tostring'],
  ['@json', 'tojson'],
  ...['html', 'uri', 'urid', 'csv', 'tsv', 'sh', 'base64', 'base64d'].map(name => [`@${name}`, `_to${name}`] as const),
])

/** Throws JqSyntaxError. */
export function parse(source: string): Program {
  return new Parser(source).program()
}

class Parser {
  readonly #lexer: Lexer
  #ahead: Token | undefined
  #nesting = 0

  constructor(source: string) {
    this.#lexer = new Lexer(source)
  }

  program(): Program {
    if (this.#takeKeyword('module')) {
      this.#constant('{')
      this.#expect(';')
    }
    const imports: string[] = []
    while (this.#isKeyword('import') || this.#isKeyword('include')) imports.push(this.#import())
    const query = this.#body()
    if (this.#peek().type !== 'end') throw this.#unexpected()
    return { imports, query }
  }

  #import(): string {
    const isImport = this.#take().value === 'import'
    const path = this.#expectType('string')
    if (isImport) {
      this.#expectKeyword('as')
      if (this.#peek().type !== 'variable') this.#expectType('ident')
      else this.#take()
    }
    if (this.#is('{')) this.#constant('{')
    this.#expect(';')
    return path
  }

  #body(): Query {
    if (this.#peek().type === 'end') return { kind: 'missing' }
    if (!this.#isKeyword('def')) return this.#query()
    const definition = this.#definition()
    return { kind: 'define', definition, body: this.#body() }
  }

  #query(): Query {
    return this.#nested(() => {
      const left = this.#commas()
      return this.#takeIf('|') ? { kind: 'pipe', left, right: this.#query() } : left
    })
  }

  #commas(): Query {
    let left = this.#binding()
    while (this.#takeIf(',')) left = { kind: 'comma', left, right: this.#binding() }
    return left
  }

  /** What takes everything that follows as its body, or an expression. */
  #binding(): Query {
    if (this.#isKeyword('def')) {
      const definition = this.#definition()
      return { kind: 'define', definition, body: this.#query() }
    }
    if (this.#takeKeyword('label')) {
      const name = this.#expectType('variable')
      this.#expect('|')
      return { kind: 'label', name, body: this.#query() }
    }
    const source = this.#expression(0)
    if (!this.#takeKeyword('as')) return source
    const patterns = [this.#pattern()]
    while (this.#takeOperator('?//')) patterns.push(this.#pattern())
    this.#expect('|')
    return { kind: 'bind', source, patterns, body: this.#query() }
  }

  #definition(): Definition {
    this.#expectKeyword('def')
    const name = this.#expectType('ident')
    const params: string[] = []
    if (this.#takeIf('(')) {
      do params.push(this.#peek().type === 'variable' ? this.#take().value : this.#expectType('ident'))
      while (this.#takeIf(';'))
      this.#expect(')')
    }
    this.#expect(':')
    const body = this.#query()
    this.#expect(';')
    return { name, params, body }
  }

  #expression(level: number): Query {
    const here = levels[level]
    if (here === undefined) return this.#term()
    let left = this.#expression(level + 1)
    for (;;) {
      const operator = this.#peekOperator(here.operators)
      if (operator === undefined) return left
      this.#take()
      const right = this.#nested(() => this.#expression(here.associates === 'right' ? level : level + 1))
      left = operation(operator, left, right)
      if (here.associates === 'never' && this.#peekOperator(here.operators) !== undefined) throw this.#unexpected()
    }
  }

  #term(): Query {
    let term = this.#nested(() => this.#primary())
    for (;;) {
      const suffixed = this.#suffix(term)
      if (suffixed === undefined) return term
      term = suffixed
    }
  }

  #suffix(target: Query): Query | undefined {
    const token = this.#peek()
    if (token.type === 'index') return { kind: 'index', target, key: literal(this.#take().value) }
    if (this.#is('[')) return this.#brackets(target)
    if (this.#takeIf('?')) return optional(target)
    if (!this.#takeIf('.')) return undefined
    return this.#is('[') ? this.#brackets(target) : { kind: 'index', target, key: this.#string() }
  }

  #brackets(target: Query): Query {
    this.#expect('[')
    if (this.#takeIf(']')) return { kind: 'iterate', target }
    if (this.#takeIf(':')) {
      const to = this.#query()
      this.#expect(']')
      return { kind: 'slice', target, to }
    }
    const from = this.#query()
    if (this.#takeIf(']')) return { kind: 'index', target, key: from }
    this.#expect(':')
    if (this.#takeIf(']')) return { kind: 'slice', target, from }
    const to = this.#query()
    this.#expect(']')
    return { kind: 'slice', target, from, to }
  }

  #primary(): Query {
    const token = this.#peek()
    switch (token.type) {
      case 'character':
        return this.#punctuated(token)
      case 'recurse':
        this.#take()
        return call('recurse')
      case 'index':
        return { kind: 'index', target: identity, key: literal(this.#take().value) }
      case 'number':
        return literal(parseNumber(this.#take().value))
      case 'ident':
      case 'module ident':
        return this.#call()
      case 'variable':
      case 'module variable':
        return { kind: 'variable', name: this.#take().value }
      case 'format':
        return this.#format()
      case 'string':
      case 'string start':
        return this.#string()
      case 'keyword':
        return this.#keyword(token)
      default:
        throw this.#unexpected()
    }
  }

  #punctuated(token: Token): Query {
    switch (token.value) {
      case '.':
        this.#take()
        if (this.#is('[')) return this.#brackets(identity)
        if (this.#peek().type === 'string' || this.#peek().type === 'string start')
          return { kind: 'index', target: identity, key: this.#string() }
        return identity
      case '{':
        return this.#object()
      case '[': {
        this.#take()
        if (this.#takeIf(']')) return { kind: 'array' }
        const items = this.#query()
        this.#expect(']')
        return { kind: 'array', items }
      }
      case '(': {
        this.#take()
        const body = this.#query()
        this.#expect(')')
        return { kind: 'group', body }
      }
      case '+':
      case '-':
        this.#take()
        return { kind: 'unary', operator: token.value, operand: this.#term() }
      default:
        throw this.#unexpected()
    }
  }

  #keyword(token: Token): Query {
    switch (token.value) {
      case 'null':
        this.#take()
        return literal(null)
      case 'true':
      case 'false':
        return literal(this.#take().value === 'true')
      case 'if':
        this.#take()
        return this.#if()
      case 'try': {
        this.#take()
        const body = this.#term()
        return this.#takeKeyword('catch') ? { kind: 'try', body, handler: this.#term() } : { kind: 'try', body }
      }
      case 'reduce':
      case 'foreach':
        this.#take()
        return this.#fold(token.value)
      case 'break':
        this.#take()
        return { kind: 'break', name: this.#expectType('variable') }
      default:
        throw this.#unexpected()
    }
  }

  #if(): Query {
    return this.#nested(() => {
      const condition = this.#query()
      this.#expectKeyword('then')
      const consequence = this.#query()
      if (this.#takeKeyword('elif')) return { kind: 'if', condition, consequence, otherwise: this.#if() }
      const otherwise = this.#takeKeyword('else') ? this.#query() : undefined
      this.#expectKeyword('end')
      return { kind: 'if', condition, consequence, ...(otherwise === undefined ? {} : { otherwise }) }
    })
  }

  #fold(kind: 'reduce' | 'foreach'): Query {
    const source = this.#expression(0)
    this.#expectKeyword('as')
    const pattern = this.#pattern()
    this.#expect('(')
    const initial = this.#query()
    this.#expect(';')
    const update = this.#query()
    const extract = kind === 'foreach' && this.#takeIf(';') ? this.#query() : undefined
    this.#expect(')')
    if (kind === 'reduce') return { kind, source, pattern, initial, update }
    return { kind, source, pattern, initial, update, ...(extract === undefined ? {} : { extract }) }
  }

  #call(): Query {
    const name = this.#take().value
    const args: Query[] = []
    if (this.#takeIf('(')) {
      do args.push(this.#query())
      while (this.#takeIf(';'))
      this.#expect(')')
    }
    return call(name, ...args)
  }

  #format(): Query {
    const format = this.#take().value
    const known = formats.get(format)
    const convert = known === undefined ? call('format', literal(format.slice(1))) : call(known)
    const next = this.#peek().type
    return next === 'string' || next === 'string start' ? this.#string(convert) : convert
  }

  #string(convert: Query = call('tostring')): Query {
    const token = this.#take()
    if (token.type === 'string') return literal(token.value)
    if (token.type !== 'string start') throw this.#unexpected(token)
    let joined: Query | undefined
    for (;;) {
      const part = this.#take()
      if (part.type === 'string end') return joined ?? literal('')
      const query = part.type === 'string' ? literal(part.value) : this.#interpolated(part, convert)
      joined = joined === undefined ? query : { kind: 'binary', operator: '+', left: joined, right: query }
    }
  }

  #interpolated(start: Token, convert: Query): Query {
    if (start.type !== 'string query') throw this.#unexpected(start)
    const left = this.#query()
    this.#expect(')')
    this.#lexer.inString = true
    return { kind: 'pipe', left, right: convert }
  }

  #object(): Query {
    this.#expect('{')
    const fields: ObjectField[] = []
    while (!this.#takeIf('}')) {
      fields.push(this.#field())
      if (this.#takeIf('}')) break
      this.#expect(',')
      if (fields.length === 0) throw this.#unexpected()
    }
    return { kind: 'object', fields }
  }

  #field(): ObjectField {
    const token = this.#peek()
    if (this.#takeIf('(')) {
      const key = this.#query()
      this.#expect(')')
      this.#expect(':')
      return { key, value: this.#fieldValue() }
    }
    if (token.type === 'variable') {
      const variable: Query = { kind: 'variable', name: this.#take().value }
      if (this.#takeIf(':')) return { key: variable, value: this.#fieldValue() }
      return { key: literal(token.value.slice(1)), value: variable }
    }
    const key =
      token.type === 'ident' || token.type === 'keyword'
        ? literal(this.#take().value)
        : token.type === 'string' || token.type === 'string start'
          ? this.#string()
          : undefined
    if (key === undefined) throw this.#unexpected()
    return { key, value: this.#takeIf(':') ? this.#fieldValue() : { kind: 'index', target: identity, key } }
  }

  #fieldValue(): Query {
    const left = this.#nested(() => this.#expression(0))
    return this.#takeIf('|') ? { kind: 'pipe', left, right: this.#fieldValue() } : left
  }

  #pattern(): Pattern {
    return this.#nested(() => {
      const token = this.#peek()
      if (token.type === 'variable') return { kind: 'name', name: this.#take().value }
      if (this.#takeIf('[')) {
        const items: Pattern[] = []
        do items.push(this.#pattern())
        while (this.#takeIf(','))
        this.#expect(']')
        return { kind: 'items', items }
      }
      this.#expect('{')
      const fields: PatternField[] = []
      do fields.push(this.#patternField())
      while (this.#takeIf(','))
      this.#expect('}')
      return { kind: 'fields', fields }
    })
  }

  #patternField(): PatternField {
    const token = this.#peek()
    if (token.type === 'variable') {
      const name = this.#take().value
      const key = literal(name.slice(1))
      return this.#takeIf(':') ? { key, name, value: this.#pattern() } : { key, name }
    }
    let key: Query
    if (this.#takeIf('(')) {
      key = this.#query()
      this.#expect(')')
    } else if (token.type === 'ident' || token.type === 'keyword') key = literal(this.#take().value)
    else if (token.type === 'string' || token.type === 'string start') key = this.#string()
    else throw this.#unexpected()
    this.#expect(':')
    return { key, value: this.#pattern() }
  }

  /** The metadata of modules: read, and not used. */
  #constant(opening?: string): void {
    const token = this.#take()
    if (opening !== undefined && !(token.type === 'character' && token.value === opening)) throw this.#unexpected(token)
    if (token.type === 'number' || token.type === 'string') return
    if (token.type === 'keyword' && ['null', 'true', 'false'].includes(token.value)) return
    if (token.type !== 'character' || (token.value !== '{' && token.value !== '[')) throw this.#unexpected(token)
    const closing = token.value === '{' ? '}' : ']'
    while (!this.#takeIf(closing)) {
      if (closing === '}') {
        const key = this.#take()
        if (key.type !== 'ident' && key.type !== 'keyword' && key.type !== 'string') throw this.#unexpected(key)
        this.#expect(':')
      }
      this.#constant()
      if (!this.#is(closing)) this.#expect(',')
    }
  }

  #nested<Result>(parse: () => Result): Result {
    if (++this.#nesting > maxNesting)
      throw new JqLimitError(`the program is nested more than ${maxNesting} levels deep`)
    const result = parse()
    this.#nesting--
    return result
  }

  #peek(): Token {
    this.#ahead ??= this.#lexer.next()
    return this.#ahead
  }

  #take(): Token {
    const token = this.#peek()
    this.#ahead = undefined
    return token
  }

  #is(character: string): boolean {
    const token = this.#peek()
    return token.type === 'character' && token.value === character
  }

  #takeIf(character: string): boolean {
    if (!this.#is(character)) return false
    this.#take()
    return true
  }

  #expect(character: string): void {
    if (!this.#takeIf(character)) throw this.#unexpected()
  }

  #isKeyword(word: string): boolean {
    const token = this.#peek()
    return token.type === 'keyword' && token.value === word
  }

  #takeKeyword(word: string): boolean {
    if (!this.#isKeyword(word)) return false
    this.#take()
    return true
  }

  #expectKeyword(word: string): void {
    if (!this.#takeKeyword(word)) throw this.#unexpected()
  }

  #takeOperator(text: string): boolean {
    const token = this.#peek()
    if (token.type !== 'operator' || token.value !== text) return false
    this.#take()
    return true
  }

  #peekOperator(operators: readonly string[]): string | undefined {
    const { type, value } = this.#peek()
    const isOperator = type === 'operator' || type === 'character' || type === 'keyword'
    return isOperator && operators.includes(value) ? value : undefined
  }

  #expectType(type: TokenType): string {
    if (this.#peek().type !== type) throw this.#unexpected()
    return this.#take().value
  }

  #unexpected(token = this.#peek()): JqSyntaxError {
    return this.#lexer.unexpected(token)
  }
}

function literal(value: JqValue): Query {
  return { kind: 'literal', value }
}

function call(name: string, ...args: Query[]): Query {
  return { kind: 'call', name, args }
}

function operation(operator: string, left: Query, right: Query): Query {
  if (operator === '//') return { kind: 'alternative', left, right }
  if (operator === 'and' || operator === 'or') return { kind: operator, left, right }
  if (/^(?:.|\/\/)?=$/.test(operator) && !['==', '!=', '>=', '<='].includes(operator))
    return { kind: 'update', operator, left, right }
  return { kind: 'binary', operator, left, right }
}

/** `?` guards the last step alone: what comes before may fail, and is the input of that step. */
function optional(target: Query): Query {
  const isStep = target.kind === 'index' || target.kind === 'slice' || target.kind === 'iterate'
  if (!isStep || target.target.kind === 'identity') return { kind: 'try', body: target }
  return { kind: 'pipe', left: target.target, right: { kind: 'try', body: { ...target, target: identity } } }
}
