import { statSync } from 'node:fs'
import { asError } from '@tiphys/env'
import SqliteDatabase from 'libsql'
import { corruptDatabase, databaseAway, inaccessibleDatabase } from '../failures.ts'
import { isPlain, plainText } from '../words.ts'
import {
  type Cell,
  cellsOf,
  type Database,
  type Docs,
  eachDoc,
  type OnConflict,
  type Table,
  type TableRow,
} from './database.ts'

/** Of each connection; the machine's own cache has the rest. */
const CACHE_KIB = 16 * 1024
/** Rows in one statement, as many as there are left for: the call costs as much as the row. */
const ROWS_TOGETHER = [32, 8, 2, 1]
/** A WAL of this many pages is copied into the database: the same pages change with every batch, and are copied once. */
const CHECKPOINT_PAGES = 16_000
/** No word has it, and it sorts before all that words have. */
const BEFORE_LETTERS = '!'
export const APPLICATION_ID = 0x54695061

export interface SqliteOptions {
  file: string
  isReadOnly: boolean
  /** How much of the database it remembers, when that is not the usual. */
  cacheKib?: number
}

/** Opens a connection, which blocks its thread while it works: only for a thread of its own, or where nothing else runs. */
export function openSqlite({ file, isReadOnly, cacheKib = CACHE_KIB }: SqliteOptions): SqliteConnection {
  let connection: SqliteDatabase.Database
  try {
    connection = new SqliteDatabase(file)
  } catch (error) {
    throw inaccessibleDatabase(file, error)
  }
  return new SqliteConnection(connection, file, isReadOnly, cacheKib)
}

/** How libsql gives rows; its own types know less. */
interface Statement {
  raw(isRaw: boolean): Statement
  all(...values: unknown[]): unknown[][]
  run(...values: unknown[]): unknown
  columns(): { name: string; type: string | null }[]
}

interface Prepared {
  statement: Statement
  rowOf(cells: readonly unknown[]): TableRow
}

export class SqliteConnection implements Database {
  readonly dialect = 'sqlite'
  readonly place: string
  readonly #connection: SqliteDatabase.Database
  readonly #prepared = new Map<string, Prepared>()
  /** By table and number of rows: their texts are long. */
  readonly #inserts = new Map<string, Statement>()
  #isWriter = false
  #hasWordList = false
  #isSchemaRead = false

  constructor(connection: SqliteDatabase.Database, place: string, isReadOnly: boolean, cacheKib: number) {
    this.#connection = connection
    this.place = place
    this.#exec('PRAGMA busy_timeout = 5000')
    this.#exec(`PRAGMA cache_size = -${cacheKib}`)
    // Until the database is known to be ours it is only looked at. A reader never gets further.
    this.#exec('PRAGMA query_only = 1')
    if (isReadOnly) this.#exec('PRAGMA temp_store = MEMORY')
  }

  /** From now on this connection writes. An acknowledged commit survives the loss of power: libsql may come back with
   *  less when a database is opened again, so it is set and read back each time. */
  becomeWriter(): void {
    this.#isWriter = true
    this.#exec('PRAGMA query_only = 0')
    this.#exec('PRAGMA journal_mode = WAL')
    this.#exec('PRAGMA synchronous = FULL')
    this.#exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    const [mode, synchronous] = [this.pragma('journal_mode'), this.pragma('synchronous')]
    if (mode !== 'wal' || synchronous !== 2)
      throw inaccessibleDatabase(
        this.place,
        new Error(
          `it cannot be made safe against the loss of power (journal_mode ${String(mode)}, synchronous ${String(synchronous)})`,
        ),
      )
  }

