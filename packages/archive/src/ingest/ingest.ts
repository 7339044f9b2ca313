import { Failure } from '@tiphys/env'
import type { Database } from '../database/database.ts'
import { BatchEnd } from './batch-rows.ts'
import { decode, type Incoming } from './incoming.ts'
import { Ledger } from './ledger.ts'
import { Projection } from './projection.ts'
import { endRows, putMeta, type ReadyRows, readyRows, writeRows } from './ready-rows.ts'

export interface Batch {
  records: readonly Incoming[]
  /** How far the journal has been read with these, and a checksum of the last of them; not for what is imported. */
  position?: { journal: number; sum: number }
}

/** So many records of a batch are looked at together: what is made of them is gone before it is moved to the memory of what stays. */
const AT_ONCE = 500
/** So much of what was made waits at most. */
const MOST_WAITING = 2
/** A batch of so many is worth a hand. */
const MANY = 2000

/** Who else can do some of the work. */
export interface IngestHelp {
  /** Another connection, to look up what is stored while the one that writes is busy. */
  lookups?: Database
  /** Another thread that stores. */
  hand?: { take(): Storing; letGo(): void }
}

/** What a batch is stored by. */
export interface Storing extends Pick<Database, 'transaction' | 'insert'> {
  /** Whether what it is given while it writes waits for its turn there. */
  readonly keepsOrder: boolean
  write(rows: ReadyRows): Promise<void>
}

/** Stores batches of records: rows, content, words and the journal's position, all in one transaction or not at all. One at a
 *  time, and the only writer of its database. */
export class Ingest {
  readonly #database: Database
  readonly #help: IngestHelp
  #ledger: Ledger | undefined

  constructor(database: Database, help: IngestHelp = {}) {
    this.#database = database
    this.#help = help
  }

  /** The number of the last record that was stored. */
  get last(): number {
    return this.#ledger?.last.record ?? 0
  }

  /** After something else than this has changed the tables. */
  forget(): void {
    this.#ledger = undefined
  }

  async store(batch: Batch): Promise<{ stored: number; last: number }> {
    try {
      return await this.#store(batch, true)
    } catch (error) {
      // A failure has a code and would come again; what the tables refuse is an event that was known already.
      if (error instanceof Failure) throw error
      return this.#store(batch, false)
    }
  }

  async #store({ records, position }: Batch, isHopeful: boolean): Promise<{ stored: number; last: number }> {
    const hand = records.length >= MANY ? this.#help.hand : undefined
    const storing = hand?.take() ?? storingIn(this.#database)
    // What this batch has added is in the ledger: only what was stored before is looked up.
    const lookups = hand ? this.#database : (this.#help.lookups ?? this.#database)
    try {
      const ledger = (this.#ledger ??= await Ledger.open(this.#database))
      let stored = 0
      await storing.transaction(async () => {
        const end = new BatchEnd()
        const line = new WaitingLine(storing)
        try {
          for (let at = 0; at < records.length; at += AT_ONCE) {
            const decoded = records.slice(at, at + AT_ONCE).map(decode)
            await ledger.load(lookups, decoded, isHopeful)
            const projection = new Projection(ledger, end)
            for (const record of decoded) if (projection.apply(record)) stored++
            await line.write(readyRows(projection))
          }
          await line.write(endRows(end))
        } finally {
          await line.settled()
        }
        const meta: [string, string][] = [['record', String(ledger.last.record)]]
        if (position) meta.push(['position', String(position.journal)], ['position-sum', String(position.sum)])
        await putMeta(storing, meta)
      })
      ledger.trim()
      return { stored, last: ledger.last.record }
    } catch (error) {
      // What it knows is not what is stored.
      this.#ledger = undefined
      throw error
    } finally {
      hand?.letGo()
    }
  }
}

/** What was made of records and waits to be stored: as much as keeps the one who stores at work when the next takes longer. */
class WaitingLine {
  readonly #storing: Storing
  readonly #waiting: Promise<void>[] = []

  constructor(storing: Storing) {
    this.#storing = storing
  }

  async write(rows: ReadyRows): Promise<void> {
    const last = this.#waiting.at(-1)
    const write = () => this.#storing.write(rows)
    const writing = !last || this.#storing.keepsOrder ? write() : last.then(write)
    // Told when it is waited for.
    writing.catch(() => {})
    this.#waiting.push(writing)
    if (this.#waiting.length > MOST_WAITING) await this.#waiting.shift()
  }

  async settled(): Promise<void> {
    await Promise.all(this.#waiting)
  }
}

const storingIn = (database: Database): Storing => ({
  keepsOrder: false,
  transaction: work => database.transaction(work),
  insert: (...args) => database.insert(...args),
  write: rows => writeRows(database, rows),
})
