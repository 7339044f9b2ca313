import type { ExprDialect } from './dialect.ts'

const failed = 'unable to unescape string'
const simple: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['`', 96],
  ['?', 63],
])
const encoder = new TextEncoder()

/** The text between the quotes. The lexer has seen to it that the escapes are whole, but not that each is allowed. */
export function unescapeString(quoted: string, dialect: ExprDialect): string {
  let text = ''
  for (const part of parts(quoted)) {
    if (part.escape === undefined) text += part.text
    else text += characterOf(codeOf(part.escape, part.text, dialect))
  }
  return text
}

/** Half of a surrogate pair is no character, not even beside the other half. */
function characterOf(code: number): string {
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code)
}

/** The bytes between the quotes of b'...': \x and octal escapes are bytes, and there are no others by code point. */
export function unescapeBytes(quoted: string): Uint8Array {
  const bytes: number[] = []
  for (const part of parts(quoted)) {
    if (part.escape === undefined) bytes.push(...encoder.encode(part.text))
    else if (part.escape === 'u' || part.escape === 'U') throw new Error(failed)
    else bytes.push(codeOf(part.escape, part.text, '1.17'))
  }
  return Uint8Array.from(bytes)
}

interface Part {
  /** The letter after the backslash, and in `text` what belongs to it. */
  escape?: string
  text: string
}

function* parts(quoted: string): Generator<Part> {
  const body = Array.from(quoted.slice(1, -1).replaceAll('\r\n', '\n').replaceAll('\r', '\n'))
  for (let index = 0; index < body.length; index++) {
    const character = body[index] as string
    if (character !== '\\') {
      yield { text: character }
      continue
    }
    const escape = body[++index]
    if (escape === undefined) throw new Error("unable to unescape string, found '\\' as last character")
    const length = lengthOf(escape, body, index + 1)
    yield { escape, text: body.slice(index + 1, index + 1 + length).join('') }
    index += length
  }
}

function lengthOf(escape: string, body: readonly string[], from: number): number {
  if (escape === 'u' && body[from] === '{') return body.indexOf('}', from) - from + 1
  if (escape === 'u') return 4
  if (escape === 'U') return 8
  if (escape === 'x' || escape === 'X') return 2
  return escape >= '0' && escape <= '3' ? 2 : 0
}

function codeOf(escape: string, text: string, dialect: ExprDialect): number {
  const code = simple.get(escape)
  if (code !== undefined) return code
  if (escape >= '0' && escape <= '3') {
    if (!/^[0-7]{2}$/.test(text)) throw new Error('unable to unescape octal sequence in string')
    return Number.parseInt(escape + text, 8)
  }
  const digits = dialect === '1.17' && text.startsWith('{') ? text.slice(1, -1) : text
  if (!'xXuU'.includes(escape) || !/^[0-9a-fA-F]+$/.test(digits)) throw new Error(failed)
  const point = Number.parseInt(digits, 16)
  if (point > 0x10ffff) throw new Error(failed)
  return point
}
