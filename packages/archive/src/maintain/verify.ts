import { asError } from '@tiphys/env'
import type { VerifyReport } from '../archive.ts'
import { sumOf } from '../database/checksum.ts'
import type { Database, Table, TableRow } from '../database/database.ts'
import type { PackRow, PayloadRow, RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import { unpack } from '../ingest/packer.ts'
import { contentHash } from '../ingest/payload.ts'

const ROWS_AT_ONCE = 2000
const MOST_NAMED = 200
/** Made by the schema, without a sum. */
const UNSUMMED = new Set(['format', 'schema'])

type Damage = VerifyReport['damaged'][number]

/** Reads every row and every content and compares checksums, hashes and links. Changes nothing. */
export async function verify(database: Database): Promise<VerifyReport> {
  const damaged: Damage[] = []
  const dangling: Damage[] = []
  let rows = 0
  const note = (list: Damage[], table: string, id: unknown, why: string) => {
    if (list.length < MOST_NAMED) list.push({ table, id: String(id), why })
  }
  await structure(database, why => note(damaged, 'database', database.place, why))
  for (const table of tables.ALL_TABLES) {
    try {
      for await (const row of everyRow(database, table)) {
        rows++
        const why = table === tables.PACKS ? packProblem(row as never, database.place) : sumProblem(table, row)
        if (why !== undefined) note(damaged, table.name, table.key.map(column => row[column]).join('/'), why)
      }
    } catch (error) {
      note(damaged, table.name, '', asError(error).message)
    }
  }
  try {
    await contents(database, (table, id, why) => note(damaged, table, id, why))
    for (const [table, why, sql] of LINKS)
      for (const { id } of await database.all<{ id: number | string }>(`${sql} LIMIT ${MOST_NAMED}`))
        note(dangling, table, id, why)
  } catch (error) {
    note(damaged, 'database', database.place, asError(error).message)
  }
  return { rows, damaged, dangling }
}

async function structure(database: Database, report: (why: string) => void): Promise<void> {
  if (database.dialect !== 'sqlite') return
  try {
    for (const row of await database.all('PRAGMA integrity_check(20)')) {
      const said = String(Object.values(row)[0])
      if (said !== 'ok') report(said)
    }
  } catch (error) {
    report(asError(error).message)
  }
  const [words] = await database
    .all<{ problem: number }>("SELECT count(*) AS problem FROM docs WHERE docs MATCH 'a*' AND rowid < 0")
    .catch(error => [{ problem: asError(error).message }])
  if (typeof words?.problem === 'string') report(`the index of words cannot be read: ${words.problem}`)
}

async function* everyRow(database: Database, table: Table): AsyncGenerator<TableRow> {
  const key = table.key
  const order = key.join(', ')
  const tuple = key.length === 1 ? key[0] : `(${order})`
  const marks = key.length === 1 ? '?' : `(${key.map(() => '?').join(', ')})`
  let last: TableRow | undefined
  // A pack is large; a few at a time.
  const limit = table === tables.PACKS ? 50 : ROWS_AT_ONCE
  for (;;) {
    const rows: TableRow[] = await database.all(
      `SELECT * FROM ${table.name} ${last ? `WHERE ${tuple} > ${marks}` : ''} ORDER BY ${order} LIMIT ${limit}`,
      last ? key.map(column => (last as TableRow)[column] ?? null) : [],
    )
    yield* rows
    if (rows.length < limit) return
    const next = rows.at(-1) as TableRow
    // A damaged key could lead in a circle.
    if (last && key.every(column => next[column] === (last as TableRow)[column]))
      throw new Error('its keys are damaged')
    last = next
  }
}

function sumProblem(table: Table, row: TableRow): string | undefined {
  if (table === tables.META && UNSUMMED.has(String(row.name))) return undefined
  return sumOf(table, row) === row.sum ? undefined : 'its checksum is another'
}

function packProblem(row: PackRow, place: string): string | undefined {
  try {
    unpack(row, place)
    return undefined
  } catch (error) {
    return asError(error).message
  }
}

/** Every record is where its row says, and every payload is what its hash says. */
async function contents(database: Database, report: (table: string, id: unknown, why: string) => void): Promise<void> {
  let opened: { id: number; content: Buffer } | undefined
  const open = async (id: number): Promise<Buffer | undefined> => {
    if (opened?.id === id) return opened.content
    const [row] = await database.lookup<PackRow>(tables.PACKS, ['id'], [[id]])
    try {
      opened = row && { id, content: unpack(row, database.place) }
    } catch {
      // The pack itself is reported.
      opened = undefined
      return undefined
    }
    if (!opened) report('packs', id, 'it is missing')
    return opened?.content
  }
  for await (const row of everyRow(database, tables.RECORDS)) {
    const { id, at, pack, start, size } = row as unknown as RecordRow
    const text = (await open(pack))?.subarray(start, start + size).toString()
    if (text !== undefined && !isRecordAt(text, at)) report('records', id, 'its content is not where it should be')
  }
  const byPack = { ...tables.PAYLOADS, key: ['pack', 'start', 'hash'] }
  for await (const row of everyRow(database, byPack)) {
    const { hash, pack, start, size } = row as unknown as PayloadRow
    const content = (await open(pack))?.subarray(start, start + size)
    if (content && contentHash(content) !== hash) report('payloads', hash, 'its content is another')
  }
}

function isRecordAt(text: string, at: number): boolean {
  try {
    const record = JSON.parse(text) as { at?: unknown }
    return (
      typeof record !== 'object' ||
      record === null ||
      record.at === undefined ||
      record.at === at ||
      at === 0 ||
      !Number.isSafeInteger(record.at)
    )
  } catch {
    // What was no JSON when it came is kept as it came.
    return at === 0
  }
}

/** What must lead somewhere. A record's trace may lead nowhere: its event may have been dropped before it. */
const LINKS: readonly [table: string, why: string, sql: string][] = [
  [
    'events',
    'its trace is missing',
    'SELECT e.id AS id FROM events e LEFT JOIN traces t ON t.id = e.trace WHERE t.id IS NULL',
  ],
  [
    'events',
    'its source is missing',
    'SELECT e.id AS id FROM events e LEFT JOIN parts p ON p.id = e.source WHERE p.id IS NULL',
  ],
  [
    'events',
    'its object is missing',
    'SELECT e.id AS id FROM events e LEFT JOIN objects b ON b.id = e.object WHERE e.object IS NOT NULL AND b.id IS NULL',
  ],
  [
    'events',
    'its payload is missing',
    'SELECT e.id AS id FROM events e LEFT JOIN payloads p ON p.hash = e.rest_hash WHERE e.rest_hash IS NOT NULL AND p.hash IS NULL',
  ],
  [
    'outcomes',
    'its trace is missing',
    'SELECT o.trace AS id FROM outcomes o LEFT JOIN traces t ON t.id = o.trace WHERE t.id IS NULL',
  ],
  [
    'records',
    'its content is missing',
    'SELECT r.id AS id FROM records r LEFT JOIN packs p ON p.id = r.pack WHERE p.id IS NULL',
  ],
  [
    'runs',
    'its trace is missing',
    'SELECT r.id AS id FROM runs r LEFT JOIN traces t ON t.id = r.trace WHERE r.trace IS NOT NULL AND t.id IS NULL',
  ],
  [
    'steps',
    'its run is missing',
    'SELECT s.run AS id FROM steps s LEFT JOIN runs r ON r.id = s.run WHERE r.id IS NULL',
  ],
  [
    'logs',
    'its run is missing',
    'SELECT l.record AS id FROM logs l LEFT JOIN runs r ON r.id = l.run WHERE r.id IS NULL',
  ],
  [
    'logs',
    'its content is missing',
    'SELECT l.record AS id FROM logs l LEFT JOIN packs p ON p.id = l.pack WHERE l.pack IS NOT NULL AND p.id IS NULL',
  ],
  [
    'writes',
    'its object is missing',
    'SELECT w.id AS id FROM writes w LEFT JOIN objects b ON b.id = w.object WHERE b.id IS NULL',
  ],
]
