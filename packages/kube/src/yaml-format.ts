import { formatGoFloat } from './go-float.ts'
import { resolveScalar } from './yaml-scalar.ts'

/** A JSON value as YAML in the form that kubectl prints: keys in Go's order, lists not indented, long text folded. */
export function formatYaml(value: unknown): string {
  const emitter = new Emitter()
  emitter.emitNode(value, -INDENT, 'root')
  return emitter.finish()
}

const INDENT = 2
const BEST_WIDTH = 80
const LONGEST_SIMPLE_KEY = 128
const SIXTIES = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

type Place = 'root' | 'field' | 'item' | 'after question mark'

class Emitter {
  #out = ''
  #column = 0

  finish(): string {
    return this.#column === 0 ? this.#out : `${this.#out}\n`
  }

  emitNode(value: unknown, indent: number, place: Place): void {
    if (typeof value !== 'object' || value === null) return this.#emitScalar(value, Math.max(indent, 0) + INDENT, place)
    if (Array.isArray(value)) return this.#emitSequence(value, indent, place)
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    this.#emitMapping(
      fields.sort(([a], [b]) => compareKeys(a, b)),
      indent,
      place,
    )
  }

  #emitScalar(value: unknown, indent: number, place: Place): void {
    if (place !== 'root') this.#write(' ')
    if (typeof value === 'string') this.#emitText(value, indent, false)
    else if (typeof value === 'number') this.#write(formatNumber(value))
    else this.#write(typeof value === 'bigint' ? value.toString() : JSON.stringify(value ?? null))
  }

  #emitSequence(items: readonly unknown[], parent: number, place: Place): void {
    if (items.length === 0) return this.#write(place === 'root' ? '[]' : ' []')
    const indent = place === 'field' ? parent : parent + INDENT
    items.forEach((item, i) => {
      this.#startEntry(indent, i === 0 && (place === 'item' || place === 'after question mark'))
      this.#write('-')
      this.emitNode(item, indent, 'item')
    })
  }

  #emitMapping(fields: readonly [string, unknown][], parent: number, place: Place): void {
    if (fields.length === 0) return this.#write(place === 'root' ? '{}' : ' {}')
    const indent = parent + INDENT
    fields.forEach(([key, field], i) => {
      this.#startEntry(indent, i === 0 && (place === 'item' || place === 'after question mark'))
      if (isSimpleKey(key)) {
        this.#emitText(key, indent, true)
        this.#write(':')
        this.emitNode(field, indent, 'field')
      } else {
        this.#write('?')
        this.#emitScalar(key, indent + INDENT, 'after question mark')
        this.#newLine(indent)
        this.#write(':')
        this.emitNode(field, indent, 'after question mark')
      }
    })
  }

  /** The first entry of a collection inside a list stands on the line of its dash. */
  #startEntry(indent: number, isOnSameLine: boolean): void {
    if (isOnSameLine) this.#write(' ')
    else this.#newLine(indent)
  }

  #emitText(text: string, indent: number, isKey: boolean): void {
    const style = styleOf(text, isKey)
    if (style === 'literal') this.#emitLiteral(text, indent)
    else if (style === 'plain') this.#emitFolded(text, indent, !isKey, char => char)
    else if (style === 'single') {
      this.#write("'")
      this.#emitFolded(text, indent, !isKey, char => (char === "'" ? "''" : char))
      this.#write("'")
    } else this.#emitDoubleQuoted(text, indent, !isKey)
  }

  /** Breaks the line at a lone space once it is long enough. */
  #emitFolded(text: string, indent: number, mayBreak: boolean, escape: (char: string) => string): void {
    let isAfterSpace = false
    const chars = Array.from(text)
    chars.forEach((char, i) => {
      const isInside = i > 0 && i < chars.length - 1
      const breaks =
        mayBreak && char === ' ' && !isAfterSpace && isInside && this.#column > BEST_WIDTH && chars[i + 1] !== ' '
      if (breaks) this.#newLine(indent)
      else this.#write(escape(char))
      isAfterSpace = char === ' '
    })
  }

  #emitDoubleQuoted(text: string, indent: number, mayBreak: boolean): void {
    let isAfterSpace = false
    const chars = Array.from(text)
    this.#write('"')
    chars.forEach((char, i) => {
      const isInside = i > 0 && i < chars.length - 1
      if (mayBreak && char === ' ' && !isAfterSpace && isInside && this.#column > BEST_WIDTH) {
        this.#newLine(indent)
        if (chars[i + 1] === ' ') this.#write('\\')
      } else {
        this.#write(needsEscape(char) ? escapeChar(char) : char)
      }
      isAfterSpace = char === ' '
    })
    this.#write('"')
  }

  #emitLiteral(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? String(INDENT) : ''
    const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : ''
    this.#write(`|${hint}${chomp}`)
    const lines = text.split('\n')
    const last = lines.pop() as string
    this.#out += '\n'
    this.#column = 0
    for (const line of lines) this.#out += line === '' ? '\n' : `${' '.repeat(indent)}${line}\n`
    if (last !== '') this.#write(' '.repeat(indent) + last)
  }

  #newLine(indent: number): void {
    if (this.#column > 0) this.#out += '\n'
    this.#column = 0
    this.#write(' '.repeat(indent))
  }

  #write(text: string): void {
    this.#out += text
    this.#column += text.length
  }
}

