const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

const escape = /^\\(?:([abfnrtv\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(['"]))/

/** The text of a quoted literal, with Go's escapes; either quote will do. Undefined when an escape is wrong. */
export function unquote(literal: string): string | undefined {
  const quote = literal[0] as string
  let rest = literal.slice(1, -1)
  if (!rest.includes('\\') && !rest.includes(quote)) return rest
  const bytes: Buffer[] = []
  while (rest !== '') {
    const match = escape.exec(rest)
    if (match !== null) {
      const decoded = decode(match, quote)
      if (decoded === undefined) return undefined
      bytes.push(decoded)
      rest = rest.slice(match[0].length)
      continue
    }
    const plain = /^[^\\]/u.exec(rest)?.[0]
    if (plain === undefined || plain === quote) return undefined
    bytes.push(Buffer.from(plain, 'utf8'))
    rest = rest.slice(plain.length)
  }
  return Buffer.concat(bytes).toString('utf8')
}

/** \x and octal escapes are bytes, the others characters. */
function decode(match: RegExpExecArray, quote: string): Buffer | undefined {
  const [, simple, hex, short, long, octal, mark] = match
  if (simple !== undefined) return Buffer.from(escapes[simple] as string)
  if (mark !== undefined) return mark === quote ? Buffer.from(mark) : undefined
  if (hex !== undefined) return Buffer.of(Number.parseInt(hex, 16))
  if (octal !== undefined) {
    const code = Number.parseInt(octal, 8)
    return code > 255 ? undefined : Buffer.of(code)
  }
  const code = Number.parseInt((short ?? long) as string, 16)
  return code > 0x10ffff ? undefined : Buffer.from(String.fromCodePoint(code), 'utf8')
}
