import { Failure } from '@tiphys/env'
import type { Database } from '../database/database.ts'
import { databaseAway } from '../failures.ts'
import { BatchEnd } from './batch-rows.ts'
import { decode, type Incoming } from './incoming.ts'
import { Ledger } from './ledger.ts'
import { Projection } from './projection.ts'
import { endRows, type ReadyRows, readyRows, writeRows } from './ready-rows.ts'
import { WaitingLine } from './waiting-line.ts'

export interface Batch {
  records: readonly Incoming[]
  /** How far the journal has been read with these, and a checksum of the last of them; not for what is imported. */
  position?: { journal: number; sum: number }
  /** Where the one before ends, of a batch that is given while that one is under way: it is stored only if that one is. */
  after?: number
}

/** So many records of a batch are looked at together: their rows are stored table by table, while its pages are at hand. What is made of many
 *  more would be moved to the memory of what stays. */
const AT_ONCE = 2000
/** A batch of so many records is worth a hand. */
export const WORTH_A_HAND = 2000
/** So many times as much as usual is remembered of a journal that is far behind. */
const PATIENCE = 3

/** Who else can do some of the work. */
export interface IngestHelp {
  /** Another connection, to look up what is stored while the one that writes is busy. */
  lookups?: Database
  /** Another thread that stores. */
  hand?: { take(): Storing; letGo(): void }
}

/** What a batch is stored by. */
export interface Storing {
  /** Stores all that `work` writes, or nothing. `onGiven` is called, if at all before it is stored, when the next batch may be given: it waits for
   *  its turn, and is refused when this one fails. */
  store(work: (write: (rows: ReadyRows) => Promise<void>) => Promise<void>, onGiven: () => void): Promise<void>
}

interface Stored {
  stored: number
  last: number
}

interface How {
  /** Events that are not remembered are taken for new. */
  isHopeful: boolean
  /** Whether it may be stored already. */
  isDoubtful: boolean
  /** Whether the batch before is stored, once that is known. */
  before: Promise<boolean>
  onGiven: () => void
}

/** How far the journal is in a database. */
export async function storedPosition(database: Database): Promise<NonNullable<Batch['position']>> {
  const rows = await database.all<{ name: string; value: string }>(
    "SELECT name, value FROM meta WHERE name IN ('position', 'position-sum')",
  )
  const facts = new Map(rows.map(({ name, value }) => [name, Number(value)]))
  return { journal: facts.get('position') ?? 0, sum: facts.get('position-sum') ?? 0 }
}

/** Stores batches of records: rows, content, words and the journal's position, all in one transaction or not at all. One after the
 *  other, and the only writer of its database. */
export class Ingest {
  readonly #database: Database
  readonly #help: IngestHelp
  #ledger: Ledger | undefined
  /** How far the journal is stored, or will be if all goes well; undefined when that is not known. */
  #position: number | undefined
  /** Of the batch that was given last: whether it is stored, once that is known. */
  #outcome: Promise<boolean> = Promise.resolve(true)
  /** How many batches were not stored at once: until it is known what becomes of them, no other is begun. */
  #troubles = 0
  /** Of each batch that is tried at the moment. */
  readonly #tries = new Set<Promise<unknown>>()

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

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#outcome
  }

  /** `onGiven` is called, if at all before it is stored, when the next batch may be given. */
  async store(batch: Batch, onGiven: () => void = () => {}): Promise<Stored> {
    const { position, after } = batch
    if (after !== undefined && after !== this.#position) throw this.#outOfTurn()
    const isDoubtful = this.#position === undefined
    const stored = this.#insist(batch, { before: this.#outcome, isDoubtful, onGiven })
    if (position) this.#position = position.journal
    this.#outcome = stored.then(
      () => true,
      () => {
        this.#position = undefined
        return false
      },
    )
    return stored
  }

  async #insist(batch: Batch, how: Omit<How, 'isHopeful'>): Promise<Stored> {
    const { before } = how
    try {
      return await this.#try(batch, { ...how, isHopeful: true })
    } catch (error) {
      // A failure has a code and would come again; what the tables refuse is an event that was known already.
      if (error instanceof Failure) throw error
      this.#troubles++
      try {
        if (!(await before) && batch.after !== undefined) throw this.#outOfTurn()
        // What was given meanwhile is refused.
        await Promise.allSettled(this.#tries)
        return await this.#try(batch, { ...how, isHopeful: false, onGiven: () => {} })
      } finally {
        this.#troubles--
      }
    }
  }

  #outOfTurn(): Failure {
    return databaseAway(this.#database.place, new Error('the batch before this one was not stored'))
  }

  async #try(batch: Batch, how: How): Promise<Stored> {
    const trying = this.#store(batch, how)
    this.#tries.add(trying)
    try {
      return await trying
    } catch (error) {
      // What it knows is not what is stored.
      this.#ledger = undefined
      throw error
    } finally {
      this.#tries.delete(trying)
    }
  }

  async #store({ records, position, after }: Batch, { isHopeful, isDoubtful, before, onGiven }: How): Promise<Stored> {
    const hand = records.length >= WORTH_A_HAND ? this.#help.hand : undefined
    const isAhead = hand !== undefined && after !== undefined && this.#troubles === 0
    if (!isAhead && !(await before) && after !== undefined) throw this.#outOfTurn()
    const storing = hand?.take() ?? storingIn(this.#database)
    // What this batch and the one before have added is in the ledger: only what was stored before is looked up.
    const lookups = hand ? this.#database : (this.#help.lookups ?? this.#database)
    try {
      const ledger = await this.#openLedger(before, isAhead)
      if (isDoubtful && position && (await this.#isStored(position))) return { stored: 0, last: ledger.last.record }
      let stored = 0
      let last = 0
      await storing.store(async write => {
        const end = new BatchEnd()
        for (let at = 0; at < records.length; at += AT_ONCE) {
          const decoded = records.slice(at, at + AT_ONCE).map(decode)
          await ledger.load(lookups, decoded, isHopeful)
          const projection = new Projection(ledger, end)
          for (const record of decoded) projection.apply(record)
          const added = projection.records.length
          if (added > 0) end.tally.count(0, 'records', 0, added)
          stored += added
          await write(readyRows(projection))
        }
        last = ledger.last.record
        const facts: [string, string][] = [['record', String(last)]]
        if (position) facts.push(['position', String(position.journal)], ['position-sum', String(position.sum)])
        await write(endRows(end, facts))
      }, onGiven)
      return { stored, last }
    } finally {
      hand?.letGo()
    }
  }

  /** Where an answer was lost, what it was about may be stored all the same. */
  async #isStored({ journal, sum }: NonNullable<Batch['position']>): Promise<boolean> {
    const known = await storedPosition(this.#database)
    return known.journal === journal && known.sum === sum
  }

  /** What it knows of the batch before is forgotten only once that is stored. As long as one is given ahead after the other, more is remembered
   *  rather than waited. */
  async #openLedger(before: Promise<boolean>, isAhead: boolean): Promise<Ledger> {
    if (!this.#ledger || this.#ledger.isFull(isAhead ? PATIENCE : 1)) {
      await before
      this.#ledger?.trim()
    }
    return (this.#ledger ??= await Ledger.open(this.#database))
  }
}

const storingIn = (database: Database): Storing => ({
  store: work =>
    database.transaction(async () => {
      const line = new WaitingLine({ keepsOrder: false })
      try {
        await work(rows => line.add(() => writeRows(database, rows)))
      } finally {
        await line.settled()
      }
    }),
})
