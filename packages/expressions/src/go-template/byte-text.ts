// A Go string is bytes. Here it is a JavaScript string, in which a byte that belongs to no UTF-8 sequence stands as the lone
// surrogate U+DC00 plus the byte: U+DC80 to U+DCFF, which no text from outside contains.
const strayByte = /[\u{DC80}-\u{DCFF}]/u
const strayBytes = /[\u{DC80}-\u{DCFF}]/gu
const loneSurrogates = /[\u{D800}-\u{DFFF}]/gu
const ascii = /^[\0-\x7f]*$/
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function toBytes(text: string): Buffer {
  if (!strayByte.test(text)) return Buffer.from(text, 'utf8')
  const parts = text.split(/([\u{DC80}-\u{DCFF}]+)/u)
  return Buffer.concat(
    parts.map(part =>
      strayByte.test(part)
        ? Buffer.from(Array.from(part, character => character.charCodeAt(0) - 0xdc00))
        : Buffer.from(part, 'utf8'),
    ),
  )
}

export function fromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    // Not all of it is UTF-8, so it is read byte by byte.
    return decodeSequences(bytes)
  }
}

function decodeSequences(bytes: Uint8Array): string {
  let text = ''
  let index = 0
  while (index < bytes.length) {
    const width = sequenceWidth(bytes, index)
    if (width === 0) text += String.fromCharCode(0xdc00 + (bytes[index] as number))
    else text += strict.decode(bytes.subarray(index, index + width))
    index += Math.max(width, 1)
  }
  return text
}

/** The length of the UTF-8 sequence that starts here, 0 when none does. */
function sequenceWidth(bytes: Uint8Array, index: number): number {
  const first = bytes[index] as number
  if (first < 0x80) return 1
  const width = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || index + width > bytes.length) return 0
  try {
    strict.decode(bytes.subarray(index, index + width))
    return width
  } catch {
    // The bytes that follow do not continue the sequence.
    return 0
  }
}

export function byteLength(text: string): number {
  const length = Buffer.byteLength(text, 'utf8')
  return length === text.length ? length : length - 2 * (text.match(strayBytes)?.length ?? 0)
}

/** The bytes from `start` to `end`, as a Go slice expression cuts them. The bounds are the caller's to check. */
export function sliceBytes(text: string, start: number, end: number): string {
  return ascii.test(text) ? text.slice(start, end) : fromBytes(toBytes(text).subarray(start, end))
}

/** What a reader outside sees: bytes that ended up side by side are joined, those that are no UTF-8 become U+FFFD. */
export function wellFormed(text: string): string {
  const joined = strayByte.test(text) ? fromBytes(toBytes(text)) : text
  return joined.replace(loneSurrogates, '\ufffd')
}

/** Whether the character is a byte that is no UTF-8, which Go reads as U+FFFD. */
export const isStrayByte = (character: string): boolean => strayByte.test(character)

/** The runes that a `for range` over the string yields. */
export function runes(text: string): string[] {
  return Array.from(text, character => (strayByte.test(character) ? '\ufffd' : character))
}
