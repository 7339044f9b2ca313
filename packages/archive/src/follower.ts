import { crc32 } from 'node:zlib'
import { asError, delay, type Env, Failure, RetryableFailure } from '@tiphys/env'
import type { Entry, Journal } from '@tiphys/journal'
import { decodeRecord, encodeRecord, type LogRecord, type LogStore } from '@tiphys/journal/records'
import type { ArchiveStatus } from './archive.ts'
import type { Incoming } from './ingest/incoming.ts'
import { type Batch, WORTH_A_HAND } from './ingest/ingest.ts'
import { isRecordOf } from './members.ts'
import type { Backend } from './service/backend.ts'

/** Of records, and of the output that they refer to. */
const [MOST_RECORDS, MOST_BYTES, MOST_OUTPUT_BYTES] = [12_000, 8 * 2 ** 20, 8 * 2 ** 20]
/** When no more than a full batch waits, it is stored in smaller ones: a second thread for it would take more memory than it saves time. */
const FEW_RECORDS = WORTH_A_HAND - 1
const GATHER_MS = 200
/** So long the engines go first; a person who looks later sees everything. Less than the time after which the writer's thread ends: it
 *  would be started anew for every batch. */
const LONGEST_WAY_MS = 4000
const LOOK_EVERY_MS = 100
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 30_000]

/** What every log record has. */
const LOG = Buffer.from('"kind":"log"')

export interface FollowerOptions {
  env: Env
  journal: Pick<Journal, 'head' | 'follow'>
  logs: Pick<LogStore, 'read'> | undefined
  backend: Pick<Backend, 'position' | 'store'>
  /** After each batch, with the number of the last record in the archive. */
  onStored: (last: number) => void
  /** Whether there is somebody who wants to see what happens as it happens. */
  isWatched?: () => boolean
  /** Whether the engines need all of the thread at the moment. */
  isBusy?: () => boolean
  /** Records cannot be stored at the moment, and why; with nothing, that they can again. */
  onTrouble?: (problem: Error | undefined) => void
}

type State =
  | { state: 'following' } // nothing is waiting
  | { state: 'behind' } // records are read and stored
  | { state: 'waiting'; problem: string } // the database is away; tried again
  | { state: 'stopped'; problem: string } // somebody has to do something; still tried, rarely

interface Waiting {
  position: number
  isPatient: boolean
  resolve: (isUp: boolean) => void
  reject: (error: Error) => void
}

/** Carries the journal's records into the database, in order and each once: a batch and the position after it are stored together. While
 *  the database is away the records stay in the journal. */
export class Follower {
  readonly #options: FollowerOptions
  readonly #stopping = new AbortController()
  readonly #waiting = new Set<Waiting>()
  #done: Promise<void> = Promise.resolve()
  #state: State = { state: 'behind' }
  #position = 0
  /** Up to where batches were made of the journal. */
  #given = 0
  /** How many of them are not stored yet. */
  #underWay = 0
  /** When the oldest record that is not stored was read. */
  #behindSince: number | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  get status(): Pick<ArchiveStatus, 'position' | 'head' | 'lag' | 'lagMs' | 'state' | 'problem'> {
    const { journal, env } = this.#options
    const head = Math.max(journal.head, this.#position)
    const lag = head - this.#position
    const problem = 'problem' in this.#state ? { problem: this.#state.problem } : {}
    const state = this.#state.state === 'following' && lag > 0 ? 'behind' : this.#state.state
    const lagMs = lag === 0 ? 0 : env.clock.now() - (this.#behindSince ?? env.clock.now())
    return { position: this.#position, head, lag, lagMs, state, ...problem }
  }

  start(): void {
    this.#done = this.#follow().catch(error => {
      // Only a defect comes here: everything expected is tried again.
      this.#state = { state: 'stopped', problem: asError(error).message }
      this.#options.env.log.error('the archive follows the journal no more', { error: asError(error) })
    })
  }

