import { fromBytes, toBytes } from '../byte-text.ts'

/** Works on bytes: a width counts them. Each is a Latin-1 character here. */
const asLatin1 = (text: string): string => toBytes(text).toString('latin1')
const fromLatin1 = (text: string): string => fromBytes(Buffer.from(text, 'latin1'))

/** Breaks lines at spaces, and words as well when they may be broken. */
export function wrapLines(text: string, width: number, newLine: string, breaksWords: boolean): string {
  const bytes = asLatin1(text)
  const separator = newLine === '' ? '\n' : asLatin1(newLine)
  const length = Math.max(width, 1)
  const lines: string[] = []
  let offset = 0
  while (bytes.length - offset > length) {
    if (bytes[offset] === ' ') {
      offset += 1
      continue
    }
    let end = bytes.slice(offset, offset + length + 1).lastIndexOf(' ')
    if (end < 0 && breaksWords) {
      lines.push(bytes.slice(offset, offset + length))
      offset += length
      continue
    }
    if (end < 0) end = bytes.indexOf(' ', offset + length) - offset
    if (end < 0) return fromLatin1([...lines, bytes.slice(offset)].join(separator))
    lines.push(bytes.slice(offset, offset + end))
    offset += end + 1
  }
  return fromLatin1([...lines, bytes.slice(offset)].join(separator))
}

/** Cuts a text down to a width, with `...` where something was left out. */
export function abbreviate(text: string, from: number, width: number): string {
  const bytes = asLatin1(text)
  if (bytes.length <= width) return text
  return fromLatin1(abbreviateBytes(bytes, from, width))
}

function abbreviateBytes(bytes: string, from: number, width: number): string {
  if (bytes.length <= width) return bytes
  let offset = Math.min(from, bytes.length)
  if (bytes.length - offset < width - 3) offset = bytes.length - (width - 3)
  if (offset <= 4) return `${bytes.slice(0, width - 3)}...`
  if (width < 7) return ''
  if (offset + width - 3 < bytes.length) return `...${abbreviateBytes(bytes.slice(offset), 0, width - 3)}`
  return `...${bytes.slice(bytes.length - (width - 3))}`
}
