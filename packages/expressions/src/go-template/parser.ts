import { describeToken, Lexer, type Token, type TokenKind } from './lexer.ts'
import { parseNumberLiteral } from './number-literal.ts'
import { quote, unquote } from './quote.ts'
import {
  type CommandNode,
  isEmptyTree,
  type ListNode,
  type Node,
  nodeText,
  type Operand,
  type PipeNode,
  type VariableNode,
} from './syntax-tree.ts'

/** The text is no template; the message is the one that Go gives. */
export class TemplateParseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateParseError'
  }
}

/** The trees that a text defines, by name. */
export type Trees = Map<string, ListNode>

/** Go allows ten thousand nested parentheses; what is nested deeper than this is a mistake or an attack. */
const maxDepth = 500

/** Parses a template and the templates that it defines. Throws TemplateParseError. */
export function parseTemplate(name: string, text: string, hasFunction: (name: string) => boolean): Trees {
  const trees: Trees = new Map()
  const shared = { parseName: name, lexer: new Lexer(text), hasFunction, trees, depth: 0 }
  new TreeParser(name, shared).parseFile()
  return trees
}

interface Shared {
  readonly parseName: string
  readonly lexer: Lexer
  readonly hasFunction: (name: string) => boolean
  readonly trees: Trees
  depth: number
}

/** `{{end}}` or `{{else}}`, which end a list. */
type ListEnd = { readonly kind: 'end'; readonly at: number } | { readonly kind: 'else'; readonly at: number }

interface ParsedList {
  readonly list: ListNode
  readonly end: ListEnd
}

const operandKinds: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
])
const notExecutable: ReadonlySet<string> = new Set(['bool', 'dot', 'nil', 'number', 'string'])

class TreeParser {
  #name: string
  readonly #shared: Shared
  /** Tokens that were looked at and put back, the next one last. */
  readonly #pending: Token[] = []
  /** The token that errors are reported at. */
  #current: Token = { kind: 'eof', at: 0, text: '', line: 0 }
  #variables = ['$']
  #actionLine = 0
  #rangeDepth = 0

  constructor(name: string, shared: Shared) {
    this.#name = name
    this.#shared = shared
  }

  parseFile(): void {
    const list: ListNode = { kind: 'list', at: this.#peek().at, nodes: [] }
    while (this.#peek().kind !== 'eof') {
      if (this.#peek().kind === 'leftDelim') {
        const delim = this.#next()
        const token = this.#nextNonSpace()
        if (token.kind === 'define') {
          new TreeParser('', this.#shared).parseDefinition()
          continue
        }
        this.#putBack(token)
        this.#putBack(delim)
      }
      const node = this.#textOrAction()
      if (node.kind === 'end' || node.kind === 'else') this.#fail(`unexpected {{${node.kind}}}`)
      list.nodes.push(node)
    }
    this.#add(list)
  }

  parseDefinition(): void {
    const context = 'define clause'
    const token = this.#nextNonSpace()
    if (token.kind !== 'string' && token.kind !== 'rawString') this.#unexpected(token, context)
    this.#name = this.#unquoted(token)
    this.#expect('rightDelim', context)
    const { list, end } = this.#itemList()
    if (end.kind !== 'end') this.#fail(`unexpected {{${end.kind}}} in ${context}`)
    this.#add(list)
  }

  #add(list: ListNode): void {
    const { trees } = this.#shared
    const present = trees.get(this.#name)
    if (present === undefined || isEmptyTree(present)) trees.set(this.#name, list)
    else if (!isEmptyTree(list)) this.#fail(`template: multiple definition of template ${quote(this.#name)}`)
  }

  #next(): Token {
    const pending = this.#pending.pop()
    if (pending !== undefined) return pending
    this.#current = this.#shared.lexer.next()
    return this.#current
  }

  #putBack(token: Token): void {
    this.#pending.push(token)
  }

  #peek(): Token {
    const token = this.#next()
    this.#putBack(token)
    return token
  }

