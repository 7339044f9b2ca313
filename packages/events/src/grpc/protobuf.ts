/** A field of a message: its number and its value. Numbers are varints (also for booleans). */
export type ProtoField = readonly [number: number, value: string | Uint8Array | number | boolean]

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5

/** Writes a message. What is empty, zero or false is left out, as proto3 does. */
export function encodeMessage(fields: readonly ProtoField[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (value === '' || value === 0 || value === false) return []
      if (typeof value === 'number' || typeof value === 'boolean')
        return [varint((number << 3) | VARINT), varint(Number(value))]
      const bytes = Buffer.from(value as string)
      return bytes.length === 0 ? [] : [varint((number << 3) | LENGTH), varint(bytes.length), bytes]
    }),
  )
}

/** Reads a message of texts, bytes and small numbers, by the numbers of the fields; of a field that is there twice, the last.
 *  Fields of other types are passed over. Throws an Error on what is no message. */
export function decodeMessage(bytes: Buffer): Map<number, Buffer | number> {
  const fields = new Map<number, Buffer | number>()
  const reading = { bytes, at: 0 }
  while (reading.at < bytes.length) {
    const tag = readVarint(reading)
    const number = Math.floor(tag / 8)
    if (number === 0) throw new Error('a message has a field without a number')
    switch (tag % 8) {
      case VARINT:
        fields.set(number, readVarint(reading))
        break
      case LENGTH:
        fields.set(number, take(reading, readVarint(reading)))
        break
      case FIXED64:
        take(reading, 8)
        break
      case FIXED32:
        take(reading, 4)
        break
      default:
        throw new Error(`a message has a field of the unknown type ${tag % 8}`)
    }
  }
  return fields
}

export const bytesField = (fields: ReadonlyMap<number, Buffer | number>, number: number): Buffer => {
  const value = fields.get(number)
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

interface Reading {
  bytes: Buffer
  at: number
}

function take(reading: Reading, length: number): Buffer {
  const end = reading.at + length
  if (end > reading.bytes.length) throw new Error('a message ends in the middle of a field')
  const part = reading.bytes.subarray(reading.at, end)
  reading.at = end
  return part
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** Of numbers beyond 2^53 the last digits are not exact; nothing here has any. */
function readVarint(reading: Reading): number {
  let value = 0
  for (let i = 0; i < 10; i++) {
    const byte = take(reading, 1)[0] as number
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return value
  }
  throw new Error('a message has a number without an end')
}
