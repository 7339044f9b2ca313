import { builtinNames, type ParameterForm, predicateForms } from './builtin-names.ts'
import type { ExprDialect } from './dialect.ts'
import { isIdentifier, Lexer, type Token, type TokenKind, tokenText } from './lexer.ts'
import { numberNode } from './number-literal.ts'
import { binaryPrecedence, isComparison, isNegatable, isRightAssociative, unaryPrecedence } from './operator-table.ts'
import { Fault, type Position, type Source } from './source.ts'
import type { Node } from './syntax-tree.ts'

/** As upstream has it; in the older version it is ours, for safety. */
const maxNodes = 10_000
/** Deeper than anyone writes, and shallow enough for the stack. */
const maxDepth = 400
const maxRow = 1_000

export interface ParseOptions {
  dialect: ExprDialect
  /** Names of the environment: a call of one is no call of the builtin with this name. */
  isOverridden?: (name: string) => boolean
}

/** Throws Fault. */
export function parse(source: Source, options: ParseOptions): Node {
  return new Parser(source, options).parse()
}

class Parser {
  readonly #dialect: ExprDialect
  readonly #isOverridden: (name: string) => boolean
  readonly #lexer: { next(): Token | undefined }
  #current: Token = { kind: 'EOF', value: '', position: 0 }
  #stashed: Token | undefined
  /** How many predicates are open around the current token. */
  #predicates = 0
  #nodes = 0
  #depth = 0

  constructor(source: Source, { dialect, isOverridden = () => false }: ParseOptions) {
    this.#dialect = dialect
    this.#isOverridden = isOverridden
    const lexer = new Lexer(source, dialect)
    // The older version reads all tokens first: a bad character anywhere comes before any other error.
    this.#lexer = dialect === '1.15' ? allTokens(lexer) : lexer
    this.#next()
  }

  parse(): Node {
    const node = this.#parseSequence()
    if (!this.#is('EOF')) this.#unexpected()
    return node
  }

  #is(kind: TokenKind, value?: string): boolean {
    return this.#current.kind === kind && (value === undefined || this.#current.value === value)
  }

