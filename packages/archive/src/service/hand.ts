import type { Database } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import type { Storing } from '../ingest/ingest.ts'
import { type ReadyRows, writeRows } from '../ingest/ready-rows.ts'
import { WaitingLine } from '../ingest/waiting-line.ts'
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
  #users = 0
  #lastNumber = 0
  /** The batch that was given last, as long as it is not known what became of it. */
  #underWay: number | undefined

  constructor(program: string, file: string) {
    const url = program.startsWith('file:') ? new URL(program) : program
    this.#thread = new WorkerThread(url, { role: 'hand', database: { file } }, { restMs: REST_MS })
  }

  /** To be used until `letGo`. */
  take(): Storing {
    if (this.#users++ === 0) this.#thread.hold()
    return { store: (work, onGiven) => this.#store(work, onGiven) }
  }

  letGo(): void {
    if (--this.#users === 0) this.#thread.release()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  /** Sends all there is to do without waiting for answers: while it stores, the thread does not answer, and it does one after the other. */
  async #store(...[work, onGiven]: Parameters<Storing['store']>): Promise<void> {
    const number = ++this.#lastNumber
    const send = (method: keyof HandWork, ...args: readonly unknown[]) => {
      const done = this.#thread.call<void>(method, number, ...args)
      // Told when it is waited for.
      done.catch(() => {})
      return done
    }
    const begun = send('begin', this.#underWay)
    this.#underWay = number
    const line = new WaitingLine({ keepsOrder: true })
    try {
      await work(rows => line.add(() => send('write', rows)))
      const committed = send('commit')
      onGiven()
      // In this order: the first that fails says why, what comes after it was refused.
      await begun
      await line.settled()
      await committed
    } catch (error) {
      await send('rollback').catch(() => {
        // The thread is gone, and the transaction with it; the first error is the one to report.
      })
      throw error
    } finally {
      if (this.#underWay === number) this.#underWay = undefined
    }
  }
}

/** What is in the thread itself. Batches have numbers, as the next one is sent before it is known what became of the one before. */
export class HandWork {
  readonly #database: Database
  /** The one whose transaction is open. */
  #open: number | undefined
  #committed: number | undefined

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

  /** Refused unless `after`, if any, was stored. */
  async begin(number: number, after: number | undefined): Promise<void> {
    if (after !== undefined && after !== this.#committed) throw new Error(`the batch before ${number} was not stored`)
    await this.#database.run('BEGIN IMMEDIATE')
    this.#open = number
  }

  write(number: number, rows: ReadyRows): Promise<void> {
    return this.#do(number, () => writeRows(this.#database, rows))
  }

  async commit(number: number): Promise<void> {
    await this.#do(number, () => this.#database.run('COMMIT'))
    this.#open = undefined
    this.#committed = number
  }

  async rollback(number: number): Promise<void> {
    if (this.#open !== number) return
    this.#open = undefined
    await this.#database.run('ROLLBACK').catch(() => {
      // Some errors end the transaction by themselves.
    })
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  /** After something has failed, nothing of the same batch is done any more. */
  async #do(number: number, work: () => Promise<void>): Promise<void> {
    if (this.#open !== number) throw new Error(`batch ${number} is not stored: something before this has failed`)
    try {
      await work()
    } catch (error) {
      await this.rollback(number)
      throw error
    }
  }
}
