import type { Database, OnConflict, Table, TableRow } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import type { Storing } from '../ingest/ingest.ts'
import { type ReadyRows, writeRows } from '../ingest/ready-rows.ts'
import { WorkerThread } from './worker-thread.ts'
import type { DatabasePlace } from './writer.ts'

/** A batch that is worth a hand follows soon, or not at all. */
const REST_MS = 2000

/** Batches change pages all over the indexes; what does not fit is written in between, and read again. It is given back with the thread. */
const CACHE_KIB = 64 * 1024

/** A second thread that stores what the writer has made of the records, while the writer makes more of the next ones. There only while
 *  much is to be stored. */
export class Hand {
  readonly #thread: WorkerThread

  constructor(program: string, file: string) {
    const url = program.startsWith('file:') ? new URL(program) : program
    this.#thread = new WorkerThread(url, { role: 'hand', database: { file } }, { restMs: REST_MS })
  }

  /** To be used until `letGo`. */
  take(): Storing {
    this.#thread.hold()
    return storingBy(this.#thread)
  }

  letGo(): void {
    this.#thread.release()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** What is in the thread itself. */
export class HandWork {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  static async open(place: DatabasePlace): Promise<HandWork> {
    if (!('file' in place)) throw new Error('a hand is for a file')
    const database = openSqlite({ file: place.file, isReadOnly: false, cacheKib: CACHE_KIB })
    database.becomeWriter()
    // What a statement that fails half-way would have to take back is not worth a file.
    await database.run('PRAGMA temp_store = MEMORY')
    return new HandWork(database)
  }

  run(sql: string): Promise<void> {
    return this.#database.run(sql)
  }

  insert(table: Table, rows: readonly TableRow[], onConflict: OnConflict): Promise<void> {
    return this.#database.insert(table, rows, onConflict)
  }

  write(rows: ReadyRows): Promise<void> {
    return writeRows(this.#database, rows)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

/** Sends what is to be stored in one piece: while it is stored, the one who sends does not answer. */
const storingBy = (thread: WorkerThread): Storing => ({
  keepsOrder: true,
  insert: (...args) => thread.call('insert', ...args),
  write: rows => thread.call('write', rows),
  async transaction(work) {
    await thread.call('run', 'BEGIN IMMEDIATE')
    try {
      const result = await work()
      await thread.call('run', 'COMMIT')
      return result
    } catch (error) {
      await thread.call('run', 'ROLLBACK').catch(() => {
        // Some errors end the transaction by themselves, or the thread is gone; the first error is the one to report.
      })
      throw error
    }
  },
})