  pragma(name: string): Cell {
    return Object.values(this.#all(`PRAGMA ${name}`, [])[0] ?? {})[0] ?? null
  }

  async all<R extends object = TableRow>(sql: string, values: readonly Cell[] = []): Promise<R[]> {
    return this.#all(sql, values) as R[]
  }

  async run(sql: string, values: readonly Cell[] = []): Promise<void> {
    if (values.length === 0) this.#exec(sql)
    else this.#try(() => this.#prepare(sql).statement.run(...values))
  }

  async insert(table: Table, rows: readonly TableRow[], onConflict: OnConflict): Promise<void> {
    await this.insertCells(table, cellsOf(table, rows), onConflict)
  }

  async insertCells(table: Table, cells: readonly Cell[], onConflict: OnConflict, known = 0): Promise<void> {
    this.#try(() => {
      const added = cells.length - known * Object.keys(table.columns).length
      this.#insertCells(table, known === 0 ? cells : cells.slice(0, added), onConflict)
      if (known > 0) this.#insertCells(table, cells.slice(added), 'replace')
    })
  }

  #insertCells(table: Table, cells: readonly Cell[], onConflict: OnConflict): void {
    const width = Object.keys(table.columns).length
    let at = 0
    // To replace one of several rows, SQLite has to remember every page as it was before, and stores what words are waiting.
    for (const count of onConflict === 'replace' ? [1] : ROWS_TOGETHER)
      for (const size = count * width; cells.length - at >= size; at += size)
        this.#insertRows(table, cells.slice(at, at + size), count, onConflict)
  }

  #insertRows(table: Table, cells: readonly Cell[], count: number, onConflict: OnConflict): void {
    if (onConflict !== 'replace-few') return void this.#into(table, count, onConflict).run(cells)
    try {
      this.#into(table, count, 'fail').run(cells)
    } catch (error) {
      // Those before the one that is there were added, which changes nothing for them.
      if (!codeOf(error).startsWith('SQLITE_CONSTRAINT')) throw error
      this.#insertCells(table, cells, 'replace')
    }
  }

  #into(table: Table, count: number, onConflict: Exclude<OnConflict, 'replace-few'>): Statement {
    const key = `${onConflict} ${count} ${table.name}`
    let statement = this.#inserts.get(key)
    if (!statement) {
      statement = this.#prepare(insertInto(table, count, onConflict)).statement
      this.#inserts.set(key, statement)
    }
    return statement
  }

  async lookup<R extends object = TableRow>(
    table: Table,
    columns: readonly string[],
    keys: readonly (readonly Cell[])[],
  ): Promise<R[]> {
    if (keys.length === 0) return []
    // One statement for all of them: most find nothing, and each would cost more than the search. The order is said: key by key, each in an index.
    const on = columns.map(
      (column, i) => `t.${column} = ${columns.length === 1 ? 'k.value' : `json_extract(k.value, '$[${i}]')`}`,
    )
    const sql = `SELECT t.* FROM json_each(?) AS k CROSS JOIN ${table.name} AS t WHERE ${on.join(' AND ')}`
    return this.#all(sql, [JSON.stringify(columns.length === 1 ? keys.flat() : keys)]) as R[]
  }

  async index(docs: Docs): Promise<void> {
    this.#try(() => {
      // A record has a number of its own: there is none to replace.
      const { statement } = this.#prepare('INSERT INTO docs (rowid, words) VALUES (?, ?)')
      for (const [id, text] of eachDoc(docs)) statement.run([id, isPlain(text) ? text : plainText(text.toString())])
    })
  }

  async wordsFrom(beginning: string, most: number): Promise<string[]> {
    this.#listWords()
    const words: string[] = []
    for (let from = beginning; words.length < most; ) {
      // From the beginning of what follows: to step there would go through all places of the word.
      const [next] = this.#all('SELECT term FROM temp.docs_words WHERE term >= ? LIMIT 1', [from])
      const word = next?.term
      if (typeof word !== 'string' || !word.startsWith(beginning)) break
      words.push(word)
      from = `${word}${BEFORE_LETTERS}`
    }
    return words
  }

  /** What the index of words has, as a table. It is of this connection alone: nothing is written. */
  #listWords(): void {
    if (this.#hasWordList) return
    if (!this.#isWriter) this.#exec('PRAGMA query_only = 0')
    try {
      this.#exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.docs_words USING fts5vocab(main, docs, instance)')
      this.#hasWordList = true
    } finally {
      if (!this.#isWriter) this.#exec('PRAGMA query_only = 1')
    }
  }

  async forgetWords(upTo: number): Promise<void> {
    await this.run('DELETE FROM docs WHERE rowid <= ?', [upTo])
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    this.#exec('BEGIN IMMEDIATE')
    try {
      const result = await work()
      this.#exec('COMMIT')
      return result
    } catch (error) {
      try {
        this.#exec('ROLLBACK')
      } catch {
        // Some errors end the transaction by themselves; the first error is the one to report.
      }
      throw error
    }
  }

  async size(): Promise<number> {
    return ['', '-wal'].reduce((sum, ending) => {
      return sum + (statSync(this.place + ending, { throwIfNoEntry: false })?.size ?? 0)
    }, 0)
  }

  async close(): Promise<void> {
    this.#prepared.clear()
    this.#inserts.clear()
    // libsql lets go of the files some time later; what is in the WAL is brought home now.
    if (this.#isWriter) this.#try(() => this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    this.#connection.close()
  }

  #exec(sql: string): void {
    this.#try(() => this.#connection.exec(sql))
  }

  #all(sql: string, values: readonly Cell[]): TableRow[] {
    return this.#try(() => {
      const { statement, rowOf } = this.#prepare(sql)
      return statement.all(...values).map(rowOf)
    })
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    // Lists are asked for in ever new ways: what was used least goes.
    if (this.#prepared.size > 200) this.#prepared.delete(this.#prepared.keys().next().value as string)
    this.#checkSchema()
    const prepared = prepare(this.#connection, sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }

  /** libsql ends the whole process, too, over the name or type of a column that is no UTF-8: they are as the schema has them. */
  #checkSchema(): void {
    if (this.#isSchemaRead) return
    const texts = this.#connection.prepare('SELECT CAST(sql AS BLOB) FROM sqlite_master WHERE sql IS NOT NULL')
    for (const [text] of (texts as unknown as Statement).raw(true).all()) UTF8.decode(text as ArrayBuffer)
    this.#isSchemaRead = true
  }

  #try<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#failure(error)
    }
  }

  #failure(thrown: unknown): Error {
    const code = codeOf(thrown)
    const error = asError(thrown)
    if (/^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|NOMEM|PROTOCOL)/.test(code)) return databaseAway(this.place, error)
    if (/^SQLITE_(?:CORRUPT|NOTADB)|^ERR_ENCODING_INVALID/.test(code) || error.message.includes(NO_JSON))
      return corruptDatabase(this.place, error.message, error)
    if (/^SQLITE_(?:READONLY|CANTOPEN|PERM|AUTH)/.test(code)) return inaccessibleDatabase(this.place, error)
    return error
  }
}

