const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}

/** The text of a string literal token, quotes and escapes resolved. Throws an Error that says what is wrong in it. */
export function unquoteString(token: string): string {
  const { body, raw } = literalBody(token)
  if (raw || !body.includes('\\')) return body
  let text = ''
  for (const part of escapeParts(body)) {
    if (typeof part === 'string') text += part
    else if (!isScalarValue(part.code)) throw new Error('invalid unicode code point')
    else text += String.fromCodePoint(part.code)
  }
  return text
}

/** The bytes of a bytes literal token (without its `b`): characters are UTF-8, `\xNN` and octal escapes are bytes. */
export function unquoteBytes(token: string): Uint8Array {
  const { body, raw } = literalBody(token)
  if (raw || !body.includes('\\')) return new Uint8Array(Buffer.from(body, 'utf8'))
  const chunks: Uint8Array[] = []
  for (const part of escapeParts(body)) {
    if (typeof part === 'string') chunks.push(Buffer.from(part, 'utf8'))
    else if (part.unicode) throw new Error('unable to unescape string')
    else chunks.push(Uint8Array.of(part.code & 0xff))
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function isScalarValue(code: number): boolean {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
}

function literalBody(token: string): { body: string; raw: boolean } {
  const normal = token.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const raw = normal.startsWith('r') || normal.startsWith('R')
  const quoted = raw ? normal.slice(1) : normal
  const triple = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''"))
  return { body: triple ? quoted.slice(3, -3) : quoted.slice(1, -1), raw }
}

type EscapePart = string | { code: number; unicode: boolean }

function* escapeParts(body: string): Generator<EscapePart> {
  let offset = 0
  while (offset < body.length) {
    const backslash = body.indexOf('\\', offset)
    if (backslash === -1) {
      yield body.slice(offset)
      return
    }
    if (backslash > offset) yield body.slice(offset, backslash)
    const letter = body[backslash + 1] ?? ''
    const simple = simpleEscapes[letter]
    if (simple !== undefined) {
      yield simple
      offset = backslash + 2
      continue
    }
    const octal = /^[0-3][0-7]{2}/.exec(body.slice(backslash + 1, backslash + 4))
    if (octal !== null) {
      yield { code: Number.parseInt(octal[0], 8), unicode: false }
      offset = backslash + 4
      continue
    }
    const digits = letter === 'u' ? 4 : letter === 'U' ? 8 : 2
    yield { code: Number.parseInt(body.slice(backslash + 2, backslash + 2 + digits), 16), unicode: digits > 2 }
    offset = backslash + 2 + digits
  }
}