function isSimpleKey(key: string): boolean {
  return Buffer.byteLength(key) <= LONGEST_SIMPLE_KEY && !/[\n\r\u0085\u2028\u2029]/.test(key)
}

type Style = 'plain' | 'single' | 'double' | 'literal'

function styleOf(text: string, isKey: boolean): Style {
  const hasSpecial = Array.from(text).some(char => char !== '\n' && isSpecial(char))
  const hasSpaceBeforeBreak = / \n/.test(text)
  if (text.includes('\n')) {
    return isKey || hasSpecial || hasSpaceBeforeBreak || text.endsWith(' ') ? 'double' : 'literal'
  }
  if (!readsAsText(text)) return 'double'
  if (hasSpecial) return 'double'
  return canStandPlain(text) ? 'plain' : 'single'
}

/** Whether the text without quotes would still be text. */
function readsAsText(text: string): boolean {
  return resolveScalar(text, undefined, true).type === 'str' && !SIXTIES.test(text)
}

function canStandPlain(text: string): boolean {
  if (/^ | $/.test(text)) return false
  if (/^(?:---|\.\.\.)/.test(text)) return false
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text)) return false
  if (/^[-?:](?:[ \t]|$)/.test(text)) return false
  return !/:(?:[ \t]|$)/.test(text) && !/[ \t]#/.test(text)
}

/** What Go's emitter takes for unprintable: also everything beyond the basic plane. */
function isSpecial(char: string): boolean {
  const rune = char.codePointAt(0) as number
  const isPrintable =
    (rune >= 0x20 && rune <= 0x7e) ||
    (rune >= 0xa0 && rune <= 0xd7ff) ||
    (rune >= 0xe000 && rune <= 0xfffd && rune !== 0xfeff)
  return !isPrintable || rune === 0x2028 || rune === 0x2029
}

const needsEscape = (char: string) => char === '"' || char === '\\' || isSpecial(char)

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

function escapeChar(char: string): string {
  const short = SHORT_ESCAPES[char]
  if (short !== undefined) return short
  const rune = char.codePointAt(0) as number
  const hex = rune.toString(16).toUpperCase()
  if (rune <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return rune <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** Whole numbers that an integer of 64 bits holds in digits, others in Go's shortest form (`%g`). */
function formatNumber(value: number): string {
  const isWhole = Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63)
  return isWhole ? String(value) : formatGoFloat(value)
}

/** The order in which Go's YAML writer puts keys: letters after everything else, digits by the number they make. */
export function compareKeys(a: string, b: string): number {
  const left = Array.from(a)
  const right = Array.from(b)
  const shared = Math.min(left.length, right.length)
  for (let i = 0; i < shared; i++) {
    const l = left[i] as string
    const r = right[i] as string
    if (l !== r) return isLess(left, right, i) ? -1 : 1
  }
  return left.length - right.length
}

const isLetter = (char: string) => /\p{L}/u.test(char)
const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9'

function isLess(left: readonly string[], right: readonly string[], i: number): boolean {
  const l = left[i] as string
  const r = right[i] as string
  if (isLetter(l) && isLetter(r)) return compareRunes(l, r) < 0
  if (isLetter(l) || isLetter(r)) return isLetter(r)
  const isInsideNumber = (l === '0' || r === '0') && hasNonZeroDigitBefore(left, i)
  const leftNumber = numberAt(left, i, isInsideNumber)
  const rightNumber = numberAt(right, i, isInsideNumber)
  if (leftNumber.value !== rightNumber.value) return leftNumber.value < rightNumber.value
  if (leftNumber.end !== rightNumber.end) return leftNumber.end < rightNumber.end
  return compareRunes(l, r) < 0
}

function hasNonZeroDigitBefore(chars: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(chars[i]); i--) if (chars[i] !== '0') return true
  return false
}

function numberAt(chars: readonly string[], start: number, isInsideNumber: boolean): { value: bigint; end: number } {
  let end = start
  while (isDigit(chars[end])) end++
  return { value: BigInt(`${isInsideNumber ? '1' : '0'}${chars.slice(start, end).join('')}`), end }
}

const compareRunes = (a: string, b: string) => (a.codePointAt(0) as number) - (b.codePointAt(0) as number)
