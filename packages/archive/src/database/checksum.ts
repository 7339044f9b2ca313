import { crc32 } from 'node:zlib'
import type { Cell, Table } from './database.ts'

const columnsOf = new Map<Table, { names: readonly string[]; isOfNumbers: boolean }>()

/** Of all columns but `sum` itself. */
export function sumOf(table: Table, row: object): number {
  let columns = columnsOf.get(table)
  if (!columns) {
    const names = Object.keys(table.columns).filter(name => name !== 'sum')
    columns = { names, isOfNumbers: names.every(name => table.columns[name] === 'int') }
    columnsOf.set(table, columns)
  }
  const cells = row as Record<string, Cell>
  return columns.isOfNumbers ? sumOfNumbers(columns.names, cells) : sumOfTexts(columns.names, cells)
}

/** As CRC-32 of the cells as texts, each with a zero behind it. Cells are mostly numbers and plain texts, whose bytes are known without putting
 *  such a text together. */
function sumOfTexts(names: readonly string[], cells: Record<string, Cell>): number {
  let sum = -1
  for (const name of names) {
    const cell = cells[name] ?? null
    if (cell === null) sum = withByte(sum, 1)
    else if (typeof cell === 'number' && cell >= 0 && Number.isSafeInteger(cell)) sum = withNumber(sum, cell)
    else {
      const text = String(cell)
      for (let i = 0; i < text.length; i++) {
        const letter = text.charCodeAt(i)
        if (letter > 0x7f) return sumOfAnyTexts(names, cells)
        sum = withByte(sum, letter)
      }
    }
    sum = withByte(sum, 0)
  }
  return ~sum >>> 0
}

function sumOfAnyTexts(names: readonly string[], cells: Record<string, Cell>): number {
  let text = ''
  for (const name of names) {
    const cell = cells[name] ?? null
    text += cell === null ? '\u0001' : cell
    text += '\u0000'
  }
  return crc32(text)
}

const CRC_OF_BYTES = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

const withByte = (sum: number, byte: number): number => (CRC_OF_BYTES[(sum ^ byte) & 0xff] as number) ^ (sum >>> 8)

const [ZERO, MOST_DIGITS, HIGH] = [0x30, 16, 1e9]
const digits = new Uint8Array(MOST_DIGITS)

/** Its decimal digits. */
function withNumber(sum: number, value: number): number {
  let first = MOST_DIGITS
  // What fits into 32 bits is divided several times as fast.
  const high = Math.floor(value / HIGH)
  let rest = (value - high * HIGH) | 0
  for (let part = 0; part < 2; part++) {
    do {
      const tenth = (rest / 10) | 0
      digits[--first] = ZERO + rest - 10 * tenth
      rest = tenth
    } while (rest > 0 || (part === 0 && high > 0 && first > MOST_DIGITS - 9))
    if (high === 0) break
    rest = high
  }
  for (; first < MOST_DIGITS; first++) sum = withByte(sum, digits[first] as number)
  return sum
}

/** Tables of numbers alone are the longest ones: there is no need to make texts of them. Every bit of every number counts (FNV-1a). */
function sumOfNumbers(names: readonly string[], cells: Record<string, Cell>): number {
  let sum = 0x811c9dc5
  for (const name of names) {
    const cell = (cells[name] ?? -1) as number
    sum = Math.imul(sum ^ (cell | 0), 0x01000193)
    sum = Math.imul(sum ^ Math.floor(cell / 0x1_0000_0000), 0x01000193)
  }
  return sum >>> 0
}

/** A text as every database can keep it: PostgreSQL has no zero character, and half a surrogate pair is no UTF-8. */
export function storable(text: string): string
export function storable(text: string | undefined): string | null
export function storable(text: string | undefined): string | null {
  if (text === undefined) return null
  if (!UNSTORABLE.test(text)) return text
  return Buffer.from(text.replaceAll('\0', '\ufffd')).toString()
}

const UNSTORABLE = /[\0\ud800-\udfff]/

/** A record's numbers are what somebody wrote: no database keeps a fraction or more than it can count in these columns. */
export const whole = (value: number): number => (Number.isSafeInteger(value) ? value : Math.round(Number(value)) || 0)
