import { isKeyword, type Token } from './lexer.ts'
import { isLiteral, literalValue } from './literal.ts'
import { type Macro, MacroError, macroKey } from './macros.ts'
import { CelCompileError, Source } from './source.ts'
import {
  AlreadyReported,
  CelSyntaxError,
  continuesExpression,
  expectedExpression,
  noAlternative,
} from './syntax-error.ts'
import type { Expr, MapEntry, StructField } from './syntax-tree.ts'
import { TokenCursor } from './token-cursor.ts'
import { TreeBuilder } from './tree-builder.ts'

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
  const cursor = new TokenCursor(source)
  const parser = new Parser(cursor, macros)
  const root = parser.parse()
  if (cursor.issues.length > 0) throw new CelCompileError(source, cursor.issues)
  return { source, root, offsets: parser.builder.offsets }
}

const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const relationNames: Readonly<Record<string, string>> = { in: '@in' }

class RecursionLimit extends Error {}

class Parser {
  readonly builder = new TreeBuilder()
  readonly #cursor: TokenCursor
  readonly #macros: ReadonlyMap<string, Macro>
  readonly #depths = new Map<string, number>()

  constructor(cursor: TokenCursor, macros: ReadonlyMap<string, Macro>) {
    this.#cursor = cursor
    this.#macros = macros
  }

