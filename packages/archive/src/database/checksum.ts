import { crc32 } from 'node:zlib'
import type { Cell, Table } from './database.ts'

/** Of all columns but `sum` itself. */
export function sumOf(table: Table, row: object): number {
  const cells = row as Record<string, Cell>
  let text = ''
  for (const column of Object.keys(table.columns)) {
    if (column === 'sum') continue
    const cell = cells[column] ?? null
    text += cell === null ? '\u0001' : typeof cell === 'string' ? cell : String(cell)
    text += '\u0000'
  }
  return crc32(text)
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
