import { isKeyword, type Token, tokenize } from './lexer.ts'
import { type Macro, MacroError, macroKey } from './macros.ts'
import { CelCompileError, type CelIssue, Source } from './source.ts'
import { unquoteBytes, unquoteString } from './string-literal.ts'
import {
  badSelector,
  CelSyntaxError,
  continuesExpression,
  expectedAfter,
  expectedExpression,
  expectedOperand,
  noAlternative,
  type SyntaxProblem,
  startsExpression,
} from './syntax-error.ts'
import type { Expr, MapEntry, StructField } from './syntax-tree.ts'
import { TreeBuilder } from './tree-builder.ts'
import { Uint } from './value.ts'

export interface ParsedExpression {
  source: Source
  root: Expr
  offsets: ReadonlyMap<number, number>
}

const maxCodePoints = 100_000
const maxDepth = 250

const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

/** Parses an expression and expands its macros. Throws CelCompileError with every issue found. */
export function parse(text: string, macros: ReadonlyMap<string, Macro>): ParsedExpression {
  const source = new Source(text)
  const size = source.codePoints.length
  if (size > maxCodePoints) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`
    throw new CelCompileError(source, [source.issue(undefined, message)])
  }
  const parser = new Parser(source, macros)
  const root = parser.parse()
  if (parser.issues.length > 0) throw new CelCompileError(source, parser.issues)
  return { source, root, offsets: parser.builder.offsets }
}

const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const relationNames: Readonly<Record<string, string>> = { in: '@in' }

class RecursionLimit extends Error {}
class AlreadyReported extends Error {}

class Parser {
  readonly issues: CelIssue[] = []
  readonly builder = new TreeBuilder()
  readonly #source: Source
  readonly #macros: ReadonlyMap<string, Macro>
  readonly #tokens: readonly Token[]
  readonly #depths = new Map<string, number>()
  /** For every open bracket, the operators that may come inside it after an expression. */
  readonly #open: string[] = []
  #position = 0

  constructor(source: Source, macros: ReadonlyMap<string, Macro>) {
    this.#source = source
    this.#macros = macros
    const { tokens, errors } = tokenize(source)
    this.#tokens = tokens
    for (const { offset, message } of errors) this.#report(offset, `Syntax error: ${message}`)
  }

  parse(): Expr {
    try {
      const root = this.#expression()
      if (this.#token.kind !== 'end') this.#recover(expectedAfter(this.#token, this.#ahead(1), ['<EOF>'], false))
      return root
    } catch (error) {
      if (error instanceof CelSyntaxError) this.#report(error.offset, `Syntax error: ${error.message}`)
      else if (error instanceof RecursionLimit) this.#report(undefined, error.message)
      else if (!(error instanceof AlreadyReported)) throw error
      return this.#unspecified(undefined)
    }
  }

  get #token(): Token {
    return this.#tokens[this.#position] as Token
  }

  #ahead(count: number): Token {
    return this.#tokens[Math.min(this.#position + count, this.#tokens.length - 1)] as Token
  }

  #take(): Token {
    const token = this.#token
    if (token.kind !== 'end') this.#position++
    return token
  }

  #isOperator(text: string, token = this.#token): boolean {
    return token.kind === 'operator' && token.text === text
  }

  /** Takes the wanted operator. Reports when it is not there, and goes on where that makes sense. */
  #expect(text: string, alternatives: readonly string[] = []): Token {
    if (this.#isOperator(text)) return this.#take()
    const token = this.#token
    const canFollow = text === ':' ? startsExpression(token) : this.#followsPart(token)
    this.#recover(expectedAfter(token, this.#ahead(1), [`'${text}'`, ...alternatives], canFollow))
    return this.#isOperator(text) ? this.#take() : token
  }

  /** Takes what closes a bracket. */
  #close(text: string, alternatives: readonly string[] = []): void {
    this.#open.pop()
    this.#expect(text, alternatives)
  }

  /** Whether a token could come right after the part that is being closed. */
  #followsPart(token: Token): boolean {
    if (continuesExpression(token) || this.#isOperator('.', token) || this.#isOperator('[', token)) return true
    const closers = this.#open.at(-1)
    if (token.kind === 'end') return closers === undefined
    return token.kind === 'operator' && (closers ?? '').includes(token.text)
  }

  #recover({ error, recovery }: SyntaxProblem): void {
    if (recovery === 'none') throw error
    this.#report(error.offset, `Syntax error: ${error.message}`)
    if (recovery === 'skip') this.#take()
  }

  #report(offset: number | undefined, message: string): void {
    this.issues.push(this.#source.issue(offset, message))
  }

  #unspecified(offset: number | undefined): Expr {
    return { kind: 'unspecified', id: this.builder.id(offset) }
  }

  #enter(rule: string): void {
    const depth = (this.#depths.get(rule) ?? 0) + 1
    this.#depths.set(rule, depth)
    if (depth > maxDepth) throw new RecursionLimit(`expression recursion limit exceeded: ${maxDepth}`)
  }

  #leave(rule: string, levels = 1): void {
    this.#depths.set(rule, (this.#depths.get(rule) ?? 0) - levels)
  }

  #expression(): Expr {
    this.#enter('expr')
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
    if (!this.#isOperator('?')) {
      this.#leave('expr')
      return condition
    }
    const id = this.builder.id(this.#take().offset)
    const whenTrue = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
    this.#expect(':')
    const whenFalse = this.#expression()
    this.#leave('expr')
    return { kind: 'call', id, function: '_?_:_', target: undefined, args: [condition, whenTrue, whenFalse] }
  }

  /** A chain of `&&` or `||` becomes a balanced tree, so that long chains stay shallow. */
  #logical(operator: string, name: string, operand: () => Expr): Expr {
    const terms = [operand()]
    const ids: number[] = []
    while (this.#isOperator(operator)) {
      const { offset } = this.#take()
      terms.push(operand())
      ids.push(this.builder.id(offset))
    }
    const balance = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2)
      const left = middle === low ? (terms[middle] as Expr) : balance(low, middle - 1)
      const right = middle === high ? (terms[middle + 1] as Expr) : balance(middle + 1, high)
      return { kind: 'call', id: ids[middle] as number, function: name, target: undefined, args: [left, right] }
    }
    return ids.length === 0 ? (terms[0] as Expr) : balance(0, ids.length - 1)
  }

  #leftAssociative(rule: string, isOperator: (token: Token) => boolean, operand: () => Expr): Expr {
    let levels = 1
    this.#enter(rule)
    let left = operand()
    while (isOperator(this.#token)) {
      const { text, offset } = this.#take()
      const id = this.builder.id(offset)
      levels++
      this.#enter(rule)
      const right = operand()
      left = { kind: 'call', id, function: relationNames[text] ?? `_${text}_`, target: undefined, args: [left, right] }
    }
    this.#leave(rule, levels)
    return left
  }

  #relation(): Expr {
    const isRelation = (token: Token): boolean =>
      relations.has(token.text) && (token.kind === 'operator' || isKeyword(token))
    const isAdditive = (token: Token): boolean => this.#isOperator('+', token) || this.#isOperator('-', token)
    const isMultiplicative = (token: Token): boolean => token.kind === 'operator' && /^[*/%]$/.test(token.text)
    return this.#leftAssociative('relation', isRelation, () =>
      this.#leftAssociative('calc', isAdditive, () =>
        this.#leftAssociative('calc', isMultiplicative, () => this.#unary()),
      ),
    )
  }

  #unary(): Expr {
    const first = this.#token
    if (this.#isOperator('!') || (this.#isOperator('-') && !this.#isNegativeLiteral())) {
      let count = 0
      while (this.#isOperator(first.text)) {
        this.#take()
        count++
      }
      this.#checkOperand(first)
      if (count % 2 === 0) return this.#member()
      const id = this.builder.id(first.offset)
      const name = first.text === '!' ? '!_' : '-_'
      return { kind: 'call', id, function: name, target: undefined, args: [this.#member()] }
    }
    return this.#member()
  }

  #checkOperand(operator: Token): void {
    const token = this.#token
    if (startsExpression(token)) return
    if (operator.text === '!') throw expectedOperand(token).error
    const last = this.#tokens[this.#position - 1] as Token
    const error = noAlternative(last, token)
    if (token.kind === 'end') this.#report(error.offset, `Syntax error: ${error.message}`)
    throw token.kind === 'end' ? expectedExpression(token, undefined).error : error
  }

  /** `-5` is one literal, because int64 has one more negative value than positive ones. */
  #isNegativeLiteral(): boolean {
    const { kind } = this.#ahead(1)
    return kind === 'int' || kind === 'float'
  }

  #member(): Expr {
    let levels = 1
    this.#enter('member')
    let expr = this.#primary()
    for (;;) {
      if (this.#isOperator('.')) expr = this.#select(expr)
      else if (this.#isOperator('[')) expr = this.#index(expr)
      else break
      levels++
      this.#enter('member')
    }
    this.#leave('member', levels)
    return expr
  }

  #select(operand: Expr): Expr {
    const dot = this.#take()
    const optional = this.#isOperator('?') ? this.#take() : undefined
    const name = this.#token
    if ((name.kind !== 'ident' && name.kind !== 'escaped') || isKeyword(name)) {
      throw optional === undefined ? this.#badSelector(dot, name) : this.#badOptionalSelector(name)
    }
    this.#take()
    if (optional === undefined && name.kind === 'ident' && this.#isOperator('(')) {
      const open = this.#take()
      const id = this.builder.id(open.offset)
      const args = this.#arguments()
      return this.#callOrMacro(id, open.offset, name.text, operand, args)
    }
    if (name.kind === 'escaped') this.#report(name.offset, "unsupported syntax: '`'")
    if (optional !== undefined) {
      const id = this.builder.id(dot.offset)
      const field: Expr = { kind: 'literal', id: this.builder.id(name.offset), value: name.text }
      return { kind: 'call', id, function: '_?._', target: undefined, args: [operand, field] }
    }
    return { kind: 'select', id: this.builder.id(dot.offset), operand, field: name.text, testOnly: false }
  }

  #badSelector(dot: Token, found: Token): CelSyntaxError {
    const error = badSelector(dot, found)
    if (!continuesExpression(found) || !error.message.startsWith('no viable')) return error
    // ANTLR takes the operator as one, and misses what should follow it.
    this.#report(error.offset, `Syntax error: ${error.message}`)
    this.#take()
    return expectedExpression(this.#token, undefined).error
  }

  #badOptionalSelector(found: Token): AlreadyReported {
    const message = `mismatched input '${found.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`
    this.#report(found.offset, `Syntax error: ${message}`)
    this.#report(found.offset, 'unsupported ident kind')
    return new AlreadyReported()
  }

  #index(operand: Expr): Expr {
    const id = this.builder.id(this.#take().offset)
    const optional = this.#isOperator('?')
    if (optional) this.#take()
    if (!optional) this.#checkStart(["'?'"])
    this.#open.push(']')
    const index = this.#expression()
    this.#close(']')
    return { kind: 'call', id, function: optional ? '_[?_]' : '_[_]', target: undefined, args: [operand, index] }
  }

  #arguments(): Expr[] {
    const args: Expr[] = []
    if (this.#isOperator(')')) {
      this.#take()
      return args
    }
    this.#checkStart(["')'"])
    if (this.#isOperator(')')) return this.#arguments()
    this.#open.push('),')
    for (;;) {
      args.push(this.#expression())
      if (!this.#isOperator(',')) break
      this.#take()
    }
    this.#close(')')
    return args
  }

  /** Reports a token that starts no expression; `others` are what else may stand here. */
  #checkStart(others: readonly string[]): void {
    if (startsExpression(this.#token)) return
    this.#recover(expectedExpression(this.#token, this.#ahead(1), others))
  }

  #callOrMacro(id: number, offset: number, name: string, target: Expr | undefined, args: Expr[]): Expr {
    const macro = this.#macros.get(macroKey(name, args.length, target !== undefined))
    if (macro !== undefined) {
      try {
        const expanded = macro(this.builder.at(offset), args, target)
        if (expanded !== undefined) return expanded
      } catch (error) {
        if (!(error instanceof MacroError)) throw error
        const at = this.builder.offsetOf(error.at)
        this.#report(at, error.message)
        return this.#unspecified(at)
      }
    }
    return { kind: 'call', id, function: name, target, args }
  }

  #primary(): Expr {
    const token = this.#token
    if (this.#isOperator('(')) {
      this.#take()
      this.#open.push(')')
      const inner = this.#expression()
      this.#close(')')
      return inner
    }
    if (this.#isOperator('[')) return this.#list()
    if (this.#isOperator('{')) return this.#map()
    if (this.#isOperator('.') || (token.kind === 'ident' && !isKeyword(token))) return this.#name()
    return this.#literal()
  }

  #list(): Expr {
    const id = this.builder.id(this.#take().offset)
    const elements: Expr[] = []
    const optionals = new Set<number>()
    this.#open.push('],')
    while (!this.#isOperator(']')) {
      if (elements.length === 0 && this.#isOperator(',') && this.#isOperator(']', this.#ahead(1))) {
        this.#take()
        break
      }
      if (this.#isOperator('?')) {
        this.#take()
        optionals.add(elements.length)
      }
      elements.push(this.#expression())
      if (!this.#isOperator(',')) break
      this.#take()
    }
    this.#close(']', ["','"])
    return { kind: 'list', id, elements, optionals }
  }

  #map(): Expr {
    const id = this.builder.id(this.#take().offset)
    const entries: MapEntry[] = []
    this.#open.push('},:')
    while (!this.#isOperator('}')) {
      if (entries.length === 0 && this.#isOperator(',') && this.#isOperator('}', this.#ahead(1))) {
        this.#take()
        break
      }
      const optional = this.#isOperator('?')
      if (optional) this.#take()
      const key = this.#expression()
      const colon = this.#expect(':')
      const value = this.#expression()
      entries.push({ id: this.builder.id(colon.offset), key, value, optional })
      if (!this.#isOperator(',')) break
      this.#take()
    }
    this.#close('}', ["','"])
    return { kind: 'map', id, entries }
  }

  /** An identifier, a global call or a message literal; any of them may start with a dot. */
  #name(): Expr {
    const start = this.#token
    const dot = this.#isOperator('.') ? this.#take() : undefined
    const name = this.#token
    if (name.kind !== 'ident' || isKeyword(name)) throw noAlternative(dot ?? start, name)
    const message = this.#messageName()
    if (message !== undefined) return this.#struct(dot === undefined ? message : `.${message}`)
    this.#take()
    const text = dot === undefined ? name.text : `.${name.text}`
    const open = this.#isOperator('(') ? this.#take() : undefined
    if (reserved.has(name.text)) {
      this.#report(start.offset, `reserved identifier: ${name.text}`)
      if (open !== undefined) this.#arguments()
      return this.#unspecified(start.offset)
    }
    if (open === undefined) return { kind: 'ident', id: this.builder.id(name.offset), name: text }
    const id = this.builder.id(open.offset)
    const args = this.#arguments()
    return this.#callOrMacro(id, open.offset, text, undefined, args)
  }

  /** Looks ahead for `a.b.C {`; consumes the name only when the brace follows. */
  #messageName(): string | undefined {
    let ahead = 1
    while (this.#isOperator('.', this.#ahead(ahead)) && this.#ahead(ahead + 1).kind === 'ident') ahead += 2
    if (!this.#isOperator('{', this.#ahead(ahead))) return undefined
    const parts = this.#tokens.slice(this.#position, this.#position + ahead)
    this.#position += ahead
    return parts.map(part => part.text).join('')
  }

  #struct(typeName: string): Expr {
    const id = this.builder.id(this.#take().offset)
    const fields: StructField[] = []
    this.#open.push('},')
    while (!this.#isOperator('}')) {
      const optional = this.#isOperator('?')
      if (optional) this.#take()
      const name = this.#take()
      if (name.kind !== 'ident') throw expectedAfter(name, this.#token, ['IDENTIFIER'], false).error
      const colon = this.#expect(':')
      fields.push({ id: this.builder.id(colon.offset), name: name.text, value: this.#expression(), optional })
      if (!this.#isOperator(',')) break
      this.#take()
    }
    this.#close('}', ["','"])
    return { kind: 'struct', id, typeName, fields }
  }

  #literal(): Expr {
    const start = this.#token
    const negative = this.#isOperator('-') && this.#isNegativeLiteral()
    if (negative) this.#take()
    const token = this.#token
    const text = token.text
    switch (token.kind) {
      case 'int':
        this.#take()
        return this.#number(start.offset, integer(text, negative), 'int', -(2n ** 63n), 2n ** 63n - 1n)
      case 'uint': {
        this.#take()
        const value = this.#number(start.offset, integer(text.slice(0, -1), false), 'uint', 0n, 2n ** 64n - 1n)
        return value.kind === 'literal' ? { ...value, value: new Uint(value.value as bigint) } : value
      }
      case 'float': {
        this.#take()
        const value = Number(negative ? `-${text}` : text)
        if (Number.isFinite(value)) return { kind: 'literal', id: this.builder.id(start.offset), value }
        this.#report(start.offset, 'invalid double literal')
        return this.#unspecified(start.offset)
      }
      case 'string':
      case 'bytes':
        this.#take()
        return this.#text(token)
      default:
    }
    if (isKeyword(token) && text !== 'in') {
      this.#take()
      const value = text === 'null' ? null : text === 'true'
      return { kind: 'literal', id: this.builder.id(token.offset), value }
    }
    return this.#missingExpression(token)
  }

  #missingExpression(token: Token): Expr {
    const problem = expectedExpression(token, this.#ahead(1))
    if (problem.recovery === 'skip') {
      this.#recover(problem)
      return this.#unary()
    }
    if (!continuesExpression(token)) throw problem.error
    this.#report(problem.error.offset, `Syntax error: ${problem.error.message}`)
    return this.#unspecified(token.offset)
  }

  #number(offset: number, value: bigint, name: string, low: bigint, high: bigint): Expr {
    if (value >= low && value <= high) return { kind: 'literal', id: this.builder.id(offset), value }
    this.#report(offset, `invalid ${name} literal`)
    return this.#unspecified(offset)
  }

  #text(token: Token): Expr {
    const id = this.builder.id(token.offset)
    try {
      const value = token.kind === 'bytes' ? unquoteBytes(token.text.slice(1)) : unquoteString(token.text)
      return { kind: 'literal', id, value }
    } catch (error) {
      this.#report(token.offset, (error as Error).message)
      return { kind: 'unspecified', id }
    }
  }
}

function integer(text: string, negative: boolean): bigint {
  const value = BigInt(text)
  return negative ? -value : value
}
