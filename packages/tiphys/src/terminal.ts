/** Where a command prints to. */
export interface Terminal {
  /** Data and answers. */
  readonly out: Output
  /** Everything meant for a person beside the data. */
  readonly err: Output
  /** Keeps a line below everything that is printed. Does nothing where nobody looks, or where the cursor cannot be moved. */
  pin(draw: DrawLine): PinnedLine
}

export interface Output {
  print(line: string): void
  /** Somebody is looking. */
  readonly isInteractive: boolean
  /** Only where somebody is looking, and never with NO_COLOR. */
  readonly hasColours: boolean
}

/** Makes a line that is at most so many columns wide. */
export type DrawLine = (width: number) => string

export interface PinnedLine {
  /** Draws it anew, because what it says has changed. */
  renew(): void
  /** Takes it away and leaves no trace. */
  remove(): void
}

interface Stream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

export function createTerminal(
  { stdout, stderr }: { stdout: Stream; stderr: Stream },
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const canStyle = env.TERM !== 'dumb'
  const wantsColours = (env.NO_COLOR ?? '') === '' && canStyle
  const bottom = new Bottom(stdout)
  const output = (stream: Stream): Output => {
    const isInteractive = stream.isTTY === true
    return {
      print: line => bottom.printAbove(stream, `${line}\n`),
      isInteractive,
      hasColours: isInteractive && wantsColours,
    }
  }
  return {
    out: output(stdout),
    err: output(stderr),
    pin: draw => (stdout.isTTY === true && canStyle ? bottom.pin(draw) : UNSEEN),
  }
}

const UNSEEN: PinnedLine = { renew() {}, remove() {} }
const USUAL_COLUMNS = 80
const CLEAR_LINE = '\r\x1b[2K'
const STYLE = /\x1b\[[\d;]*m/g

/** The last line of the screen. It is never followed by a line break, so that it does not become part of what scrolls. */
class Bottom {
  readonly #stream: Stream
  #draw: DrawLine | undefined
  /** What is there now. */
  #shown = ''

  constructor(stream: Stream) {
    this.#stream = stream
  }

  pin(draw: DrawLine): PinnedLine {
    this.#draw = draw
    const resized = () => this.#redrawResized()
    this.#stream.on?.('resize', resized)
    this.#renew()
    return {
      renew: () => this.#renew(),
      remove: () => {
        if (this.#draw !== draw) return
        this.#draw = undefined
        this.#stream.off?.('resize', resized)
        this.#renew()
      },
    }
  }

  /** What does not go to a screen leaves the line as it is. */
  printAbove(stream: Stream, text: string): void {
    if (this.#shown === '' || stream.isTTY !== true) return void stream.write(text)
    if (stream === this.#stream) return void stream.write(`${CLEAR_LINE}${text}${this.#drawn()}`)
    stream.write(`${CLEAR_LINE}${text}`)
    this.#stream.write(this.#drawn())
  }

  #renew(): void {
    const before = this.#shown
    const line = this.#drawn()
    if (line !== before) this.#stream.write(`${before === '' ? '' : CLEAR_LINE}${line}`)
  }

  /** A screen that became narrower has broken the line into several: all of them are the line. */
  #redrawResized(): void {
    const above = Math.ceil(widthOf(this.#shown) / this.#columns()) - 1
    this.#stream.write(`\r${above > 0 ? `\x1b[${above}A` : ''}\x1b[J${this.#drawn()}`)
  }

  #drawn(): string {
    // The last column stays empty: some terminals go to the next line when it is written.
    const width = Math.max(1, this.#columns() - 1)
    const line = this.#draw?.(width) ?? ''
    this.#shown = widthOf(line) <= width ? line : line.replaceAll(STYLE, '').slice(0, width)
    return this.#shown
  }

  #columns(): number {
    return this.#stream.columns || USUAL_COLUMNS
  }
}

/** How many columns a text takes; what Tiphys pins has no wide characters. */
export const widthOf = (text: string): number => text.replaceAll(STYLE, '').length

export const bold = (output: Output, text: string): string => styled(output, text, 1, 22)
export const dim = (output: Output, text: string): string => styled(output, text, 2, 22)
export const red = (output: Output, text: string): string => styled(output, text, 31, 39)
export const green = (output: Output, text: string): string => styled(output, text, 32, 39)
export const yellow = (output: Output, text: string): string => styled(output, text, 33, 39)
export const cyan = (output: Output, text: string): string => styled(output, text, 36, 39)

const styled = ({ hasColours }: Output, text: string, on: number, off: number) =>
  hasColours ? `\x1b[${on}m${text}\x1b[${off}m` : text
