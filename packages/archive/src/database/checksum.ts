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

function sumOfTexts(names: readonly string[], cells: Record<string, Cell>): number {
  let text = ''
  for (const name of names) {
    const cell = cells[name] ?? null
    text += cell === null ? '\u0001' : cell
    text += '\u0000'
  }
  return crc32(text)
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
