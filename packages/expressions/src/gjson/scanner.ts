/** Finds where values end without looking into them. Text that is not JSON is read as far as it goes. */

const quote = 0x22
const backslash = 0x5c

const isValueStart = new Uint8Array(128)
for (const character of '"{[ntf+-0123456789iIN') isValueStart[character.charCodeAt(0)] = 1

export function startsValue(code: number): boolean {
  return code < 128 && isValueStart[code] === 1
}

/** The index after the closing quote of the string that begins at `start`, or -1 when it is not closed. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at - 1
    while (escapes > start && text.charCodeAt(escapes) === backslash) escapes--
    if ((at - escapes) % 2 === 1) return at + 1
  }
  return -1
}

/** The index after the bracket that closes the one at `start`. When there is none it is the text's length, or one more if
 *  the text ends inside a string. Parentheses count, since paths are read with this as well. */
export function endOfBlock(text: string, start: number): number {
  let depth = 1
  for (let at = start + 1; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at)
        if (end === -1) return text.length + 1
        at = end - 1
        break
      }
      case 0x7b: // {
      case 0x5b: // [
      case 0x28: // (
        depth++
        break
      case 0x7d: // }
      case 0x5d: // ]
      case 0x29: // )
        depth--
        if (depth === 0) return at + 1
        break
      default:
    }
  }
  return text.length
}

export function endOfNumber(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === 0x2c || code === 0x5d || code === 0x7d) return at
  }
  return text.length
}

/** The end of `true`, `false` or `null`, or of whatever small letters are there. */
export function endOfLiteral(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x61 || code > 0x7a) return at
  }
  return text.length
}

/** Without the spaces and control characters at both ends. */
export function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  return text.slice(start, end)
}
