import { Lexer, type Token } from './lexer.ts'
import type { Captured, Expression, Field, FunctionBody, Local, Reference, Statement } from './syntax-tree.ts'
import { LuaLimitError, LuaSyntaxError, parseNumber } from './value.ts'

/** How tight an operator binds on its left and on its right: they differ where it associates to the right. */
const binding: ReadonlyMap<string, readonly [left: number, right: number]> = new Map<string, [number, number]>([
  ['or', [1, 1]],
  ['and', [2, 2]],
  ...['<', '>', '<=', '>=', '~=', '=='].map((operator): [string, [number, number]] => [operator, [3, 3]]),
  ['..', [5, 4]],
  ['+', [6, 6]],
  ['-', [6, 6]],
  ['*', [7, 7]],
  ['/', [7, 7]],
  ['%', [7, 7]],
  ['^', [10, 9]],
])
const unaryBinding = 8
const maxNesting = 200

/** The names of one function, block by block. */
class FunctionScope {
  readonly parent: FunctionScope | undefined
  readonly isVariadic: boolean
  readonly captured: Captured[] = []
  readonly #capturedNames = new Map<Local, number>()
  #blocks: Map<string, Local>[] = [new Map()]
  slots = 0
  loops = 0
  /** The jumps of every open block whose label has not been found in it. */
  readonly jumps: { label: string; line: number }[] = []

  constructor(parent: FunctionScope | undefined, isVariadic: boolean) {
    this.parent = parent
    this.isVariadic = isVariadic
  }

  open(): void {
    this.#blocks.push(new Map())
  }

  close(): void {
    this.#blocks.pop()
  }

  declare(name: string): Local {
    const local: Local = { slot: this.slots++, isCaptured: false }
    this.#blocks.at(-1)?.set(name, local)
    return local
  }

  find(name: string): Local | undefined {
    for (let at = this.#blocks.length - 1; at >= 0; at--) {
      const local = this.#blocks[at]?.get(name)
      if (local !== undefined) return local
    }
    return undefined
  }

  /** The number of the captured variable, captured now if it was not before. */
  capture(name: string): number | undefined {
    const outer = this.parent
    if (outer === undefined) return undefined
    const local = outer.find(name)
    if (local !== undefined) {
      local.isCaptured = true
      const known = this.#capturedNames.get(local)
      if (known !== undefined) return known
      this.#capturedNames.set(local, this.captured.length)
      return this.captured.push({ from: local }) - 1
    }
    const index = outer.capture(name)
    if (index === undefined) return undefined
    const known = this.captured.findIndex(({ from }) => from === index)
    return known >= 0 ? known : this.captured.push({ from: index }) - 1
  }
}

/** Throws LuaSyntaxError. */
export function parse(source: string, name: string): FunctionBody {
  return new Parser(source, name).chunk()
}

class Parser {
  readonly #lexer: Lexer
  readonly #name: string
  #token: Token
  #scope = new FunctionScope(undefined, true)
  #nesting = 0

  constructor(source: string, name: string) {
    this.#lexer = new Lexer(source, name)
    this.#name = name
    this.#token = this.#lexer.next()
  }

  chunk(): FunctionBody {
    const block = this.#block()
    if (this.#token.type !== 'end') throw this.#unexpected()
    this.#checkJumps()
    const { captured, slots } = this.#scope
    return { params: [], isVariadic: true, block, captured, slots }
  }

  /** Statements up to the word that ends the block. */
  #block(): Statement[] {
    const { jumps } = this.#scope
    const outer = jumps.splice(0)
    const block = this.#statements()
    const labels = new Set(block.map(statement => (statement.kind === 'label' ? statement.label : undefined)))
    const missing = jumps.splice(0).filter(({ label }) => !labels.has(label))
    jumps.push(...outer, ...missing)
    return block
  }

