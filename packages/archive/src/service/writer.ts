import { chmodSync, existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { asError, type Env, Failure } from '@tiphys/env'
import type { Retention, RetentionResult } from '../archive.ts'
import type { Database } from '../database/database.ts'
import { migrate, schemaVersion } from '../database/migrate.ts'
import { openPostgres } from '../database/postgres.ts'
import { APPLICATION_ID, openSqlite, type SqliteConnection } from '../database/sqlite.ts'
import { isNewSqliteFile } from '../database/sqlite-file.ts'
import { inaccessibleDatabase, unsupported } from '../failures.ts'
import { type Batch, Ingest, type IngestHelp, storedPosition } from '../ingest/ingest.ts'
import { retain } from '../maintain/retention.ts'
import { spaceOf } from '../maintain/space.ts'
import { newOnes, readLines } from '../maintain/transfer.ts'
import { Hand } from './hand.ts'
import { type PackedBatch, unpackBatch } from './packed-batch.ts'

export type DatabasePlace = { file: string } | { url: string }

/** Less than others have: it stores little at a time, as much is stored by a hand, and what it has had of memory is in pieces afterwards, which
 *  the machine does not get back. */
const CACHE_KIB = 8 * 1024

type Surroundings = Pick<Env, 'clock' | 'random'>

/** What changes the database, one thing after the other. That it is the only one is seen to by a lock: of a file by the one who opens
 *  this (`writer-lock.ts`), of a server's database by the server. */
export class ArchiveWriter {
  readonly #database: Database
  readonly #env: Surroundings
  readonly #ingest: Ingest
  /** What else is open for it. */
  readonly #others: readonly { close(): Promise<void> }[]
  #queue: Promise<unknown> = Promise.resolve()

  private constructor(
    database: Database,
    env: Surroundings,
    help: IngestHelp,
    others: readonly { close(): Promise<void> }[],
  ) {
    this.#database = database
    this.#env = env
    this.#ingest = new Ingest(database, help)
    this.#others = others
  }

  /** `program` is that of the thread it lives in, if it does. */
  static async open(place: DatabasePlace, env: Surroundings, program?: string): Promise<ArchiveWriter> {
    return 'file' in place
      ? ArchiveWriter.#openFile(resolve(place.file), env, program)
      : ArchiveWriter.#openServer(place.url, env)
  }

  static async #openServer(url: string, env: Surroundings): Promise<ArchiveWriter> {
    const database = await openPostgres({ url, isReadOnly: false })
    try {
      await schemaVersion(database)
      await database.becomeWriter()
      await migrate(database)
      // The server works on what was made of some records while more is made of the next.
      const lookups = await openPostgres({ url, isReadOnly: true })
      return new ArchiveWriter(database, env, { lookups }, [lookups])
    } catch (error) {
      await database.close()
      throw error
    }
  }

  static async #openFile(file: string, env: Surroundings, program: string | undefined): Promise<ArchiveWriter> {
    let database: SqliteConnection | undefined
    try {
      const isNew = isNewSqliteFile(file)
      database = openSqlite({ file, isReadOnly: false, cacheKib: CACHE_KIB })
      // Only looked at so far: what is not ours stays as it is.
      await schemaVersion(database)
      if (isNew) await prepare(database, file, env)
      database.becomeWriter()
      await migrate(database)
      const hand = program === undefined ? undefined : new Hand(program, file)
      return new ArchiveWriter(database, env, hand ? { hand } : {}, hand ? [hand] : [])
    } catch (error) {
      await database?.close()
      throw error instanceof Failure ? error : inaccessibleDatabase(file, error)
    }
  }

  /** How far the journal is in the database. */
  position(): Promise<{ journal: number; sum: number }> {
    return this.#inTurn(() => storedPosition(this.#database))
  }

  /** The next one's turn comes when all that was made of this one is on its way. */
  store(batch: Batch): Promise<{ stored: number; last: number }> {
    return new Promise((resolve, reject) => {
      this.#queue = this.#queue.then(
        () =>
          new Promise<void>(next => {
            this.#ingest.store(batch, next).then(resolve, reject).finally(next)
          }),
      )
    })
  }

  storePacked(batch: PackedBatch): Promise<{ stored: number; last: number }> {
    return this.store(unpackBatch(batch))
  }

  retain(retention: Retention): Promise<RetentionResult> {
    return this.#inTurn(async () => {
      try {
        return await retain(this.#database, spaceOf(this.#database), retention, this.#env.clock.now())
      } finally {
        this.#ingest.forget()
      }
    })
  }

  /** Takes lines of an export up to the first that is none, and then rejects; `first` is the number of the first. */
  import(lines: readonly string[], first: number): Promise<{ records: number; skipped: number; last: number }> {
    return this.#inTurn(async () => {
      const { incoming, invalid } = readLines(lines, first)
      const fresh = await newOnes(this.#database, incoming)
      const { stored, last } = await this.#ingest.store({ records: fresh })
      if (invalid) throw invalid
      return { records: stored, skipped: incoming.length - stored, last }
    })
  }

  /** A copy of the whole, consistent and compact, made by the database itself. */
  backup(file: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#database.dialect !== 'sqlite')
        throw unsupported('An archive in PostgreSQL is not backed up by Tiphys', 'Use pg_dump, or `export`')
      const target = resolve(file)
      if (existsSync(target)) throw inaccessibleDatabase(target, new Error('there is a file of that name already'))
      try {
        await this.#database.run('VACUUM INTO ?', [target])
        chmodSync(target, 0o600)
      } catch (error) {
        rmSync(target, { force: true })
        throw asError(error)
      }
    })
  }

  /** Lets go of what is remembered of the database: all of it can be read again. */
  rest(): Promise<void> {
    return this.#inTurn(async () => {
      this.#ingest.forget()
      if (this.#database.dialect === 'sqlite') await this.#database.run('PRAGMA shrink_memory')
    })
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {})
    for (const other of this.#others) await other.close()
    await this.#database.close()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => this.#ingest.settled()).then(work)
    // The one who asked is told; the next one's turn comes all the same.
    this.#queue = result.catch(() => {})
    return result
  }
}

/** What can only be said before a database has its first table. */
async function prepare(database: SqliteConnection, file: string, { random }: Surroundings): Promise<void> {
  await database.run('PRAGMA query_only = 0')
  await database.run('PRAGMA auto_vacuum = INCREMENTAL')
  await database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  // Tells this archive from every other, in the header and so in every WAL that belongs to it.
  await database.run(`PRAGMA user_version = ${1 + Math.floor(random.next() * 0x7ffffffe)}`)
  chmodSync(file, 0o600)
}
