import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { sumOf } from './checksum.ts'
import type { Table } from './database.ts'

const TABLE: Table = { name: 'things', key: ['id'], columns: { id: 'int', name: 'text', note: 'text', sum: 'int' } }

const NUMBERS = [
  0,
  7,
  10,
  4096,
  999_999_999,
  1_000_000_000,
  1_000_000_001,
  1_767_600_000_000,
  2 ** 53 - 1,
  -1,
  -0,
  -5e9,
]
const TEXTS = [
  null,
  '',
  '0',
  'plain',
  'with "quotes"\n',
  '\u0000\u0001',
  'é',
  'ünïcödé und mehr',
  '日本',
  '👋 hello',
  'x'.repeat(5000),
]

it('sums up a row with texts as the bytes of its cells, which every archive has stored', () => {
  for (const id of NUMBERS)
    for (const name of TEXTS)
      for (const note of ['z', ...TEXTS]) {
        const cells = [id, name, note]
        const text = cells.map(cell => `${cell === null ? '\u0001' : cell}\u0000`).join('')
        expect([id, name, note, sumOf(TABLE, { id, name, note, sum: 1 })]).toEqual([id, name, note, crc32(text)])
      }
})