  parse(): Expr {
    try {
      const root = this.#expression()
      this.#cursor.expectEnd()
      return root
    } catch (error) {
      if (error instanceof CelSyntaxError) this.#cursor.report(error.offset, `Syntax error: ${error.message}`)
      else if (error instanceof RecursionLimit) this.#cursor.report(undefined, error.message)
      else if (!(error instanceof AlreadyReported)) throw error
      return this.#unspecified(undefined)
    }
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
    if (!this.#cursor.isOperator('?')) {
      this.#leave('expr')
      return condition
    }
    const id = this.builder.id(this.#cursor.take().offset)
    const whenTrue = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
    this.#cursor.expect(':')
    const whenFalse = this.#expression()
    this.#leave('expr')
    return { kind: 'call', id, function: '_?_:_', target: undefined, args: [condition, whenTrue, whenFalse] }
  }

  /** A chain of `&&` or `||` becomes a balanced tree, so that long chains stay shallow. */
  #logical(operator: string, name: string, operand: () => Expr): Expr {
    const terms = [operand()]
    const ids: number[] = []
    while (this.#cursor.isOperator(operator)) {
      const { offset } = this.#cursor.take()
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
    while (isOperator(this.#cursor.token)) {
      const { text, offset } = this.#cursor.take()
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
    const isAdditive = (token: Token): boolean =>
      this.#cursor.isOperator('+', token) || this.#cursor.isOperator('-', token)
    const isMultiplicative = (token: Token): boolean => token.kind === 'operator' && /^[*/%]$/.test(token.text)
    return this.#leftAssociative('relation', isRelation, () =>
      this.#leftAssociative('calc', isAdditive, () =>
        this.#leftAssociative('calc', isMultiplicative, () => this.#unary()),
      ),
    )
  }

  #unary(): Expr {
    const first = this.#cursor.token
    if (this.#cursor.isOperator('!') || (this.#cursor.isOperator('-') && !this.#isNegativeLiteral())) {
      let count = 0
      while (this.#cursor.isOperator(first.text)) {
        this.#cursor.take()
        count++
      }
      this.#cursor.checkOperand(first)
      if (count % 2 === 0) return this.#member()
      const id = this.builder.id(first.offset)
      const name = first.text === '!' ? '!_' : '-_'
      return { kind: 'call', id, function: name, target: undefined, args: [this.#member()] }
    }
    return this.#member()
  }

  /** `-5` is one literal, because int64 has one more negative value than positive ones. */
  #isNegativeLiteral(): boolean {
    const { kind } = this.#cursor.ahead(1)
    return kind === 'int' || kind === 'float'
  }

  #member(): Expr {
    let levels = 1
    this.#enter('member')
    let expr = this.#primary()
    for (;;) {
      if (this.#cursor.isOperator('.')) expr = this.#select(expr)
      else if (this.#cursor.isOperator('[')) expr = this.#index(expr)
      else break
      levels++
      this.#enter('member')
    }
    this.#leave('member', levels)
    return expr
  }

  #select(operand: Expr): Expr {
    const dot = this.#cursor.take()
    const optional = this.#cursor.isOperator('?') ? this.#cursor.take() : undefined
    const name = this.#cursor.token
    if ((name.kind !== 'ident' && name.kind !== 'escaped') || isKeyword(name)) {
      throw optional === undefined ? this.#cursor.badSelector(dot, name) : this.#cursor.badOptionalSelector(name)
    }
    this.#cursor.take()
    if (optional === undefined && name.kind === 'ident' && this.#cursor.isOperator('(')) {
      const open = this.#cursor.take()
      const id = this.builder.id(open.offset)
      const args = this.#arguments()
      return this.#callOrMacro(id, open.offset, name.text, operand, args)
    }
    if (name.kind === 'escaped') this.#cursor.report(name.offset, "unsupported syntax: '`'")
    if (optional !== undefined) {
      const id = this.builder.id(dot.offset)
      const field: Expr = { kind: 'literal', id: this.builder.id(name.offset), value: name.text }
      return { kind: 'call', id, function: '_?._', target: undefined, args: [operand, field] }
    }
    return { kind: 'select', id: this.builder.id(dot.offset), operand, field: name.text, testOnly: false }
  }

  #index(operand: Expr): Expr {
    const id = this.builder.id(this.#cursor.take().offset)
    const optional = this.#cursor.isOperator('?')
    if (optional) this.#cursor.take()
    if (!optional) this.#cursor.checkStart(["'?'"])
    this.#cursor.open(']')
    const index = this.#expression()
    this.#cursor.close(']')
    return { kind: 'call', id, function: optional ? '_[?_]' : '_[_]', target: undefined, args: [operand, index] }
  }

  #arguments(): Expr[] {
    const args: Expr[] = []
    if (this.#cursor.isOperator(')')) {
      this.#cursor.take()
      return args
    }
    this.#cursor.checkStart(["')'"])
    if (this.#cursor.isOperator(')')) return this.#arguments()
    this.#cursor.open('),')
    for (;;) {
      args.push(this.#expression())
      if (!this.#cursor.isOperator(',')) break
      this.#cursor.take()
    }
    this.#cursor.close(')')
    return args
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
        this.#cursor.report(at, error.message)
        return this.#unspecified(at)
      }
    }
    return { kind: 'call', id, function: name, target, args }
  }

  #primary(): Expr {
    const token = this.#cursor.token
    if (this.#cursor.isOperator('(')) {
      this.#cursor.take()
      this.#cursor.open(')')
      const inner = this.#expression()
      this.#cursor.close(')')
      return inner
    }
    if (this.#cursor.isOperator('[')) return this.#list()
    if (this.#cursor.isOperator('{')) return this.#map()
    if (this.#cursor.isOperator('.') || (token.kind === 'ident' && !isKeyword(token))) return this.#name()
    return this.#literal()
  }

  #list(): Expr {
    const id = this.builder.id(this.#cursor.take().offset)
    const elements: Expr[] = []
    const optionals = new Set<number>()
    this.#cursor.open('],')
    while (!this.#cursor.isOperator(']')) {
      if (
        elements.length === 0 &&
        this.#cursor.isOperator(',') &&
        this.#cursor.isOperator(']', this.#cursor.ahead(1))
      ) {
        this.#cursor.take()
        break
      }
      if (this.#cursor.isOperator('?')) {
        this.#cursor.take()
        optionals.add(elements.length)
      }
      elements.push(this.#expression())
      if (!this.#cursor.isOperator(',')) break
      this.#cursor.take()
    }
    this.#cursor.close(']', ["','"])
    return { kind: 'list', id, elements, optionals }
  }

  #map(): Expr {
    const id = this.builder.id(this.#cursor.take().offset)
    const entries: MapEntry[] = []
    this.#cursor.open('},:')
    while (!this.#cursor.isOperator('}')) {
      if (entries.length === 0 && this.#cursor.isOperator(',') && this.#cursor.isOperator('}', this.#cursor.ahead(1))) {
        this.#cursor.take()
        break
      }
      const optional = this.#cursor.isOperator('?')
      if (optional) this.#cursor.take()
      const key = this.#expression()
      const colon = this.#cursor.expect(':')
      const value = this.#expression()
      entries.push({ id: this.builder.id(colon.offset), key, value, optional })
      if (!this.#cursor.isOperator(',')) break
      this.#cursor.take()
    }
    this.#cursor.close('}', ["','"])
    return { kind: 'map', id, entries }
  }

  /** An identifier, a global call or a message literal; any of them may start with a dot. */
  #name(): Expr {
    const start = this.#cursor.token
    const dot = this.#cursor.isOperator('.') ? this.#cursor.take() : undefined
    const name = this.#cursor.token
    if (name.kind !== 'ident' || isKeyword(name)) throw noAlternative(dot ?? start, name)
    const message = this.#messageName()
    if (message !== undefined) return this.#struct(dot === undefined ? message : `.${message}`)
    this.#cursor.take()
    const text = dot === undefined ? name.text : `.${name.text}`
    const open = this.#cursor.isOperator('(') ? this.#cursor.take() : undefined
    if (reserved.has(name.text)) {
      this.#cursor.report(start.offset, `reserved identifier: ${name.text}`)
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
    while (this.#cursor.isOperator('.', this.#cursor.ahead(ahead)) && this.#cursor.ahead(ahead + 1).kind === 'ident')
      ahead += 2
    if (!this.#cursor.isOperator('{', this.#cursor.ahead(ahead))) return undefined
    const parts = Array.from({ length: ahead }, () => this.#cursor.take())
    return parts.map(part => part.text).join('')
  }

  #struct(typeName: string): Expr {
    const id = this.builder.id(this.#cursor.take().offset)
    const fields: StructField[] = []
    this.#cursor.open('},')
    while (!this.#cursor.isOperator('}')) {
      const optional = this.#cursor.isOperator('?')
      if (optional) this.#cursor.take()
      const name = this.#cursor.take()
      if (name.kind !== 'ident')
        throw new CelSyntaxError(
          name.offset,
          `mismatched input '${name.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`,
        )
      const colon = this.#cursor.expect(':')
      fields.push({ id: this.builder.id(colon.offset), name: name.text, value: this.#expression(), optional })
      if (!this.#cursor.isOperator(',')) break
      this.#cursor.take()
    }
    this.#cursor.close('}', ["','"])
    return { kind: 'struct', id, typeName, fields }
  }

  #literal(): Expr {
    const start = this.#cursor.token
    const negative = this.#cursor.isOperator('-') && this.#isNegativeLiteral()
    if (negative) this.#cursor.take()
    const token = this.#cursor.token
    if (!isLiteral(token)) return this.#missingExpression(token)
    this.#cursor.take()
    const value = literalValue(token, negative)
    const id = this.builder.id(start.offset)
    if (!(value instanceof Error)) return { kind: 'literal', id, value }
    this.#cursor.report(start.offset, value.message)
    return { kind: 'unspecified', id }
  }

  #missingExpression(token: Token): Expr {
    const problem = expectedExpression(token, this.#cursor.ahead(1))
    if (problem.recovery === 'skip') {
      this.#cursor.recover(problem)
      return this.#unary()
    }
    if (!continuesExpression(token)) throw problem.error
    this.#cursor.report(problem.error.offset, `Syntax error: ${problem.error.message}`)
    return this.#unspecified(token.offset)
  }
}
