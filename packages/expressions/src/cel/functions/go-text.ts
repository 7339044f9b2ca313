const named: Readonly<Record<string, string>> = {
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

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** A string in double quotes as Go's %q writes it. */
export function goQuote(text: string): string {
  let quoted = '"'
  for (const character of text) {
    const escape = named[character]
    if (escape !== undefined) quoted += escape
    else if (printable.test(character)) quoted += character
    else quoted += hexEscape(character.codePointAt(0) as number)
  }
  return `${quoted}"`
}

function hexEscape(code: number): string {
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+'
const anySpace = new RegExp(space)
const leadingSpace = new RegExp(`^${space}`)
const trailingSpace = new RegExp(`${space}$`)

/** Trims what Unicode calls white space; JavaScript's own trim has a slightly different list. */
export function trimSpace(text: string): string {
  return text.replace(leadingSpace, '').replace(trailingSpace, '')
}

/** strings.Fields: what stands between white space. */
export function splitSpace(text: string): string[] {
  return text.split(anySpace).filter(part => part !== '')
}

/** strings.SplitN: an empty separator splits into code points, a limit of 0 gives nothing, a negative one no limit. */
export function splitText(text: string, separator: string, limit = -1): string[] {
  if (limit === 0) return []
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

/** strings.Replace: an empty `old` matches before every code point and at the end; a negative limit replaces all. */
export function replaceText(text: string, old: string, replacement: string, limit = -1): string {
  if (limit === 0) return text
  if (old !== '') {
    if (limit < 0) return text.replaceAll(old, () => replacement)
    const parts = text.split(old)
    const replaced = Math.min(limit, parts.length - 1)
    return (
      parts.slice(0, replaced + 1).join(replacement) +
      parts
        .slice(replaced + 1)
        .map(part => old + part)
        .join('')
    )
  }
  const characters = Array.from(text)
  const count = limit < 0 ? characters.length + 1 : Math.min(limit, characters.length + 1)
  const spread = characters.map((character, index) => (index < count ? replacement + character : character)).join('')
  return count > characters.length ? spread + replacement : spread
}
