import { compareStrings } from '../cel/text-order.ts'
import { parseGoFloat } from './go-float.ts'
import { endOfString } from './scanner.ts'
import type { WorkLimit } from './work-limit.ts'

interface PrettyOptions {
  /** How many bytes an array may have to stay on one line; 0 puts every element on its own. */
  readonly width: number
  readonly prefix: string
  readonly indent: string
  readonly sortKeys: boolean
}

/** Without the space between the tokens. */
export function uglyJson(json: string): string {
  let text = ''
  let from = 0
  for (let at = 0; at <= json.length; at++) {
    const code = at < json.length ? json.charCodeAt(at) : 0
    if (code === 0x22) {
      const end = endOfString(json, at)
      at = (end === -1 ? json.length : end) - 1
    } else if (code <= 0x20) {
      text += json.slice(from, at)
      from = at + 1
    }
  }
  return text
}

/** Every member on its own line, and arrays of scalars on one line as long as they fit. */
export function prettyJson(json: string, options: PrettyOptions, limit: WorkLimit): string {
  const printer = new Printer(json, options, limit)
  printer.print(options.prefix)
  printer.printValue(0, 0, false)
  const text = printer.text()
  return text === '' ? '' : `${text}\n`
}

interface MemberText {
  /** The key with its quotes. */
  readonly key: string
  /** The printed pieces that the member consists of. */
  readonly start: number
  readonly end: number
}

class Printer {
  readonly #json: string
  readonly #options: PrettyOptions
  readonly #limit: WorkLimit
  readonly #pieces: string[] = []
  /** The length of the text in bytes, and what it was where the line began. */
  #size = 0
  #lineStart = 0

  constructor(json: string, options: PrettyOptions, limit: WorkLimit) {
    this.#json = json
    this.#options = options
    this.#limit = limit
  }

  print(text: string): void {
    if (text === '') return
    this.#limit.spend(text.length)
    this.#pieces.push(text)
    this.#size += Buffer.byteLength(text)
  }

  text(): string {
    return this.#pieces.join('')
  }

  /** Prints the value at or behind `start` and returns the index after it, or -1 if it cannot stand on one line. */
  printValue(start: number, depth: number, onOneLine: boolean): number {
    const json = this.#json
    for (let at = start; at < json.length; at++) {
      const first = json.charAt(at)
      if (first === '"') return this.#copy(at, endOfString(json, at))
      if (first === '{' || first === '[') {
        if (onOneLine) return first === '{' ? -1 : this.#printBlock(at, depth, true)
        return this.#printFitting(at, depth)
      }
      if (isNumberStart(json, at)) return this.#copy(at, endOfPrettyNumber(json, at))
      const literal = first === 't' ? 'true' : first === 'f' ? 'false' : first === 'n' ? 'null' : undefined
      if (literal !== undefined) {
        this.print(literal)
        return at + literal.length
      }
    }
    return json.length
  }

  #copy(start: number, end: number): number {
    const known = end === -1 ? this.#json.length : end
    this.print(this.#json.slice(start, known))
    return known
  }

  /** An array goes on one line if there is room for it. */
  #printFitting(open: number, depth: number): number {
    const { width } = this.#options
    const room = width - (this.#size - this.#lineStart)
    if (width > 0 && this.#json[open] === '[' && room > 3) {
      const [count, size, lineStart] = [this.#pieces.length, this.#size, this.#lineStart]
      const end = this.#printBlock(open, depth, true)
      if (end !== -1 && this.#size - size <= room) {
        this.#lineStart = lineStart
        return end
      }
      this.#pieces.length = count
      this.#size = size
      this.#lineStart = lineStart
    }
    return this.#printBlock(open, depth, false)
  }

  #printBlock(open: number, depth: number, onOneLine: boolean): number {
    this.#limit.enter()
    const end = this.#json[open] === '{' ? this.#printObject(open, depth) : this.#printArray(open, depth, onOneLine)
    this.#limit.leave()
    return end
  }

