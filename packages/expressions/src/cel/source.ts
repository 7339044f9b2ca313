/** Where something is wrong in an expression. Lines count from 1, columns from 0, both in code points. */
export interface CelIssue {
  line: number
  column: number
  message: string
}

/** The expression does not compile. The message is the report that cel-go prints: every issue with its source line. */
export class CelCompileError extends Error {
  readonly issues: readonly CelIssue[]

  constructor(source: Source, issues: readonly CelIssue[]) {
    const sorted = [...issues].sort((a, b) => a.line - b.line || a.column - b.column)
    const shown = sorted.slice(0, maxReported).map(issue => source.format(issue))
    if (sorted.length > maxReported) shown.push(`${sorted.length - maxReported} more errors were truncated`)
    super(shown.join('\n'))
    this.name = 'CelCompileError'
    this.issues = sorted
  }
}

const maxReported = 100
const maxSnippetBytes = 16384

/** The expression compiles, but a constant in it cannot be computed: `int('x')`. */
export class CelProgramError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CelProgramError'
  }
}

/** An expression as code points, with its line starts. */
export class Source {
  readonly codePoints: readonly string[]
  readonly #lineStarts: number[] = [0]

  constructor(text: string) {
    this.codePoints = Array.from(text)
    this.codePoints.forEach((character, index) => {
      if (character === '\n') this.#lineStarts.push(index + 1)
    })
  }

  slice(start: number, end: number): string {
    return this.codePoints.slice(start, end).join('')
  }

  location(offset: number): { line: number; column: number } {
    let line = this.#lineStarts.length
    while (line > 1 && (this.#lineStarts[line - 1] as number) > offset) line--
    return { line, column: offset - (this.#lineStarts[line - 1] as number) }
  }

  issue(offset: number | undefined, message: string): CelIssue {
    if (offset === undefined) return { line: -1, column: -1, message }
    if (this.codePoints.length === 0) return { line: 1, column: -1, message }
    return { ...this.location(offset), message }
  }

  #line(line: number): string | undefined {
    const start = this.#lineStarts[line - 1]
    if (start === undefined) return undefined
    const next = this.#lineStarts[line]
    return this.slice(start, next === undefined ? this.codePoints.length : next - 1)
  }

  format({ line, column, message }: CelIssue): string {
    const heading = `ERROR: <input>:${line}:${column + 1}: ${message}`
    const text = this.#line(line)
    if (text === undefined || column < 0 || Buffer.byteLength(text) > maxSnippetBytes) return heading
    const snippet = text.replaceAll('\t', ' ')
    const characters = Array.from(snippet)
    const dots = characters.slice(0, column).map(character => (isWide(character) ? '\uff0e' : '.'))
    const pointer = isWide(characters[column]) ? '\uff3e' : '^'
    return `${heading}\n | ${snippet}\n | ${dots.join('')}${pointer}`
  }
}

function isWide(character: string | undefined): boolean {
  return character !== undefined && (character.codePointAt(0) as number) > 0x7f
}
