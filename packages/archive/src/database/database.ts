/** A value in a column. Whole numbers only; times are milliseconds since the epoch. */
export type Cell = number | string | null | Uint8Array

export type TableRow = Record<string, Cell>

export type ColumnType = 'int' | 'text' | 'blob'

/** What a table has, for statements that are made and not written. */
export interface Table {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType>>
  /** What tells its rows apart. */
  readonly key: readonly string[]
}

/** `replace-few`: as `replace`, of rows of which nearly all are new, besides those that are said to be known. */
export type OnConflict = 'replace' | 'replace-few' | 'ignore' | 'fail'

/** The cells of rows one after the other, as the table has its columns. */
export function cellsOf(table: Table, rows: readonly TableRow[]): Cell[] {
  const columns = Object.keys(table.columns)
  const cells: Cell[] = []
  for (const row of rows) for (const column of columns) cells.push(row[column] ?? null)
  return cells
}

/** The texts of records, one behind the other; their words are those that `words.ts` makes of them. */
export interface Docs {
  ids: readonly number[]
  /** Where each ends; the next one begins there. */
  ends: readonly number[]
  bytes: Uint8Array
}

/** Each with its record. */
export function* eachDoc({ ids, ends, bytes }: Docs): Generator<readonly [id: number, text: Buffer]> {
  let start = 0
  for (const [i, id] of ids.entries()) {
    const end = ends[i] as number
    yield [id, Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)]
    start = end
  }
}

/** A connection to a database: SQLite or PostgreSQL. Statements are written with `?` for values.
 *
 *  Calls on one connection must not overlap with a transaction on it; whoever holds it takes care of that. What fails
 *  rejects with a `Failure`: retryable when the database is away. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** File, or address without credentials; for people. */
  readonly place: string
  all<R extends object = TableRow>(sql: string, values?: readonly Cell[]): Promise<R[]>
  /** Several statements without values, or one with. */
  run(sql: string, values?: readonly Cell[]): Promise<void>
  /** Adds rows; those whose key is there are replaced or left alone. */
  insert(table: Table, rows: readonly TableRow[], onConflict: OnConflict): Promise<void>
  /** As `insert`, with the cells of all rows one after the other. The last `known` rows are there already. */
  insertCells(table: Table, cells: readonly Cell[], onConflict: OnConflict, known?: number): Promise<void>
  /** The rows whose columns are as in one of the keys. */
  lookup<R extends object = TableRow>(
    table: Table,
    columns: readonly string[],
    keys: readonly (readonly Cell[])[],
  ): Promise<R[]>
  /** Makes words findable: see `words.ts`. */
  index(docs: Docs): Promise<void>
  /** The words that begin so, in order, up to `most`. Only of a database that gathers all places of all of them before it tells the first:
   *  to ask for each of them takes a fraction of that. */
  readonly wordsFrom?: (beginning: string, most: number) => Promise<string[]>
  /** Forgets the words of records up to this one. */
  forgetWords(upTo: number): Promise<void>
  /** All of it or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** Bytes on disk. */
  size(): Promise<number>
  close(): Promise<void>
}
