const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

const NEEDS_ESCAPE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/u
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** Text in double quotes as Go prints it (`%q`), which is how the API server quotes values in its messages. */
export function goQuote(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`
  let out = '"'
  for (const char of text) out += SHORT_ESCAPES[char] ?? (PRINTABLE.test(char) ? char : escapeRune(char))
  return `${out}"`
}

function escapeRune(char: string): string {
  const rune = char.codePointAt(0) as number
  if (rune < 0x20 || rune === 0x7f) return `\\x${hex(rune, 2)}`
  if (rune >= 0xd800 && rune <= 0xdfff) return '\\ufffd'
  return rune < 0x10000 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`
}

const hex = (value: number, width: number) => value.toString(16).padStart(width, '0')
