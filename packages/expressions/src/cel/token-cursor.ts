import { type Token, tokenize } from './lexer.ts'
import type { CelIssue, Source } from './source.ts'
import {
  AlreadyReported,
  badSelector,
  type CelSyntaxError,
  continuesExpression,
  expectedAfter,
  expectedExpression,
  expectedOperand,
  noAlternative,
  type SyntaxProblem,
  startsExpression,
} from './syntax-error.ts'

/** Walks over the tokens of an expression, and reports and repairs what is wrong with them the way ANTLR does. */
export class TokenCursor {
  readonly issues: CelIssue[] = []
  readonly #source: Source
  readonly #tokens: readonly Token[]
  /** For every open bracket, the operators that may come inside it after an expression. */
  readonly #open: string[] = []
  #position = 0

  constructor(source: Source) {
    this.#source = source
    const { tokens, errors } = tokenize(source)
    this.#tokens = tokens
    for (const { offset, message } of errors) this.report(offset, `Syntax error: ${message}`)
  }

  get token(): Token {
    return this.#tokens[this.#position] as Token
  }

  ahead(count: number): Token {
    return this.#tokens[Math.min(this.#position + count, this.#tokens.length - 1)] as Token
  }

  take(): Token {
    const token = this.token
    if (token.kind !== 'end') this.#position++
    return token
  }

  isOperator(text: string, token = this.token): boolean {
    return token.kind === 'operator' && token.text === text
  }

  report(offset: number | undefined, message: string): void {
    this.issues.push(this.#source.issue(offset, message))
  }

  /** Enters a bracket. `closers` are the operators that may come after an expression inside it. */
  open(closers: string): void {
    this.#open.push(closers)
  }

  expectEnd(): void {
    if (this.token.kind !== 'end') this.recover(expectedAfter(this.token, this.ahead(1), ['<EOF>'], false))
  }

  /** Takes the wanted operator. Reports when it is not there, and goes on where that makes sense. */
  expect(text: string, alternatives: readonly string[] = []): Token {
    if (this.isOperator(text)) return this.take()
    const token = this.token
    const canFollow = text === ':' ? startsExpression(token) : this.#followsPart(token)
    this.recover(expectedAfter(token, this.ahead(1), [`'${text}'`, ...alternatives], canFollow))
    return this.isOperator(text) ? this.take() : token
  }

  /** Takes what closes a bracket. */
  close(text: string, alternatives: readonly string[] = []): void {
    this.#open.pop()
    this.expect(text, alternatives)
  }

  /** Whether a token could come right after the part that is being closed. */
  #followsPart(token: Token): boolean {
    if (continuesExpression(token) || this.isOperator('.', token) || this.isOperator('[', token)) return true
    const closers = this.#open.at(-1)
    if (token.kind === 'end') return closers === undefined
    return token.kind === 'operator' && (closers ?? '').includes(token.text)
  }

  recover({ error, recovery }: SyntaxProblem): void {
    if (recovery === 'none') throw error
    this.report(error.offset, `Syntax error: ${error.message}`)
    if (recovery === 'skip') this.take()
  }

  /** After `!` or `-` comes what they apply to; each of them may be repeated, but not mixed. */
  checkOperand(operator: Token): void {
    const token = this.token
    const last = this.#tokens[this.#position - 1] as Token
    if (operator.text === '!') {
      if (!startsExpression(token)) throw expectedOperand(token).error
      const next = this.ahead(1)
      const isNumber = next.kind === 'int' || next.kind === 'float'
      if (this.isOperator('-') && !isNumber) throw badSelector(token, next)
      return
    }
    if (startsExpression(token) && !this.isOperator('!')) return
    const error = noAlternative(last, token)
    if (token.kind === 'end') this.report(error.offset, `Syntax error: ${error.message}`)
    throw token.kind === 'end' ? expectedExpression(token, undefined).error : error
  }

  badSelector(dot: Token, found: Token): CelSyntaxError {
    const error = badSelector(dot, found)
    if (!continuesExpression(found) || !error.message.startsWith('no viable')) return error
    // ANTLR takes the operator as one, and misses what should follow it.
    this.report(error.offset, `Syntax error: ${error.message}`)
    this.take()
    return expectedExpression(this.token, undefined).error
  }

  badOptionalSelector(found: Token): AlreadyReported {
    const message = `mismatched input '${found.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`
    this.report(found.offset, `Syntax error: ${message}`)
    this.report(found.offset, 'unsupported ident kind')
    return new AlreadyReported()
  }

  /** Reports a token that starts no expression; `others` are what else may stand here. */
  checkStart(others: readonly string[]): void {
    if (startsExpression(this.token)) return
    this.recover(expectedExpression(this.token, this.ahead(1), others))
  }
}
