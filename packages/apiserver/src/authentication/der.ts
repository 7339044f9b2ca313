/** The few forms of DER that certificates are made of. */
const tagged = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  const bytes: number[] = []
  for (let rest = size; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

export const sequence = (...items: Uint8Array[]): Buffer => tagged(0x30, ...items)
export const set = (...items: Uint8Array[]): Buffer => tagged(0x31, ...items)
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content)
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text))
export const bool = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]))
/** Bit string; `unused` trailing bits do not count. */
export const bits = (content: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), content)
export const explicit = (number: number, ...items: Uint8Array[]): Buffer => tagged(0xa0 | number, ...items)
export const implicit = (number: number, content: Uint8Array): Buffer => tagged(0x80 | number, content)

/** An unsigned integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const trimmed = bytes.subarray(start)
  return ((trimmed[0] ?? 0) & 0x80) !== 0 ? tagged(0x02, Buffer.from([0]), trimmed) : tagged(0x02, trimmed)
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return tagged(0x06, Buffer.from(bytes))
}

/** UTCTime before 2050, GeneralizedTime after, as RFC 5280 asks. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return digits < '2050' ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`))
}
