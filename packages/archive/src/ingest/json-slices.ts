/** Where a value of an object's member stands in a text of JSON. */
export interface Slice {
  /** Of its name, with the quote. */
  from: number
  /** Of its value. */
  start: number
  end: number
  /** Those that were asked for of an object. */
  members: Slices
}

export type Slices = { [name: string]: Slice | undefined }

/** The names of members, and what is wanted of each. */
export type Wanted = readonly (readonly [name: string, of: Wanted])[]

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]
const NOTHING: Slices = {}

/** Finds members of the object that the text is, and members of those, without making values of them: most of a payload is only
 *  carried from the journal to its pack. For text as `JSON.stringify` writes it; undefined for any other. */
export function slicesOf(text: Uint8Array, wanted: Wanted): Slices | undefined {
  const found: Slices = {}
  return objectAt(text, 0, wanted, found) === text.length ? found : undefined
}

/** Behind the object that begins at `start`; -1 when there is none as it should be. */
function objectAt(text: Uint8Array, start: number, wanted: Wanted, found: Slices): number {
  if (text[start] !== OPEN) return -1
  let at = start + 1
  if (text[at] === CLOSE) return at + 1
  for (;;) {
    const from = at
    const colon = text[at] === QUOTE ? endOfString(text, at) : -1
    if (colon < 0 || text[colon] !== COLON) return -1
    const match = wanted.find(([name]) => isName(text, from + 1, colon - 1, name))
    const isDeep = match !== undefined && match[1].length > 0 && text[colon + 1] === OPEN
    const members = isDeep ? {} : NOTHING
    const end = isDeep ? objectAt(text, colon + 1, match[1], members) : endOfValue(text, colon + 1)
    if (end < 0) return -1
    if (match) found[match[0]] = { from, start: colon + 1, end, members }
    if (text[end] === CLOSE) return end + 1
    if (text[end] !== COMMA) return -1
    at = end + 1
  }
}

export const isObjectAt = (text: Uint8Array, { start }: Slice): boolean => text[start] === OPEN

/** A text of the object that begins at `start` without some of its members. */
export function without(text: Buffer, { start, end }: { start: number; end: number }, cut: readonly Slice[]): Buffer {
  const pieces: Buffer[] = []
  let at = start
  for (const slice of cut.toSorted((a, b) => a.from - b.from)) {
    // With the comma before it, or of the first member the one after it.
    const isFirst = text[slice.from - 1] === OPEN || slice.from === at
    pieces.push(text.subarray(at, isFirst ? slice.from : slice.from - 1))
    at = isFirst && text[slice.end] === COMMA ? slice.end + 1 : slice.end
  }
  pieces.push(text.subarray(at, end))
  return Buffer.concat(pieces)
}

function isName(text: Uint8Array, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false
  for (let i = 0; i < name.length; i++) if (text[from + i] !== name.charCodeAt(i)) return false
  return true
}

/** Behind the string whose quote is at `at`; -1 when it does not end. */
function endOfString(text: Uint8Array, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) return i + 1
    if (byte === BACKSLASH) i++
  }
  return -1
}

function endOfValue(text: Uint8Array, at: number): number {
  const first = text[at]
  if (first === QUOTE) return endOfString(text, at)
  if (first === OPEN || first === OPEN_LIST) return endOfGroup(text, at)
  // A number, `true`, `false` or `null`.
  let end = at
  while (isScalar(text[end])) end++
  return end === at ? -1 : end
}

const isScalar = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2b && byte <= 0x39 && byte !== COMMA) || byte === 0x45)

function endOfGroup(text: Uint8Array, at: number): number {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) {
      i = endOfString(text, i) - 1
      if (i < 0) return -1
    } else if (byte === OPEN || byte === OPEN_LIST) depth++
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) return i + 1
  }
  return -1
}