  #next(): void {
    const token = this.#stashed ?? this.#lexer.next()
    this.#stashed = undefined
    if (token === undefined) throw this.#fault('unexpected end of expression')
    this.#current = token
  }

  #expect(kind: TokenKind, value?: string): void {
    if (!this.#is(kind, value)) this.#unexpected()
    this.#next()
  }

  #fault(message: string, position: Position = this.#current.position): Fault {
    return new Fault(message, position)
  }

  #unexpected(): never {
    throw this.#fault(`unexpected token ${tokenText(this.#current)}`)
  }

  #node<T extends Node>(node: T): T {
    if (++this.#nodes > maxNodes) throw this.#fault('compilation failed: expression exceeds maximum allowed nodes')
    return node
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) throw this.#fault(`expression is nested deeper than ${maxDepth} levels`)
    const parsed = parse()
    this.#depth--
    return parsed
  }

  #parseSequence(): Node {
    const first = this.#parseExpression(0)
    if (this.#dialect === '1.15' || !this.#is('Operator', ';')) return first
    const nodes = [first]
    while (this.#is('Operator', ';')) {
      this.#next()
      if (this.#is('EOF')) break
      nodes.push(this.#parseExpression(0))
    }
    return nodes.length === 1 ? first : this.#node({ kind: 'sequence', nodes, position: first.position })
  }

  #parseExpression(precedence: number): Node {
    return this.#nested(() => {
      if (precedence === 0 && this.#is('Operator', 'let')) return this.#parseLet()
      if (precedence === 0 && this.#is('Operator', 'if')) return this.#parseIf()
      const node = this.#parseOperators(this.#parsePrimary(), precedence)
      return precedence === 0 ? this.#parseConditional(node) : node
    })
  }

  #parseOperators(first: Node, precedence: number): Node {
    let left = first
    let previous = ''
    let chain = 0
    while (this.#is('Operator')) {
      const negation = this.#is('Operator', 'not') ? this.#readNot(precedence) : undefined
      if (negation === 'unrelated') break
      const token = this.#current
      const binding = binaryPrecedence.get(token.value)
      if (!this.#is('Operator') || binding === undefined || binding < precedence) break
      // A long row of operators makes a tree as deep as the row is long.
      if (++chain + this.#depth > maxRow) throw this.#fault('expression is too long a row of operators')
      this.#next()
      if (token.value === '|') left = this.#parsePipe(left)
      else {
        if (previous === '??' && token.value !== '??') {
          const problem = `Operator (${token.value}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.`
          throw this.#fault(problem, token.position)
        }
        left = this.#parseBinary(left, token, binding)
        if (negation !== undefined && !(this.#dialect === '1.17' && isComparison(token.value)))
          left = this.#node({ kind: 'unary', operator: 'not', operand: left, position: negation.position })
      }
      previous = token.value
    }
    return left
  }

  /** At `not` after an operand: it belongs to the operator that follows. */
  #readNot(precedence: number): Token | 'unrelated' {
    const before = this.#current
    this.#next()
    if (this.#dialect === '1.15') return this.#current
    if (!isNegatable(this.#current.value)) this.#unexpected()
    if ((binaryPrecedence.get(this.#current.value) ?? -1) >= precedence) return this.#current
    this.#stashed = this.#current
    this.#current = before
    return 'unrelated'
  }

  #parseBinary(left: Node, token: Token, binding: number): Node {
    const operator = token.value
    if (this.#dialect === '1.17' && isComparison(operator)) return this.#parseComparisons(left, token, binding)
    const right = this.#parseExpression(isRightAssociative(operator) ? binding : binding + 1)
    return this.#node({ kind: 'binary', operator, left, right, position: token.position })
  }

  /** `1 < x < 3` means `1 < x && x < 3`. */
  #parseComparisons(first: Node, firstToken: Token, binding: number): Node {
    let left = first
    let token = firstToken
    let all: Node | undefined
    for (;;) {
      const right = this.#parseExpression(binding + 1)
      const { position } = token
      const one: Node = this.#node({ kind: 'binary', operator: token.value, left, right, position })
      all = all === undefined ? one : this.#node({ kind: 'binary', operator: '&&', left: all, right: one, position })
      left = right
      token = this.#current
      if (!this.#is('Operator') || !isComparison(token.value)) return all
      this.#next()
    }
  }

  #parseLet(): Node {
    this.#next()
    const { value: name, position } = this.#current
    this.#expect('Identifier')
    this.#expect('Operator', '=')
    const value = this.#parseExpression(0)
    this.#expect('Operator', ';')
    const body = this.#parseSequence()
    return this.#node({ kind: 'let', name, value, body, position })
  }

  #parseIf(): Node {
    return this.#nested(() => {
      this.#next()
      const condition = this.#parseExpression(0)
      const whenTrue = this.#parseBlock()
      this.#expect('Operator', 'else')
      const whenFalse = this.#is('Operator', 'if') ? this.#parseIf() : this.#parseBlock()
      return { kind: 'conditional', condition, whenTrue, whenFalse, position: undefined }
    })
  }

  #parseBlock(): Node {
    this.#expect('Bracket', '{')
    const node = this.#parseSequence()
    this.#expect('Bracket', '}')
    return node
  }

  #parseConditional(first: Node): Node {
    let condition = first
    while (this.#is('Operator', '?')) {
      this.#next()
      let whenTrue = condition
      if (!this.#is('Operator', ':')) whenTrue = this.#parseExpression(0)
      this.#expect('Operator', ':')
      const whenFalse = this.#parseExpression(0)
      const position = this.#dialect === '1.17' ? this.#current.position : undefined
      condition = this.#node({ kind: 'conditional', condition, whenTrue, whenFalse, position })
    }
    return condition
  }

  #parsePrimary(): Node {
    const token = this.#current
    const { value, position } = token
    const binding = token.kind === 'Operator' ? unaryPrecedence.get(value) : undefined
    if (binding !== undefined) {
      this.#next()
      const operand = this.#parseExpression(binding)
      return this.#parsePostfix(this.#node({ kind: 'unary', operator: value, operand, position }))
    }
    if (this.#is('Bracket', '(')) {
      this.#next()
      const node = this.#parseSequence()
      this.#expect('Bracket', ')')
      return this.#parsePostfix(node)
    }
    if (this.#is('Operator', '#') || this.#is('Operator', '.')) {
      if (this.#predicates > 0) return this.#parsePointer()
      if (this.#dialect === '1.15') throw this.#fault('cannot use pointer accessor outside closure')
    }
    if (this.#dialect === '1.17' && this.#is('Operator', '::')) {
      this.#next()
      const name = this.#current
      this.#expect('Identifier')
      return this.#parsePostfix(this.#parseCall(name, [], false))
    }
    return this.#parseSecondary()
  }

  #parsePointer(): Node {
    const { position } = this.#current
    let name = ''
    if (this.#is('Operator', '#')) {
      this.#next()
      if (this.#is('Identifier')) {
        name = this.#current.value
        this.#next()
      }
    }
    return this.#parsePostfix(this.#node({ kind: 'pointer', name, position }))
  }

  #parseSecondary(): Node {
    const { kind, value, position, bytes } = this.#current
    switch (kind) {
      case 'Identifier':
        this.#next()
        return this.#parseName({ kind, value, position })
      case 'Number':
        this.#next()
        return this.#node(numberNode(value, position, this.#current.position, this.#dialect))
      case 'String':
        this.#next()
        // In the older version a literal takes no index or member.
        return this.#literal({ kind: 'string', value, position })
      case 'Bytes':
        this.#next()
        return this.#literal({ kind: 'bytes', value: bytes ?? new Uint8Array(), position })
      default:
        if (this.#is('Bracket', '[')) return this.#parsePostfix(this.#parseArray())
        if (this.#is('Bracket', '{')) return this.#parsePostfix(this.#parseMap())
        return this.#unexpected()
    }
  }

  #literal(node: Node): Node {
    return this.#dialect === '1.17' ? this.#parsePostfix(this.#node(node)) : this.#node(node)
  }

  #parseName(token: Token): Node {
    const { value, position } = token
    if (value === 'true' || value === 'false') return this.#node({ kind: 'bool', value: value === 'true', position })
    if (value === 'nil') return this.#node({ kind: 'nil', position })
    const node = this.#is('Bracket', '(')
      ? this.#parseCall(token, [], true)
      : this.#node({ kind: 'identifier', name: value, position } as const)
    return this.#parsePostfix(node)
  }

  #parsePipe(left: Node): Node {
    const token = this.#current
    this.#expect('Identifier')
    return this.#parseCall(token, [left], true)
  }

  #parseCall({ value: name, position }: Token, given: Node[], mayOverride: boolean): Node {
    const isOverridden = mayOverride && this.#dialect === '1.17' && this.#isOverridden(name)
    const form = isOverridden ? undefined : predicateForms(this.#dialect).get(name)
    if (form !== undefined)
      return this.#node({ kind: 'builtin', name, arguments: this.#parsePredicateArguments(form, given), position })
    if (!isOverridden && builtinNames(this.#dialect).has(name))
      return this.#node({ kind: 'builtin', name, arguments: this.#parseArguments(given), position })
    const callee: Node = this.#node({ kind: 'identifier', name, position })
    return this.#node({ kind: 'call', callee, arguments: this.#parseArguments(given), position })
  }

  #parsePredicateArguments(form: readonly ParameterForm[], given: Node[]): Node[] {
    const nodes = [...given]
    const left = form.slice(given.length)
    this.#expect('Bracket', '(')
    for (const [index, parameter] of left.entries()) {
      const isEnd = this.#is('Bracket', ')')
      if (parameter.isOptional && (isEnd || (this.#dialect === '1.15' && !this.#is('Operator', ',')))) break
      if (isEnd && this.#dialect === '1.17') throw this.#fault(`expected at least ${left.length} arguments`)
      if (index > 0) this.#expect('Operator', ',')
      nodes.push(parameter.isPredicate ? this.#parsePredicate() : this.#parseExpression(0))
    }
    if (this.#dialect === '1.17' && this.#is('Operator', ',')) this.#next()
    this.#expect('Bracket', ')')
    return nodes
  }

  #parseArguments(given: Node[]): Node[] {
    const nodes = [...given]
    this.#expect('Bracket', '(')
    while (!this.#is('Bracket', ')')) {
      if (nodes.length > given.length) this.#expect('Operator', ',')
      if (this.#dialect === '1.17' && this.#is('Bracket', ')')) break
      nodes.push(this.#parseExpression(0))
    }
    this.#next()
    return nodes
  }

  #parsePredicate(): Node {
    const { position } = this.#current
    const isBlock = this.#is('Bracket', '{')
    if (isBlock) this.#next()
    this.#predicates++
    const node = isBlock ? this.#parseSequence() : this.#parseExpression(0)
    if (!isBlock && this.#dialect === '1.17' && this.#is('Operator', ';'))
      throw this.#fault('wrap predicate with brackets { and }')
    this.#predicates--
    if (isBlock) this.#expect('Bracket', '}')
    return this.#node({ kind: 'predicate', node, position })
  }

  #parseArray(): Node {
    const { position } = this.#current
    this.#next()
    const nodes: Node[] = []
    while (!this.#is('Bracket', ']')) {
      if (nodes.length > 0) {
        this.#expect('Operator', ',')
        if (this.#is('Bracket', ']')) break
      }
      nodes.push(this.#parseExpression(0))
    }
    this.#next()
    return this.#node({ kind: 'array', nodes, position })
  }

  #parseMap(): Node {
    const { position } = this.#current
    this.#next()
    const pairs: { key: Node; value: Node; position: Position }[] = []
    while (!this.#is('Bracket', '}')) {
      if (pairs.length > 0) {
        this.#expect('Operator', ',')
        if (this.#is('Bracket', '}')) break
        if (this.#is('Operator', ',')) this.#unexpected()
      }
      const key = this.#parseKey(position)
      this.#expect('Operator', ':')
      pairs.push({ key, value: this.#parseExpression(0), position })
    }
    this.#next()
    return this.#node({ kind: 'map', pairs, position })
  }

  #parseKey(mapPosition: number): Node {
    if (this.#is('Bracket', '(')) return this.#parseExpression(0)
    const { kind, value, position } = this.#current
    if (kind !== 'Number' && kind !== 'String' && kind !== 'Identifier') {
      const allowed = 'a quoted string, a number, a identifier, or an expression enclosed in parentheses'
      throw this.#fault(`a map key must be ${allowed} (unexpected token ${tokenText(this.#current)})`)
    }
    this.#next()
    return this.#node({ kind: 'string', value, position: this.#dialect === '1.17' ? position : mapPosition })
  }

  #parsePostfix(first: Node): Node {
    let node = first
    let chain = 0
    for (;;) {
      const isOptional = this.#is('Operator', '?.')
      if (++chain > maxDepth) throw this.#fault('expression is too long a row of members')
      if (isOptional || this.#is('Operator', '.')) {
        this.#next()
        if (isOptional && this.#dialect === '1.17' && this.#is('Bracket', '[')) node = this.#parseIndex(node, true)
        else node = this.#parseMember(node, isOptional)
      } else if (this.#is('Bracket', '[')) node = this.#parseIndex(node, false)
      else return node
    }
  }

  #parseMember(node: Node, isOptional: boolean): Node {
    const name = this.#current
    const { position } = name
    this.#next()
    if (name.kind !== 'Identifier' && (name.kind !== 'Operator' || !isIdentifier(name.value)))
      throw this.#fault('expected name')
    const isChain = node.kind === 'chain'
    const base = node.kind === 'chain' ? node.node : node
    const property: Node = this.#node({ kind: 'string', value: name.value, position })
    const isMethod = this.#is('Bracket', '(')
    let member: Node = this.#node({ kind: 'member', base, property, isOptional, isMethod, position })
    if (isMethod) member = this.#node({ kind: 'call', callee: member, arguments: this.#parseArguments([]), position })
    if (!isChain && !isOptional) return member
    return this.#node({ kind: 'chain', node: member, position: this.#dialect === '1.17' ? position : undefined })
  }

  #parseIndex(base: Node, isOptional: boolean): Node {
    const { position } = this.#current
    this.#next()
    const from = this.#is('Operator', ':') ? undefined : this.#parseExpression(0)
    if (this.#is('Operator', ':')) {
      this.#next()
      const to = this.#is('Bracket', ']') ? undefined : this.#parseExpression(0)
      const slice: Node = this.#node({ kind: 'slice', base, from, to, position })
      this.#expect('Bracket', ']')
      return slice
    }
    const property = from as Node
    const member: Node = this.#node({ kind: 'member', base, property, isOptional, isMethod: false, position })
    const node = isOptional ? this.#node({ kind: 'chain', node: member, position } as const) : member
    this.#expect('Bracket', ']')
    return node
  }
}

function allTokens(lexer: Lexer): { next(): Token | undefined } {
  const tokens: Token[] = []
  for (let token = lexer.next(); token !== undefined; token = lexer.next()) tokens.push(token)
  let index = 0
  return { next: () => tokens[index++] }
}
