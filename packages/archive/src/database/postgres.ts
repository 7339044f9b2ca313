import { asError, Failure } from '@tiphys/env'
import pg from 'pg'
import { databaseAway, inaccessibleDatabase, lockedDatabase } from '../failures.ts'
import { TOO_LONG } from '../query/full-text.ts'
import { wordsOf } from '../words.ts'
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

/** The advisory lock of whoever writes the archive of this database. */
const WRITER_LOCK = 0x54695061
/** How often it is asked for while nobody has it any more. */
const MOST_TRIES = 20
const INT8 = 20
const TYPES = { int: 'bigint', text: 'text', blob: 'bytea' } as const

export interface PostgresOptions {
  url: string
  isReadOnly: boolean
}

export async function openPostgres({ url, isReadOnly }: PostgresOptions): Promise<PostgresConnection> {
  const place = withoutCredentials(url)
  let pool: pg.Pool
  try {
    pool = new pg.Pool({
      connectionString: withoutAliases(url),
      application_name: `tiphys-archive ${process.pid}`,
      // A transaction belongs to one connection, and what writes is only ever one.
      max: isReadOnly ? 4 : 1,
      connectionTimeoutMillis: 5000,
      idleTimeoutMillis: 0,
      keepAlive: true,
      ...(isReadOnly ? { options: '-c default_transaction_read_only=on -c statement_timeout=30000' } : {}),
      types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never },
    })
  } catch (error) {
    throw inaccessibleDatabase(place, error)
  }
  // An idle connection that breaks is noticed by the next call.
  pool.on('error', () => {})
  // One that breaks while a statement is under way tells that statement; without a listener it would end the process as well.
  pool.on('connect', client => client.on('error', () => {}))
  const connection = new PostgresConnection(pool, place)
  try {
    await connection.all('SELECT 1')
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

export class PostgresConnection implements Database {
  readonly dialect = 'postgres'
  readonly place: string
  readonly #pool: pg.Pool
  /** While a transaction is under way all statements go there. */
  #client: pg.PoolClient | undefined
  /** Taken for good by the one who writes. */
  #isWriter = false

  constructor(pool: pg.Pool, place: string) {
    this.#pool = pool
    this.place = place
  }

  /** From now on this connection writes; there is only one that does. The lock is the session's: whoever dies lets it go. */
  async becomeWriter(): Promise<void> {
    this.#isWriter = true
    await this.#lock(await this.#connect())
  }

  async all<R extends object = TableRow>(sql: string, values: readonly Cell[] = []): Promise<R[]> {
    const { rows } = await this.#query(numbered(sql), values.map(cellOf))
    return rows as R[]
  }

  async run(sql: string, values: readonly Cell[] = []): Promise<void> {
    await this.#query(values.length === 0 ? sql : numbered(sql), values.map(cellOf))
  }

  async insert(table: Table, rows: readonly TableRow[], onConflict: OnConflict): Promise<void> {
    await this.insertCells(table, cellsOf(table, rows), onConflict)
  }

  async insertCells(table: Table, cells: readonly Cell[], onConflict: OnConflict): Promise<void> {
    if (cells.length === 0) return
    const columns = Object.entries(table.columns)
    const arrays = columns.map((): unknown[] => [])
    for (const [i, cell] of cells.entries()) arrays[i % columns.length]?.push(cellOf(cell))
    const lists = columns.map(([, type], i) => `$${i + 1}::${TYPES[type]}[]`)
    const names = columns.map(([column]) => column)
    const others = names.filter(column => !table.key.includes(column))
    const replace = ` ON CONFLICT (${table.key.join(', ')}) DO UPDATE SET ${others.map(name => `${name} = excluded.${name}`).join(', ')}`
    const conflict = { fail: '', ignore: ' ON CONFLICT DO NOTHING', replace, 'replace-few': replace }[onConflict]
    const sql = `INSERT INTO ${table.name} (${names.join(', ')}) SELECT * FROM unnest(${lists.join(', ')})${conflict}`
    await this.#query(sql, arrays.map(listOf), `${onConflict}-${table.name}`)
  }

  async lookup<R extends object = TableRow>(
    table: Table,
    columns: readonly string[],
    keys: readonly (readonly Cell[])[],
  ): Promise<R[]> {
    if (keys.length === 0) return []
    const lists = columns.map((column, i) => `$${i + 1}::${TYPES[table.columns[column] ?? 'text']}[]`)
    const on = columns.map((column, i) => `t.${column} = k.c${i}`).join(' AND ')
    const names = columns.map((_, i) => `c${i}`).join(', ')
    const arrays = columns.map((_, i) => keys.map(key => cellOf(key[i] ?? null)))
    const sql = `SELECT t.* FROM unnest(${lists.join(', ')}) AS k(${names}) JOIN ${table.name} t ON ${on}`
    return (await this.#query(sql, arrays.map(listOf))).rows as R[]
  }

  async index(docs: Docs): Promise<void> {
    if (docs.ids.length === 0) return
    const vectors: string[] = []
    for (const [, text] of eachDoc(docs)) vectors.push(vectorOf(wordsOf(text.toString()).slice(0, MOST_WORDS)))
    await this.#query(
      `INSERT INTO docs (id, words) SELECT id, words::tsvector FROM unnest($1::bigint[], $2::text[]) AS d(id, words)
        ON CONFLICT (id) DO UPDATE SET words = excluded.words`,
      [docs.ids, vectors].map(listOf),
      'index',
    )
  }

  async forgetWords(upTo: number): Promise<void> {
    await this.run('DELETE FROM docs WHERE id <= ?', [upTo])
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const client = await this.#connect()
    this.#client = client
    let broken: Error | undefined
    try {
      await this.#query('BEGIN', [])
      // Another writer may have come while this connection was away.
      if (this.#isWriter) await this.#lock(client)
      const result = await work()
      await this.#query('COMMIT', [])
      return result
    } catch (error) {
      broken = asError(error)
      await client.query('ROLLBACK').then(
        () => (broken = undefined),
        // The connection is gone, and the transaction with it.
        () => {},
      )
      throw error
    } finally {
      this.#client = undefined
      client.release(broken)
    }
  }

  async size(): Promise<number> {
    const rows = await this.all<{ bytes: number }>(
      `SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = current_schema()`,
    )
    return rows[0]?.bytes ?? 0
  }

  async close(): Promise<void> {
    // The session would let go of its lock, too, but only when the server has noticed its end: whoever opens next would come too early.
    if (this.#isWriter && this.#pool.idleCount > 0)
      await this.#query('SELECT pg_advisory_unlock_all()', []).catch(() => {})
    await this.#pool.end()
  }

  async #lock(client: pg.PoolClient): Promise<void> {
    const isInside = client === this.#client
    try {
      for (let tries = MOST_TRIES; ; tries--) {
        // Taking it again is harmless: it is counted, and goes with the session.
        const { rows } = await client.query(
          `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid::bigint = $1::bigint
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid = pg_backend_pid())
            OR pg_try_advisory_lock($1::bigint) AS mine`,
          [WRITER_LOCK],
        )
        if (rows[0]?.mine === true) return
        const holders = await client.query(
          `SELECT a.pid, a.application_name, a.client_addr::text AS address, a.backend_start::text AS since
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.objid::bigint = $1::bigint
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted`,
          [WRITER_LOCK],
        )
        const [holder] = holders.rows
        // Whoever had it is gone meanwhile: a session ends a little after its connection.
        if (!holder && tries > 1) continue
        const { pid, application_name: name, address, since } = holder ?? {}
        throw lockedDatabase(
          this.place,
          `${name ?? 'somebody'} (${address ?? 'on the same machine'}) writes it since ${since}, with the server's process ${pid}`,
        )
      }
    } catch (error) {
      throw this.#failure(error)
    } finally {
      if (!isInside) client.release()
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (thrown) {
      const error = this.#failure(thrown)
      // What is said before there is a connection, as of a certificate, is about none of what was to be stored.
      throw error instanceof Failure ? error : inaccessibleDatabase(this.place, error)
    }
  }

  /** What has a name is prepared once, by the one who writes: its connection is its own, and not shared by something in between. */
  async #query(sql: string, values: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    const isInside = this.#client !== undefined
    const client = this.#client ?? (await this.#connect())
    let failed: Error | undefined
    try {
      if (name === undefined || !this.#isWriter) return await client.query(sql, values as unknown[])
      return await client.query({ name, text: sql, values: values as unknown[] })
    } catch (error) {
      failed = asError(error)
      throw this.#failure(error)
    } finally {
      // Outside of a transaction a connection on which something failed is not used again.
      if (!isInside) client.release(failed)
    }
  }

  #failure(thrown: unknown): Error {
    return failureOf(this.place, thrown)
  }
}

/** What a server or the way to it has said. What is no failure is about what was sent. */
export function failureOf(place: string, thrown: unknown): Error {
  const error = asError(thrown)
  const code = String((thrown as { code?: unknown } | undefined)?.code ?? '')
  // Rights and names are wrong until somebody changes them.
  if (/^(?:28|3D|3F|42501)/.test(code)) return inaccessibleDatabase(place, error)
  // Connection, resources, shutdown, conflicts; and what never reached a server has no code of its. Those of Node itself begin with ERR_.
  const isAway = /^(?:08|53|57|58|40|55|25006|E(?!RR_)[A-Z_]+$)/.test(code) || isConnectionError(error)
  return isAway ? databaseAway(place, error) : error
}

function isConnectionError({ message }: Error): boolean {
  return /connection (?:terminated|timeout)|timeout exceeded when trying to connect|client has encountered a connection error/i.test(
    message,
  )
}

/** A text of PostgreSQL has no zero character; content that may have one is kept as bytes. */
const cellOf = (cell: Cell): unknown => {
  if (typeof cell === 'string') return cell.includes('\0') ? cell.replaceAll('\0', '\ufffd') : cell
  return cell instanceof Uint8Array && !Buffer.isBuffer(cell) ? Buffer.from(cell) : cell
}

/** A list as PostgreSQL writes it, which but for the brackets is mostly as JSON writes it; what is not is left to the driver, which
 *  takes several times as long. */
function listOf(cells: readonly unknown[]): unknown {
  if (cells.some(cell => cell instanceof Uint8Array)) return cells
  const json = JSON.stringify(cells)
  return WRITTEN_OTHERWISE.test(json) ? cells : `{${json.slice(1, -1)}}`
}

/** Letters that JSON writes with a letter of their own. */
const WRITTEN_OTHERWISE = /\\[^"\\]/

const numberedTexts = new Map<string, string>()

/** `?` as `$1`, `$2`, … The statements are ours and have no question marks in quotes. */
function numbered(sql: string): string {
  let text = numberedTexts.get(sql)
  if (text === undefined) {
    let number = 0
    text = sql.replaceAll('?', () => `$${++number}`)
    if (numberedTexts.size > 1000) numberedTexts.clear()
    numberedTexts.set(sql, text)
  }
  return text
}

/** Of one word, and of all. */
const [MOST_POSITIONS, LAST_POSITION] = [250, 16_383]
/** A vector has room for a megabyte. */
const MOST_WORDS = 50_000

/** The words as PostgreSQL writes a vector: every word once, with its places. */
function vectorOf(words: readonly string[]): string {
  const places = new Map<string, number[]>()
  let isWhole = words.length <= LAST_POSITION
  for (const [i, word] of words.entries()) {
    const known = places.get(word)
    if (!known) places.set(word, [i + 1])
    else if (known.length < MOST_POSITIONS) known.push(i + 1)
    else isWhole = false
  }
  const vector = [...places].map(([word, at]) => `'${word}':${at.join(',')}`)
  return [...vector, ...(isWhole ? [] : [TOO_LONG])].join(' ')
}

/** The driver takes these words for `verify-full`, and warns whoever starts Tiphys that it may not for ever. */
function withoutAliases(url: string): string {
  return url.includes('uselibpqcompat=')
    ? url
    : url.replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full')
}

function withoutCredentials(url: string): string {
  try {
    const parsed = new URL(url)
    parsed.username = ''
    parsed.password = ''
    const secret = [...parsed.searchParams.keys()].filter(name => /password|passfile|sslkey/i.test(name))
    for (const name of secret) parsed.searchParams.delete(name)
    return parsed.toString()
  } catch {
    return 'the database that was named'
  }
}