  /** Resolves with true when everything up to the journal's present head is stored; without patience with false while it cannot be. */
  caughtUp({ isPatient = true }: { isPatient?: boolean } = {}): Promise<boolean> {
    const position = this.#options.journal.head
    if (this.#position >= position) return Promise.resolve(true)
    if (!isPatient && 'problem' in this.#state) return Promise.resolve(false)
    return new Promise((resolve, reject) => this.#waiting.add({ position, isPatient, resolve, reject }))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#done
    for (const { reject } of this.#waiting) reject(new Error('the archive was closed before it caught up'))
    this.#waiting.clear()
  }

  async #follow(): Promise<void> {
    const { journal } = this.#options
    const { signal } = this.#stopping
    const known = await this.#insist(() => this.#options.backend.position())
    if (!known || signal.aborted) return
    const isShorter = journal.head < known.journal
    // The last record that is stored is read once more: by its checksum the journal is known.
    const entries = journal.follow(isShorter ? 1 : Math.max(1, known.journal), signal)[Symbol.asyncIterator]()
    this.#position = isShorter ? 0 : known.journal
    let isFirst = known.journal > 0
    if (isShorter) {
      isFirst = false
      await this.#storeGap(
        0,
        `the journal ends at ${journal.head}, before ${known.journal}, up to which it was stored: it is another one`,
      )
    }
    this.#arrived()
    this.#given = this.#position
    let next = entries.next()
    /** Up to here it is not given way again. */
    let due = 0
    /** Up to here there was much to store, which is stored to its end as it was begun. */
    let muchUntil = 0
    /** A batch is stored while the next one is given, and another one read. */
    let before: Promise<boolean> = Promise.resolve(true)
    let storing = before
    try {
      for (;;) {
        const batch: Entry[] = []
        const logs = new Map<Entry, LogRecord>()
        let [bytes, outputBytes] = [0, 0]
        const gathered = new AbortController()
        let tooLong: Promise<void> | undefined
        let isTooLong = false
        let stopWaiting: (nothing: undefined) => void = () => {}
        if (journal.head - this.#given > MOST_RECORDS) muchUntil = journal.head
        const isMuch = this.#given < muchUntil
        const most = isMuch ? MOST_RECORDS : FEW_RECORDS
        // Where there is little, more may come until the next can be given.
        if (!isMuch && !(await before)) return
        while (batch.length < most && bytes < MOST_BYTES && outputBytes < MOST_OUTPUT_BYTES) {
          // What the journal has already is waited for: a larger batch is stored in less time than two small ones. But not for ever: what
          // has been compacted away never comes.
          const hasMore = (batch.at(-1)?.position ?? 0) < this.#options.journal.head
          if (hasMore)
            tooLong ??= this.#pause(GATHER_MS, gathered.signal).then(() => {
              isTooLong = true
              stopWaiting(undefined)
            })
          const result: IteratorResult<Entry> | undefined =
            batch.length === 0
              ? await unlessFails(next, storing)
              : hasMore && !isTooLong
                ? // Not a race, which would leave something with the loser for every record.
                  await new Promise((resolve, reject) => {
                    stopWaiting = resolve
                    next.then(resolve, reject)
                  })
                : await soon(next)
          if (result === undefined) break
          if (result.done) return
          next = entries.next()
          // A failure of the journal is met when its turn comes.
          next.catch(() => {})
          const entry = result.value
          if (isFirst) {
            isFirst = false
            if (entry.position === known.journal && crc32(entry.data) === known.sum) continue
            if (entry.position === known.journal && !(await this.#isReplaced(known.journal))) return
          }
          this.#behindSince ??= this.#options.env.clock.now()
          if (batch.length === 0 && entry.position > due) {
            await this.#giveWay()
            due = journal.head
          }
          batch.push(entry)
          bytes += entry.data.length
          const log = this.#logOf(entry)
          if (!log) continue
          logs.set(entry, log)
          outputBytes += Number(log.chunk.bytes) || 0
        }
        gathered.abort()
        if (!(await before)) return
        before = storing
        if (batch.length > 0) storing = this.#store(batch, logs, before)
        // Told when the next one is to be stored.
        storing.catch(() => {})
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await storing.catch(() => {})
      await entries.return?.()
    }
  }

  /** Threads that compute beside the engines take processors from them where there are few, whatever their priorities. So a burst of
   *  work goes first, and its records wait in the journal; but nobody who asks for them waits, and no record for long. */
  async #giveWay(): Promise<void> {
    const { env, isBusy, isWatched } = this.#options
    const { signal } = this.#stopping
    const end = env.clock.now() + LONGEST_WAY_MS
    const isWanted = () => this.#waiting.size > 0 || isWatched?.()
    while (isBusy?.() && !isWanted() && env.clock.now() < end && !signal.aborted)
      await this.#pause(LOOK_EVERY_MS, signal)
  }

  /** The record at the stored position is another than was stored there: what follows is new, and what came before is not known. */
  async #isReplaced(position: number): Promise<boolean> {
    this.#position = position - 1
    this.#given = position - 1
    return this.#storeGap(
      position - 1,
      `the journal has another record at ${position} than was stored: it is another one`,
    )
  }

  /** `before`: whether the batch before was stored. While it is under way, this one is given to the database already. */
  async #store(
    entries: readonly Entry[],
    logs: ReadonlyMap<Entry, LogRecord>,
    before: Promise<boolean>,
  ): Promise<boolean> {
    const [first, last] = [entries[0] as Entry, entries.at(-1) as Entry]
    const after = this.#given
    this.#given = last.position
    const missing = after > 0 ? first.position - after - 1 : 0
    const isAhead = this.#underWay++ > 0 && missing === 0
    try {
      const records = await this.#incoming(entries, logs)
      const batch: Batch = { records, position: { journal: last.position, sum: crc32(last.data) } }
      const early = isAhead ? this.#storeEarly({ ...batch, after }) : undefined
      if (!(await before)) return false
      const why = 'the journal dropped them before the archive had read them'
      if (missing > 0 && !(await this.#storeGap(first.position - 1, why, missing))) return false
      if (!(await early) && !(await this.#insist(() => this.#storeBatch(batch, entries)))) return false
      this.#position = last.position
      this.#arrived()
      return true
    } finally {
      this.#underWay--
    }
  }

  /** What fails, as it does when the batch before does, is tried again in its turn. */
  async #storeEarly(batch: Batch): Promise<boolean> {
    try {
      this.#options.onStored((await this.#options.backend.store(batch)).last)
      return true
    } catch {
      return false
    }
  }

  async #storeBatch(batch: Batch, entries: readonly Entry[]): Promise<true> {
    const { backend, onStored, env } = this.#options
    try {
      onStored((await backend.store(batch)).last)
    } catch (error) {
      if (error instanceof Failure || batch.records.length === 0) throw error
      env.log.error('a batch of records cannot be stored, each is tried by itself', { error: asError(error) })
      await this.#storeSingly(batch, entries)
    }
    return true
  }

  /** Something in a batch defeats the archive: the others must not suffer from it. What cannot be stored is replaced by a gap. */
  async #storeSingly({ records }: Batch, entries: readonly Entry[]): Promise<void> {
    const { backend, onStored } = this.#options
    for (const [i, record] of records.entries()) {
      const entry = entries[i] as Entry
      // What came before it is stored already when the whole is tried again.
      if (entry.position <= this.#position) continue
      const position = { journal: entry.position, sum: crc32(entry.data) }
      try {
        onStored((await backend.store({ records: [record], position })).last)
      } catch (error) {
        if (error instanceof Failure) throw error
        const why = `record ${entry.position} of the journal cannot be stored: ${asError(error).message.split('\n')[0]}`
        onStored((await backend.store({ records: [this.#gap(1, why)], position })).last)
      }
      this.#position = entry.position
    }
  }

  async #storeGap(position: number, why: string, dropped = 0): Promise<boolean> {
    const { backend, env } = this.#options
    env.log.warn('records are missing in the archive', { why, dropped })
    const stored = await this.#insist(() =>
      backend.store({ records: [this.#gap(dropped, why)], position: { journal: position, sum: 0 } }),
    )
    if (stored) this.#position = position
    return stored !== undefined
  }

  #gap(dropped: number, why: string): Incoming {
    const now = this.#options.env.clock.now()
    return {
      text: Buffer.from(encodeRecord({ v: 1, kind: 'gap', at: now, trace: '', dropped, from: now, to: now, why })),
    }
  }

  /** With the output that they refer to. */
  async #incoming(entries: readonly Entry[], logs: ReadonlyMap<Entry, LogRecord>): Promise<Incoming[]> {
    const records = entries.map(({ data }): Incoming => ({ text: data }))
    const reading: Promise<void>[] = []
    for (const [i, entry] of entries.entries()) {
      const log = logs.get(entry)
      if (log) reading.push(this.#addContent(records[i] as Incoming, log))
    }
    await Promise.all(reading)
    return records
  }

  async #addContent(incoming: Incoming, record: LogRecord): Promise<void> {
    try {
      const content = await this.#options.logs?.read(record.chunk)
      if (content) incoming.content = content
    } catch (error) {
      // Told where the log is shown; the rest of the history must not wait for it.
      const about = { run: record.run.name, error: asError(error) }
      this.#options.env.log.warn('the output that a record refers to is gone', about)
    }
  }

  /** Nearly none is one: they are not read for it. */
  #logOf({ data }: Entry): LogRecord | undefined {
    if (!this.#options.logs || !data.includes(LOG)) return undefined
    const record = decodeRecord(data)
    // Whatever another version has written: what refers to nothing has no output.
    return record.kind === 'log' && isRecordOf(record.chunk) ? record : undefined
  }

  /** Tries until it succeeds; undefined when the archive is closed before. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { env } = this.#options
    const { signal } = this.#stopping
    for (let pause = SHORTEST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const result = await work()
        const isOver = 'problem' in this.#state
        this.#state = { state: 'following' }
        if (isOver) this.#options.onTrouble?.(undefined)
        return result
      } catch (error) {
        const { message } = asError(error)
        const isTemporary = error instanceof RetryableFailure
        const isKnown = 'problem' in this.#state
        this.#state = { state: isTemporary ? 'waiting' : 'stopped', problem: message }
        if (!isKnown) this.#options.onTrouble?.(asError(error))
        this.#letGo(({ isPatient }) => !isPatient)
        const wait = (isTemporary ? pause : LONGEST_PAUSE_MS) * (0.5 + env.random.next() / 2)
        await this.#pause(wait, signal)
      }
    }
    return undefined
  }

  async #pause(ms: number, signal: AbortSignal): Promise<undefined> {
    await delay(this.#options.env.clock, ms, signal).catch(() => {
      // Closed, or there is nothing to wait for any more.
    })
  }

  #arrived(): void {
    if (this.#options.journal.head <= this.#position) this.#behindSince = undefined
    this.#letGo(({ position }) => position <= this.#position)
  }

  #letGo(isMeant: (one: Waiting) => boolean): void {
    for (const one of this.#waiting) {
      if (!isMeant(one)) continue
      this.#waiting.delete(one)
      one.resolve(one.position <= this.#position)
    }
  }
}

/** What a promise has come to by the end of this turn, or undefined. */
async function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  const end = new Promise<undefined>(resolve => setImmediate(resolve, undefined))
  return Promise.race([promise, end])
}

/** The one, unless the other fails before. */
async function unlessFails<T>(promise: Promise<T>, other: Promise<unknown>): Promise<T> {
  return Promise.race([promise, other.then(() => promise)])
}