  #printArray(open: number, depth: number, onOneLine: boolean): number {
    const json = this.#json
    this.print('[')
    let count = 0
    for (let at = open + 1; at < json.length; at++) {
      if (json.charCodeAt(at) <= 0x20) continue
      if (json[at] === ']') {
        if (!onOneLine) this.#closeLines(count, depth)
        this.print(']')
        return at + 1
      }
      if (count > 0) this.print(this.#options.width === -1 ? ',' : ', ')
      if (!onOneLine) this.#startLine(depth + 1)
      const end = this.printValue(at, depth + 1, onOneLine)
      if (end === -1) return -1
      at = end - 1
      count++
    }
    return json.length
  }

  #printObject(open: number, depth: number): number {
    const json = this.#json
    const members: MemberText[] = []
    this.print('{')
    let count = 0
    for (let at = open + 1; at < json.length; at++) {
      if (json[at] === '}') {
        if (this.#options.sortKeys) sortMembers(this.#pieces, members)
        this.#closeLines(count, depth)
        this.print('}')
        return at + 1
      }
      if (json[at] !== '"') continue
      if (count > 0) this.print(',')
      this.#startLine(0)
      const start = this.#pieces.length
      this.#indent(depth + 1)
      const keyStart = at
      at = this.#copy(at, endOfString(json, at))
      const key = json.slice(keyStart, at)
      this.print(': ')
      at = this.printValue(at, depth + 1, false) - 1
      members.push({ key, start, end: this.#pieces.length })
      count++
    }
    return json.length
  }

  #closeLines(count: number, depth: number): void {
    if (count === 0) return
    this.#startLine(0)
    this.#indent(depth)
  }

  /** Begins a line in the place of a space that the last one ends with. A depth of 0 leaves the line empty. */
  #startLine(depth: number): void {
    this.#lineStart = this.#size
    const last = this.#pieces.at(-1) ?? ''
    if (last.endsWith(' ')) {
      this.#pieces[this.#pieces.length - 1] = `${last.slice(0, -1)}\n`
    } else {
      this.print('\n')
    }
    if (depth > 0) this.#indent(depth)
  }

  #indent(depth: number): void {
    this.print(this.#options.prefix + this.#options.indent.repeat(depth))
  }
}

function isNumberStart(json: string, at: number): boolean {
  const first = json.charAt(at)
  if ('-0123456789iI+N'.includes(first)) return true
  return first === 'n' && at + 1 < json.length && json[at + 1] !== 'u'
}

function endOfPrettyNumber(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json.charCodeAt(at) <= 0x20 || ',:]}'.includes(json.charAt(at))) return at
  }
  return json.length
}

/** Puts the members, which are the last pieces, in the order of their keys and then of their values. */
function sortMembers(pieces: string[], members: readonly MemberText[]): void {
  const first = members[0]
  if (first === undefined) return
  const sortable = members.map(({ key, start, end }) => {
    const line = pieces.slice(start, end).join('')
    const value = line
      .trim()
      .slice(key.length + 1)
      .trim()
    return { key, line, value }
  })
  sortable.sort((a, b) => compareJson(a.key, b.key) || compareJson(a.value, b.value))
  pieces.length = first.start
  pieces.push(sortable.map(({ line }) => line).join(',\n'))
}

function compareJson(left: string, right: string): number {
  const [leftRank, rightRank] = [typeRank(left), typeRank(right)]
  if (leftRank !== rightRank) return leftRank - rightRank
  if (leftRank === 2) return (parseGoFloat(left) ?? 0) - (parseGoFloat(right) ?? 0) || 0
  return leftRank === 3 ? compareStrings(stringOf(left), stringOf(right)) : compareStrings(left, right)
}

/** null < false < numbers < strings < true < arrays and objects */
function typeRank(json: string): number {
  const ranks: Readonly<Record<string, number>> = { n: 0, f: 1, '"': 3, t: 4, '[': 5, '{': 5 }
  return json === '' ? 0 : (ranks[json.charAt(0)] ?? 2)
}

function stringOf(quoted: string): string {
  const end = quoted.indexOf('"', 1)
  if (!quoted.slice(0, end).includes('\\')) return quoted.slice(1, end)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return ''
  }
}