const codeOf = (thrown: unknown): string => String((thrown as { code?: unknown } | undefined)?.code ?? '')

function insertInto(table: Table, count: number, onConflict: Exclude<OnConflict, 'replace-few'>): string {
  const columns = Object.keys(table.columns)
  const tuple = `(${columns.map(() => '?').join(', ')})`
  const others = columns.filter(column => !table.key.includes(column))
  // A row that is refused ends the transaction anyway: nothing has to be remembered to take back those before it.
  const verb = onConflict === 'fail' ? 'INSERT OR FAIL' : 'INSERT'
  // Not OR REPLACE, which would take the row out of every index and put it back.
  const conflict = {
    fail: '',
    ignore: ' ON CONFLICT DO NOTHING',
    replace: ` ON CONFLICT (${table.key.join(', ')}) DO UPDATE SET ${others.map(name => `${name} = excluded.${name}`).join(', ')}`,
  }[onConflict]
  return `${verb} INTO ${table.name} (${columns.join(', ')}) VALUES ${Array(count).fill(tuple).join(', ')}${conflict}`
}

function prepare(connection: SqliteDatabase.Database, sql: string): Prepared {
  const statement = connection.prepare(sql) as unknown as Statement
  const columns = columnsOf(statement)
  if (columns.length === 0 || !/^\s*(?:SELECT|WITH)\b/i.test(sql))
    return { statement, rowOf: cells => rowOf(columns, cells) }
  return prepareSafely(connection, sql, columns)
}

interface Column {
  name: string
  isBytes: boolean
}

/** libsql ends the whole process when it reads a text that is no UTF-8, which damage to the file makes of any text. So no text
 *  is read as one: a row's values come as the bytes of a JSON array, besides those that are bytes by themselves. */
function prepareSafely(connection: SqliteDatabase.Database, sql: string, columns: readonly Column[]): Prepared {
  const names = columns.map((_, i) => `c${i}`)
  const values = names.filter((_, i) => columns[i]?.isBytes === false)
  const bytes = names.filter((_, i) => columns[i]?.isBytes === true)
  const results = [
    `CAST(json_array(${values.join(', ')}) AS BLOB)`,
    ...bytes.map(name => `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`),
  ]
  const safe = `WITH found(${names.join(', ')}) AS (${sql}) SELECT ${results.join(', ')} FROM found`
  const statement = (connection.prepare(safe) as unknown as Statement).raw(true)
  return {
    statement,
    rowOf([json, ...bytes]) {
      const values = JSON.parse(UTF8.decode(json as ArrayBuffer)) as unknown[]
      let [nextValue, nextBytes] = [0, 0]
      return rowOf(
        columns,
        columns.map(({ isBytes }) => (isBytes ? bytes[nextBytes++] : values[nextValue++])),
      )
    },
  }
}

/** What SQLite says of bytes where there should be a text or a number. */
const NO_JSON = 'JSON cannot hold BLOB values'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Of the columns that a statement gives; of one that gives none libsql refuses to tell. */
function columnsOf(statement: Statement): Column[] {
  try {
    return statement
      .raw(true)
      .columns()
      .map(({ name, type }) => ({ name, isBytes: type === 'BLOB' }))
  } catch {
    return []
  }
}

function rowOf(columns: readonly Column[], cells: readonly unknown[]): TableRow {
  const row: TableRow = {}
  for (let i = 0; i < columns.length; i++) {
    const cell = cells[i]
    row[(columns[i] as Column).name] = cell instanceof ArrayBuffer ? new Uint8Array(cell) : ((cell ?? null) as Cell)
  }
  return row
}
