import type { ExprDialect } from './dialect.ts'

/** Where a node or token begins, in code points; a node that the compiler made up has no place. */
export type Position = number | undefined

/** The expression is wrong: it does not parse, its types do not fit, or it failed while it ran. The message is upstream's,
 *  with line, column and the line of source that is meant. */
export class ExprError extends Error {
  readonly phase: 'compile' | 'run'
  /** What is wrong, without the place. */
  readonly problem: string

  constructor(phase: 'compile' | 'run', problem: string, message: string) {
    super(message)
    this.name = 'ExprError'
    this.phase = phase
    this.problem = problem
  }
}

/** What went wrong, before the place in the source is known. */
export class Fault extends Error {
  readonly position: Position

  constructor(message: string, position?: Position) {
    super(message)
    this.position = position
  }
}

export class Source {
  readonly text: string
  readonly characters: readonly string[]
  readonly #dialect: ExprDialect

  constructor(text: string, dialect: ExprDialect) {
    this.text = text
    this.characters = Array.from(text)
    this.#dialect = dialect
  }

  /** The message with its place, as this version of the language writes it. */
  explain(problem: string, position: Position): string {
    return this.#dialect === '1.15' ? this.#explainOld(problem, position) : this.#explainNew(problem, position ?? 0)
  }

  #explainNew(problem: string, position: number): string {
    const { line, column, text } = this.#lineAt(position)
    if (text === '') return problem
    return `${problem} (${line}:${column + 1})\n | ${text.replaceAll('\t', ' ')}\n | ${'.'.repeat(column)}^`
  }

  #explainOld(problem: string, position: Position): string {
    if (position === undefined) return problem
    const { line, column, text } = this.#lineAt(position)
    const place = `${problem} (${line}:${column + 1})`
    if (this.text === '') return place
    const shown = text.replaceAll('\t', ' ')
    const upToMark = Array.from(shown).slice(0, column + 1)
    // Upstream draws no mark where a character is longer than a byte.
    if (upToMark.some(character => (character.codePointAt(0) as number) >= 0x80)) return `${place}\n | ${shown}`
    const dots = Math.min(column, Array.from(shown).length)
    return `${place}\n | ${shown}\n | ${'.'.repeat(dots)}^`
  }

  #lineAt(position: number): { line: number; column: number; text: string } {
    let line = 1
    let start = 0
    const end = Math.min(position, this.characters.length)
    for (let index = 0; index < end; index++) {
      if (this.characters[index] !== '\n') continue
      line++
      start = index + 1
    }
    const newline = this.characters.indexOf('\n', start)
    const text = this.characters.slice(start, newline === -1 ? undefined : newline).join('')
    return { line, column: end - start, text }
  }
}