  #nextNonSpace(): Token {
    let token = this.#next()
    while (token.kind === 'space') token = this.#next()
    return token
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace()
    this.#putBack(token)
    return token
  }

  #fail(message: string): never {
    throw new TemplateParseError(`template: ${this.#shared.parseName}:${this.#current.line}: ${message}`)
  }

  #expect(kind: TokenKind, context: string): Token {
    const token = this.#nextNonSpace()
    if (token.kind !== kind) this.#unexpected(token, context)
    return token
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') this.#fail(`unexpected ${describeToken(token)} in ${context}`)
    let where = ''
    if (this.#actionLine !== 0 && this.#actionLine !== token.line) {
      where = ` in action started at ${this.#shared.parseName}:${this.#actionLine}`
      if (token.text.endsWith(' action')) where = where.slice(' in action'.length)
    }
    this.#fail(token.text + where)
  }

  #unquoted(token: Token): string {
    return unquote(token.text) ?? this.#fail('invalid syntax')
  }

  #nested<T>(parse: () => T): T {
    if (this.#shared.depth >= maxDepth) this.#fail('max expression depth exceeded')
    this.#shared.depth += 1
    const parsed = parse()
    this.#shared.depth -= 1
    return parsed
  }

  #itemList(): ParsedList {
    const list: ListNode = { kind: 'list', at: this.#peekNonSpace().at, nodes: [] }
    while (this.#peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction()
      if (node.kind === 'end' || node.kind === 'else') return { list, end: node }
      list.nodes.push(node)
    }
    return this.#fail('unexpected EOF')
  }

  #textOrAction(): Node | ListEnd {
    const token = this.#nextNonSpace()
    switch (token.kind) {
      case 'text':
        return { kind: 'text', at: token.at, text: token.text }
      case 'leftDelim': {
        this.#actionLine = token.line
        const node = this.#action()
        this.#actionLine = 0
        return node
      }
      default:
        return this.#unexpected(token, 'input')
    }
  }

  #action(): Node | ListEnd {
    const token = this.#nextNonSpace()
    switch (token.kind) {
      case 'block':
        return this.#block()
      case 'break':
      case 'continue':
        return this.#loopControl(token.kind, token.at)
      case 'else':
        return this.#else()
      case 'end':
        return { kind: 'end', at: this.#expect('rightDelim', 'end').at }
      case 'if':
      case 'range':
      case 'with':
        return this.#branch(token.kind)
      case 'template':
        return this.#template()
      default:
        this.#putBack(token)
        return { kind: 'action', at: token.at, pipe: this.#pipeline('command', 'rightDelim') }
    }
  }

  #loopControl(kind: 'break' | 'continue', at: number): Node {
    const token = this.#nextNonSpace()
    if (token.kind !== 'rightDelim') this.#unexpected(token, `{{${kind}}}`)
    if (this.#rangeDepth === 0) this.#fail(`{{${kind}}} outside {{range}}`)
    return { kind, at }
  }

  #else(): ListEnd {
    const token = this.#peekNonSpace()
    if (token.kind === 'if' || token.kind === 'with') return { kind: 'else', at: token.at }
    return { kind: 'else', at: this.#expect('rightDelim', 'else').at }
  }

  #branch(kind: 'if' | 'range' | 'with'): Node {
    return this.#nested(() => {
      const variables = this.#variables.length
      const pipe = this.#pipeline(kind, 'rightDelim')
      if (kind === 'range') this.#rangeDepth += 1
      const { list, end } = this.#itemList()
      if (kind === 'range') this.#rangeDepth -= 1
      const elseList = end.kind === 'else' ? this.#elseList(kind, end) : undefined
      this.#variables.length = variables
      return { kind, at: pipe.at, pipe, list, elseList }
    })
  }

  #elseList(kind: 'if' | 'range' | 'with', end: ListEnd): ListNode {
    if (kind !== 'range' && this.#peek().kind === kind) {
      this.#next()
      return { kind: 'list', at: end.at, nodes: [this.#branch(kind)] }
    }
    const parsed = this.#itemList()
    if (parsed.end.kind !== 'end') this.#fail(`expected end; found {{${parsed.end.kind}}}`)
    return parsed.list
  }

  #block(): Node {
    const context = 'block clause'
    const token = this.#nextNonSpace()
    const name = this.#templateName(token, context)
    const pipe = this.#pipeline(context, 'rightDelim')
    const block = new TreeParser(name, this.#shared)
    this.#nested(() => {
      const { list, end } = block.#itemList()
      if (end.kind !== 'end') this.#fail(`unexpected {{${end.kind}}} in ${context}`)
      block.#add(list)
    })
    return { kind: 'template', at: token.at, name, pipe }
  }

  #template(): Node {
    const context = 'template clause'
    const token = this.#nextNonSpace()
    const name = this.#templateName(token, context)
    const next = this.#nextNonSpace()
    if (next.kind === 'rightDelim') return { kind: 'template', at: token.at, name, pipe: undefined }
    this.#putBack(next)
    return { kind: 'template', at: token.at, name, pipe: this.#pipeline(context, 'rightDelim') }
  }

  #templateName(token: Token, context: string): string {
    if (token.kind !== 'string' && token.kind !== 'rawString') this.#unexpected(token, context)
    return this.#unquoted(token)
  }

  #pipeline(context: string, end: TokenKind): PipeNode {
    const { at } = this.#peekNonSpace()
    const { declared, isAssign } = this.#declarations(context)
    const commands: CommandNode[] = []
    for (;;) {
      const token = this.#nextNonSpace()
      if (token.kind === end) break
      if (!operandKinds.has(token.kind)) this.#unexpected(token, context)
      this.#putBack(token)
      commands.push(this.#command())
    }
    if (commands.length === 0) this.#fail(`missing value for ${context}`)
    for (const [index, command] of commands.entries()) {
      if (index > 0 && notExecutable.has((command.args[0] as Operand).kind)) {
        this.#fail(`non executable command in pipeline stage ${index + 1}`)
      }
    }
    return { kind: 'pipe', at, isAssign, declared, commands }
  }

  #declarations(context: string): { declared: VariableNode[]; isAssign: boolean } {
    const declared: VariableNode[] = []
    for (;;) {
      const variable = this.#peekNonSpace()
      if (variable.kind !== 'variable') return { declared, isAssign: false }
      this.#next()
      const after = this.#peek()
      const next = this.#peekNonSpace()
      const declare = () => {
        this.#nextNonSpace()
        declared.push(variableNode(variable.at, variable.text))
        this.#variables.push(variable.text)
      }
      if (next.kind === 'assign' || next.kind === 'declare') {
        declare()
        return { declared, isAssign: next.kind === 'assign' }
      }
      if (next.kind !== 'char' || next.text !== ',') {
        if (after.kind === 'space') this.#putBack(after)
        this.#putBack(variable)
        return { declared, isAssign: false }
      }
      declare()
      if (context !== 'range' || declared.length >= 2) this.#fail(`too many declarations in ${context}`)
      if (!['variable', 'rightDelim', 'rightParen'].includes(this.#peekNonSpace().kind)) {
        this.#fail('range can only initialize variables')
      }
    }
  }

  #command(): CommandNode {
    const { at } = this.#peekNonSpace()
    const args: Operand[] = []
    for (;;) {
      this.#peekNonSpace()
      const operand = this.#operand()
      if (operand !== undefined) args.push(operand)
      const token = this.#next()
      if (token.kind === 'space') continue
      if (token.kind === 'rightDelim' || token.kind === 'rightParen') this.#putBack(token)
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand')
      break
    }
    if (args.length === 0) this.#fail('empty command')
    return { kind: 'command', at, args }
  }

  #operand(): Operand | undefined {
    const node = this.#term()
    if (node === undefined) return undefined
    const { kind, at } = this.#peek()
    if (kind !== 'field') return node
    const names: string[] = []
    while (this.#peek().kind === 'field') names.push(this.#next().text.slice(1))
    switch (node.kind) {
      case 'field':
      case 'variable':
        return { ...node, at, names: [...node.names, ...names] }
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#fail(`unexpected . after term ${quote(nodeText(node))}`)
      default:
        return { kind: 'chain', at, node, names }
    }
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace()
    const { at, text } = token
    switch (token.kind) {
      case 'identifier':
        if (!this.#shared.hasFunction(text)) this.#fail(`function ${quote(text)} not defined`)
        return { kind: 'identifier', at, name: text }
      case 'dot':
      case 'nil':
        return { kind: token.kind, at }
      case 'variable':
        return this.#variable(token)
      case 'field':
        return { kind: 'field', at, names: [text.slice(1)] }
      case 'bool':
        return { kind: 'bool', at, value: text === 'true' }
      case 'charConstant':
      case 'complex':
      case 'number':
        try {
          return parseNumberLiteral(text, token.kind, at)
        } catch (error) {
          return this.#fail((error as Error).message)
        }
      case 'leftParen':
        return this.#nested(() => this.#pipeline('parenthesized pipeline', 'rightParen'))
      case 'string':
      case 'rawString':
        return { kind: 'string', at, quoted: text, text: this.#unquoted(token) }
      default:
        this.#putBack(token)
        return undefined
    }
  }

  #variable({ at, text }: Token): Operand {
    if (!this.#variables.includes(text)) this.#fail(`undefined variable ${quote(text)}`)
    return variableNode(at, text)
  }
}

const variableNode = (at: number, text: string): VariableNode => ({ kind: 'variable', at, names: [text] })
