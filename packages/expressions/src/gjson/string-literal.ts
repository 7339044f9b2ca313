const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** The characters between the quotes, with their escapes resolved. A bad escape or a control character ends the string. */
export function unescape(quoted: string): string {
  let text = ''
  let from = 0
  for (let at = 0; at < quoted.length; at++) {
    const code = quoted.charCodeAt(at)
    if (code >= 0x20 && code !== 0x5c) continue
    text += quoted.slice(from, at)
    if (code < 0x20) return text
    const escaped = quoted[at + 1]
    if (escaped === 'u') {
      if (at + 6 > quoted.length) return text
      const unit = hexUnit(quoted, at + 2)
      at += 5
      if (isSurrogate(unit)) {
        const paired = quoted.startsWith('\\u', at + 1) && at + 7 <= quoted.length
        text += paired ? surrogatePair(unit, hexUnit(quoted, at + 3)) : '\ufffd'
        if (paired) at += 6
      } else {
        text += String.fromCharCode(unit)
      }
    } else {
      const resolved = escaped === undefined ? undefined : simpleEscapes[escaped]
      if (resolved === undefined) return text
      text += resolved
      at++
    }
    from = at + 1
  }
  return text + quoted.slice(from)
}

function hexUnit(text: string, at: number): number {
  const digits = text.slice(at, at + 4)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : 0
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function surrogatePair(high: number, low: number): string {
  return high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff ? String.fromCharCode(high, low) : '\ufffd'
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A JSON string, with `<`, `>` and `&` escaped as Go does. */
export function quoteJson(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is escaped
  return `"${text.replace(/["\\<>&\u2028\u2029\u0000-\u001f]|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, escape)}"`
}

function escape(character: string): string {
  if (character.length === 2) return character
  const code = character.charCodeAt(0)
  if (isSurrogate(code)) return '\\ufffd'
  return shortEscapes[character] ?? `\\u${code.toString(16).padStart(4, '0')}`
}
