/** Where a command prints to. */
export interface Terminal {
  /** Data and answers. */
  readonly out: Output
  /** Everything meant for a person beside the data. */
  readonly err: Output
  /** Keeps lines below everything that is printed. Does nothing where nobody looks, or where the cursor cannot be moved. */
  pin(draw: DrawLines): PinnedLines
  /** Lines can be kept there. */
  readonly canPin: boolean
}

export interface Output {
  /** Messages and names come from anywhere: where somebody looks, what a terminal would obey, but for styles, is shown as a dot. */
  print(line: string): void
  /** Somebody is looking. */
  readonly isInteractive: boolean
  /** Only where somebody is looking, and never with NO_COLOR. */
  readonly hasColours: boolean
  /** How wide a line may be that is not broken; undefined where nobody looks. */
  readonly columns: number | undefined
}

/** Makes lines that fit into so many columns and rows. */
export type DrawLines = (width: number, height: number) => readonly string[]

export interface PinnedLines {
  /** Draws them anew, because what they say has changed. */
  renew(): void
  /** Takes them away and leaves no trace. */
  remove(): void
}

interface Stream {
  isTTY?: boolean
  columns?: number
  rows?: number
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
      print: line => bottom.printAbove(stream, `${isInteractive ? harmless(line) : line}\n`),
      isInteractive,
      hasColours: isInteractive && wantsColours,
      get columns() {
        return isInteractive ? stream.columns || USUAL_COLUMNS : undefined
      },
    }
  }
  const canPin = stdout.isTTY === true && canStyle
  return {
    out: output(stdout),
    err: output(stderr),
    canPin,
    pin: draw => (canPin ? bottom.pin(draw) : UNSEEN),
  }
}

const UNSEEN: PinnedLines = { renew() {}, remove() {} }
const USUAL_COLUMNS = 80
const USUAL_ROWS = 24
const CLEAR_LINE = '\x1b[2K'
const CLEAR_BELOW = '\x1b[J'
const STYLE = /(\x1b\[[\d;]*m)/
const STYLES = new RegExp(STYLE, 'g')
/** Styles, and what moves the cursor, is no character, or turns the direction of others. */
const OBEYED = /\x1b\[[\d;]*m|[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

const harmless = (text: string): string => text.replaceAll(OBEYED, found => (found.endsWith('m') ? found : '·'))

/** The last lines of the screen. They are never followed by a line break, so that they do not become part of what scrolls. */
class Bottom {
  readonly #stream: Stream
  #draw: DrawLines | undefined
  /** What is there now. */
  #shown: readonly string[] = []

  constructor(stream: Stream) {
    this.#stream = stream
  }

  pin(draw: DrawLines): PinnedLines {
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

  /** What does not go to a screen leaves the lines as they are. */
  printAbove(stream: Stream, text: string): void {
    if (this.#shown.length === 0 || stream.isTTY !== true) return void stream.write(text)
    const cleared = `${toFirst(this.#shown.length)}${CLEAR_BELOW}${text}`
    if (stream === this.#stream) return void stream.write(`${cleared}${this.#drawn().join('\n')}`)
    stream.write(cleared)
    this.#stream.write(this.#drawn().join('\n'))
  }

  /** In one piece, each line over the one that was there: nothing flickers. */
  #renew(): void {
    const before = this.#shown
    const lines = this.#drawn()
    if (lines.length === before.length && lines.every((line, i) => line === before[i])) return
    if (before.length === 0) return void this.#stream.write(lines.join('\n'))
    const isShorter = lines.length < before.length
    const drawn = isShorter ? `${CLEAR_BELOW}${lines.join('\n')}` : lines.map(line => `${CLEAR_LINE}${line}`).join('\n')
    this.#stream.write(`${toFirst(before.length)}${drawn}`)
  }

  /** A screen that became narrower has broken lines into several: all of them are ours. */
  #redrawResized(): void {
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / this.#columns())), 0)
    this.#stream.write(`${toFirst(rows)}${CLEAR_BELOW}${this.#drawn().join('\n')}`)
  }

  #drawn(): readonly string[] {
    // The last column stays empty, as some terminals go to the next line when it is written; and so do two before it, where
    // the terminal shows the ^C of who has seen enough.
    const width = Math.max(1, this.#columns() - 3)
    const height = Math.max(1, (this.#stream.rows || USUAL_ROWS) - 1)
    const lines = this.#draw?.(width, height) ?? []
    this.#shown = lines.slice(0, height).map(line => cutTo(harmless(line), width))
    return this.#shown
  }

  #columns(): number {
    return this.#stream.columns || USUAL_COLUMNS
  }
}

/** From the last of so many lines to the beginning of the first. */
const toFirst = (lines: number) => `\r${lines > 1 ? `\x1b[${lines - 1}A` : ''}`

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const NARROW = /[\u0000-\u02ff]/
const MARK = /[\p{M}\u200b-\u200d]/u

/** How many columns a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text.replaceAll(STYLES, '')) width += widthOfCharacter(character)
  return width
}

function widthOfCharacter(character: string): number {
  if (NARROW.test(character)) return 1
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
}

/** The text, or as much of it as fits with a sign that there is more. Styles that begin in it still end. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let left = width - 1
  let isFull = false
  return text
    .split(STYLE)
    .map((piece, i) => {
      if (i % 2 === 1 || isFull) return i % 2 === 1 ? piece : ''
      let kept = ''
      for (const character of piece) {
        left -= widthOfCharacter(character)
        isFull = left < 0
        if (isFull) return `${kept}…`
        kept += character
      }
      return kept
    })
    .join('')
}

/** Filled up with blanks, where it is shorter. */
export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

export const bold = (output: Output, text: string): string => styled(output, text, 1, 22)
export const dim = (output: Output, text: string): string => styled(output, text, 2, 22)
export const red = (output: Output, text: string): string => styled(output, text, 31, 39)
export const green = (output: Output, text: string): string => styled(output, text, 32, 39)
export const yellow = (output: Output, text: string): string => styled(output, text, 33, 39)
export const cyan = (output: Output, text: string): string => styled(output, text, 36, 39)

const styled = ({ hasColours }: Output, text: string, on: number, off: number) =>
  hasColours ? `\x1b[${on}m${text}\x1b[${off}m` : text
