/** What somebody sees who looks at a terminal: lines that scroll, and the last one, where the cursor is. Knows what Tiphys
 *  asks of a terminal and nothing more. Only for tests. */
export class Screen {
  isTTY = true
  columns: number
  rows = 10
  readonly lines = ['']
  readonly #listeners: (() => void)[] = []

  constructor(columns = 40) {
    this.columns = columns
  }

  write(text: string): void {
    for (const [piece] of text.matchAll(/\r|\n|\x1b\[2K|\x1b\[J|\x1b\[(\d+)A|\x1b\[[\d;]*m|[^\r\n\x1b]+/g)) {
      const last = this.lines.length - 1
      if (piece === '\n') this.lines.push('')
      else if (piece === '\x1b[2K' || piece === '\x1b[J') this.lines[last] = ''
      else if (piece.startsWith('\x1b') && piece.endsWith('A')) this.lines.length -= Number.parseInt(piece.slice(2), 10)
      else if (!piece.startsWith('\x1b') && piece !== '\r') this.lines[last] += piece
    }
  }

  on(_: 'resize', listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Breaks lines in pieces, as terminals do. */
  resize(columns: number): void {
    this.columns = columns
    for (const line of this.lines.splice(0))
      for (let at = 0; at < Math.max(1, line.length); at += columns) this.lines.push(line.slice(at, at + columns))
    for (const listener of this.#listeners) listener()
  }
}