  #checkJumps(): void {
    const [jump] = this.#scope.jumps
    if (jump === undefined) return
    const { label, line } = jump
    throw new LuaSyntaxError(
      `compile error near line(${line + 1}) ${this.#name}: no visible label '${label}' for <goto> at line ${line}`,
    )
  }

  #statements(): Statement[] {
    return this.#nested(() => {
      const block: Statement[] = []
      for (;;) {
        if (this.#takeIf(';')) continue
        if (this.#isBlockEnd()) return block
        const statement = this.#statement()
        block.push(statement)
        if (statement.kind === 'goto') this.#scope.jumps.push({ label: statement.label, line: statement.line })
        if (statement.kind !== 'return' && statement.kind !== 'break') continue
        this.#takeIf(';')
        if (!this.#isBlockEnd()) throw this.#unexpected()
        return block
      }
    })
  }

  #scoped(): Statement[] {
    this.#scope.open()
    const block = this.#block()
    this.#scope.close()
    return block
  }

  #loopBody(prepare?: () => void): Statement[] {
    this.#scope.open()
    prepare?.()
    this.#scope.loops++
    const block = this.#block()
    this.#scope.loops--
    this.#scope.close()
    return block
  }

  #isBlockEnd(): boolean {
    const { type, text } = this.#token
    return type === 'end' || (type === 'keyword' && ['end', 'else', 'elseif', 'until'].includes(text))
  }

  #statement(): Statement {
    const { line, type, text } = this.#token
    if (type !== 'keyword') {
      if (type === 'symbol' && text === '::') {
        this.#take()
        const label = this.#expectName()
        this.#expect('::')
        return { kind: 'label', label, line }
      }
      return this.#expressionStatement(line)
    }
    switch (text) {
      case 'if':
        return this.#if(line)
      case 'while': {
        this.#take()
        const condition = this.#expression()
        this.#expect('do')
        const block = this.#loopBody()
        this.#expect('end')
        return { kind: 'while', condition, block, line }
      }
      case 'do': {
        this.#take()
        const block = this.#scoped()
        this.#expect('end')
        return { kind: 'do', block, line }
      }
      case 'for':
        return this.#for(line)
      case 'repeat':
        return this.#repeat(line)
      case 'function':
        return this.#functionStatement(line)
      case 'local':
        return this.#local(line)
      case 'return': {
        this.#take()
        const isEmpty = this.#isBlockEnd() || this.#is(';')
        return { kind: 'return', values: isEmpty ? [] : this.#expressions(), line }
      }
      case 'break':
        this.#take()
        if (this.#scope.loops === 0)
          throw new LuaSyntaxError(`compile error near line(${line}) ${this.#name}: no loop to break`)
        return { kind: 'break', line }
      case 'goto':
        this.#take()
        return { kind: 'goto', label: this.#expectName(), line }
      default:
        throw this.#unexpected()
    }
  }

  #if(line: number): Statement {
    const branches: { condition: Expression; block: Statement[] }[] = []
    do {
      this.#take()
      const condition = this.#expression()
      this.#expect('then')
      branches.push({ condition, block: this.#scoped() })
    } while (this.#is('elseif'))
    const otherwise = this.#takeIf('else') ? this.#scoped() : []
    this.#expect('end')
    return { kind: 'if', branches, otherwise, line }
  }

  #for(line: number): Statement {
    this.#take()
    const first = this.#expectName()
    if (this.#takeIf('=')) {
      const from = this.#expression()
      this.#expect(',')
      const to = this.#expression()
      const step = this.#takeIf(',') ? this.#expression() : undefined
      this.#expect('do')
      let local: Local | undefined
      const block = this.#loopBody(() => {
        local = this.#scope.declare(first)
      })
      this.#expect('end')
      return { kind: 'for', local: local as Local, from, to, ...(step === undefined ? {} : { step }), block, line }
    }
    const names = [first]
    while (this.#takeIf(',')) names.push(this.#expectName())
    this.#expect('in')
    const values = this.#expressions()
    this.#expect('do')
    let locals: Local[] = []
    const block = this.#loopBody(() => {
      locals = names.map(name => this.#scope.declare(name))
    })
    this.#expect('end')
    return { kind: 'for in', locals, values, block, line }
  }

  #repeat(line: number): Statement {
    this.#take()
    this.#scope.open()
    this.#scope.loops++
    const block = this.#block()
    this.#scope.loops--
    this.#expect('until')
    // The condition sees the locals of the block.
    const condition = this.#expression()
    this.#scope.close()
    return { kind: 'repeat', block, condition, line }
  }

  #functionStatement(line: number): Statement {
    this.#take()
    const { line: nameLine } = this.#token
    let target: Expression = { kind: 'name', reference: this.#resolve(this.#expectName()), line: nameLine }
    let isMethod = false
    while (!isMethod && (this.#is('.') || this.#is(':'))) {
      isMethod = this.#take().text === ':'
      const key: Expression = { kind: 'constant', value: this.#expectName(), line: nameLine }
      target = { kind: 'index', object: target, key, line: nameLine }
    }
    return { kind: 'assign', targets: [target], values: [this.#functionBody(line, isMethod)], line }
  }

  #local(line: number): Statement {
    this.#take()
    if (this.#takeIf('function')) {
      const local = this.#scope.declare(this.#expectName())
      return { kind: 'local function', local, body: this.#functionBody(line, false), line }
    }
    const names = [this.#expectName()]
    while (this.#takeIf(',')) names.push(this.#expectName())
    const values = this.#takeIf('=') ? this.#expressions() : []
    return { kind: 'local', locals: names.map(name => this.#scope.declare(name)), values, line }
  }

  #expressionStatement(line: number): Statement {
    const first = this.#suffixed()
    if (!this.#is('=') && !this.#is(',')) {
      if (first.kind === 'call' || first.kind === 'method') return { kind: 'call', call: first, line }
      throw first.kind === 'name' || first.kind === 'index' || first.kind === 'single'
        ? this.#isBlockEnd() || this.#token.type === 'name'
          ? this.#lexer.error(this.#token.text, 'parse error')
          : this.#unexpected()
        : this.#unexpected()
    }
    const targets = [first]
    while (this.#takeIf(',')) targets.push(this.#suffixed())
    if (targets.some(({ kind }) => kind !== 'name' && kind !== 'index')) throw this.#unexpected()
    this.#expect('=')
    return { kind: 'assign', targets, values: this.#expressions(), line }
  }

  #expressions(): Expression[] {
    const list = [this.#expression()]
    while (this.#takeIf(',')) list.push(this.#expression())
    return list
  }

  #expression(least = 0): Expression {
    return this.#nested(() => {
      let left = this.#unary()
      for (;;) {
        const { type, text } = this.#token
        const power = type === 'symbol' || type === 'keyword' ? binding.get(text) : undefined
        if (power === undefined || power[0] <= least) return left
        this.#take()
        const right = this.#expression(power[1])
        left = { kind: 'binary', operator: text, left, right, line: left.line }
      }
    })
  }

  #unary(): Expression {
    const { type, text } = this.#token
    const isUnary = (type === 'symbol' && (text === '-' || text === '#')) || (type === 'keyword' && text === 'not')
    if (!isUnary) return this.#simple()
    this.#take()
    const operand = this.#expression(unaryBinding)
    return { kind: 'unary', operator: text, operand, line: operand.line }
  }

  #simple(): Expression {
    const { type, text, line } = this.#token
    if (type === 'number') {
      this.#take()
      return { kind: 'constant', value: parseNumber(text) ?? Number.NaN, line }
    }
    if (type === 'string') {
      this.#take()
      return { kind: 'constant', value: text, line }
    }
    if (type === 'keyword' && (text === 'nil' || text === 'true' || text === 'false')) {
      this.#take()
      return { kind: 'constant', value: text === 'nil' ? undefined : text === 'true', line }
    }
    if (this.#takeIf('...')) {
      if (!this.#scope.isVariadic)
        throw new LuaSyntaxError(
          `compile error near line(${line}) ${this.#name}: cannot use '...' outside a vararg function`,
        )
      return { kind: 'varargs', line }
    }
    if (this.#is('{')) return this.#table()
    if (this.#takeIf('function')) return this.#functionBody(line, false)
    return this.#suffixed()
  }

  #suffixed(): Expression {
    let expression = this.#primary()
    for (;;) {
      const { line } = expression
      if (this.#takeIf('.')) {
        const key: Expression = { kind: 'constant', value: this.#expectName(), line }
        expression = { kind: 'index', object: expression, key, line }
      } else if (this.#takeIf('[')) {
        const key = this.#expression()
        this.#expect(']')
        expression = { kind: 'index', object: expression, key, line }
      } else if (this.#takeIf(':')) {
        const name = this.#expectName()
        if (!this.#startsArguments()) throw this.#unexpected()
        expression = { kind: 'method', object: expression, name, args: this.#arguments(), line }
      } else if (this.#startsArguments())
        expression = { kind: 'call', callee: expression, args: this.#arguments(), name: nameOf(expression), line }
      else return expression
    }
  }

  #primary(): Expression {
    const { type, text, line } = this.#token
    if (type === 'name') {
      this.#take()
      const reference = this.#resolve(text)
      return { kind: 'name', reference, line }
    }
    if (!this.#takeIf('(')) throw this.#unexpected()
    const inner = this.#expression()
    this.#expect(')')
    return { kind: 'single', inner, line }
  }

  #startsArguments(): boolean {
    return this.#is('(') || this.#is('{') || this.#token.type === 'string'
  }

  #arguments(): Expression[] {
    const { type, text, line } = this.#token
    if (type === 'string') {
      this.#take()
      return [{ kind: 'constant', value: text, line }]
    }
    if (this.#is('{')) return [this.#table()]
    this.#expect('(')
    if (this.#takeIf(')')) return []
    const args = this.#expressions()
    this.#expect(')')
    return args
  }

  #table(): Expression {
    const { line } = this.#token
    this.#expect('{')
    const fields: Field[] = []
    while (!this.#takeIf('}')) {
      fields.push(this.#field())
      if (!this.#takeIf(',') && !this.#takeIf(';') && !this.#is('}')) throw this.#unexpected()
    }
    return { kind: 'table', fields, line }
  }

  #field(): Field {
    const { line } = this.#token
    if (this.#takeIf('[')) {
      const key = this.#expression()
      this.#expect(']')
      this.#expect('=')
      return { key, value: this.#expression() }
    }
    const value = this.#expression()
    // A name before `=` was read as an expression, and is a key.
    if (value.kind !== 'name' || !this.#is('=')) return { value }
    this.#take()
    return { key: { kind: 'constant', value: this.#lastName, line }, value: this.#expression() }
  }

  #functionBody(line: number, isMethod: boolean): Expression {
    this.#expect('(')
    const names: string[] = isMethod ? ['self'] : []
    let isVariadic = false
    if (!this.#is(')'))
      do {
        isVariadic = this.#takeIf('...')
        if (!isVariadic) names.push(this.#expectName())
      } while (!isVariadic && this.#takeIf(','))
    this.#expect(')')
    const scope = new FunctionScope(this.#scope, isVariadic)
    this.#scope = scope
    const params = names.map(name => scope.declare(name))
    const block = this.#block()
    this.#expect('end')
    this.#checkJumps()
    this.#scope = scope.parent as FunctionScope
    return { kind: 'function', body: { params, isVariadic, block, captured: scope.captured, slots: scope.slots }, line }
  }

  #lastName = ''

  #resolve(name: string): Reference {
    this.#lastName = name
    const local = this.#scope.find(name)
    if (local !== undefined) return { kind: 'local', local }
    const index = this.#scope.capture(name)
    return index === undefined ? { kind: 'global', name } : { kind: 'upvalue', index }
  }

  #nested<Result>(read: () => Result): Result {
    if (++this.#nesting > maxNesting)
      throw new LuaLimitError(`the script is nested more than ${maxNesting} levels deep`)
    const result = read()
    this.#nesting--
    return result
  }

  #take(): Token {
    const token = this.#token
    this.#token = this.#lexer.next()
    return token
  }

  #is(text: string): boolean {
    const { type } = this.#token
    return (type === 'symbol' || type === 'keyword') && this.#token.text === text
  }

  #takeIf(text: string): boolean {
    if (!this.#is(text)) return false
    this.#take()
    return true
  }

  #expect(text: string): void {
    if (!this.#takeIf(text)) throw this.#unexpected()
  }

  #expectName(): string {
    if (this.#token.type !== 'name') throw this.#unexpected()
    return this.#take().text
  }

  #unexpected(): LuaSyntaxError {
    return this.#lexer.error(this.#token.text, 'syntax error')
  }
}

function nameOf(callee: Expression): string {
  if (callee.kind === 'index') return callee.key.kind === 'constant' ? String(callee.key.value) : '?'
  if (callee.kind !== 'name') return '?'
  return callee.reference.kind === 'global' ? callee.reference.name : '?'
}
