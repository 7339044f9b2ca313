import { asError, delay, type Env, RetryableFailure } from '@tiphys/env'
import type { FileJournal } from '../file/file-journal.ts'
import type { Journal, JournalRecord } from '../journal.ts'
import { createMask, type Mask } from './mask.ts'
import type { Secrets } from './secrets.ts'
import {
  decodeRecord,
  encodeRecord,
  type GapRecord,
  type NewRecord,
  type TraceRecord,
  type UnknownRecord,
  VERSION,
  WRITTEN,
} from './trace-record.ts'
import { withWrittenNumbers } from './written-numbers.ts'

export interface RecorderOptions {
  env: Env
  /** How many records are appended before the first of them is waited for. */
  maxBatch?: number
  /** How much may wait for the journal, encoded; beyond it the oldest is dropped. */
  maxBytes?: number
  /** The largest record; a larger one is dropped, as content belongs elsewhere and is referred to. */
  maxRecordBytes?: number
  /** How long records gather before they are stored together, from the first on: a sync of the disk costs those who wait for
   *  their own, and the first record of an event comes while its effect is on its way. */
  gatherMs?: number
  /** How long closing waits for a journal that does not answer. */
  patienceMs?: number
  /** Applied before anything is stored. By default the data of Secrets is masked. */
  mask?: Mask
  /** Sees every record as it is stored, soon after it was made. */
  onRecord?(record: NewRecord): void
}

/** What a record is about, for who reads the journal, and whether it is the last of that. */
export type RecordPlace = Pick<JournalRecord, 'key' | 'deleted'>

/** Writes down what happens, beside what happens. */
export interface Recorder {
  /** Never throws, and never waits: the work is done after the current turn of the event loop, unless thousands are
   *  recorded in one. The record and what is in it must not be changed afterwards. When the journal cannot keep up the oldest records that wait are dropped, and a
   *  `gap` in their place says how many. With a key the journal keeps it until a later record of that key, or one that ends it. */
  record(record: NewRecord, place?: RecordPlace): void
  /** Resolves when everything that was recorded before the call is stored or given up. Who is patient lets it gather as if nobody
   *  waited. */
  settled(options?: { isPatient?: boolean }): Promise<void>
  /** Stores what waits, and gives up what is not stored after `patienceMs`; what is recorded from now on is lost. The
   *  journal stays open. */
  close(): Promise<void>
  /** What would be masked of a payload before it is stored; undefined when that is nothing. What is made of the payload and told elsewhere
   *  (in a status, a log) is masked by it, too. */
  secretsIn(payload: string): Secrets | undefined
  /** Bytes that wait for the journal. */
  readonly waitingBytes: number
  /** How many records were dropped so far. */
  readonly dropped: number
}

const MAX_BATCH = 512
const MAX_BYTES = 16 * 2 ** 20
const MAX_RECORD_BYTES = 2 ** 20
const PATIENCE_MS = 5000
const GATHER_MS = 50
/** So many are encoded in the caller's own turn at most; more of them, and they would pile up. */
const MOST_FRESH = 4096
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 5000]

export function createRecorder(journal: Appendable, options: RecorderOptions): Recorder {
  return new JournalRecorder(journal, options)
}

/** The records of a journal from a position on, up to its head. */
export async function* readRecords(
  journal: Pick<Journal, 'read'>,
  from: number,
): AsyncIterable<{ position: number; record: TraceRecord | UnknownRecord }> {
  for await (const { position, data } of journal.read(from)) yield { position, record: decodeRecord(data) }
}

/** Of a record of which nothing is masked. */
function encodeWhole(record: TraceRecord): string {
  if (record.kind !== 'event') return encodeRecord(record)
  const { body, [WRITTEN]: written, ...rest } = record
  if (body === undefined || written === undefined) return encodeRecord(record)
  return `${encodeRecord(rest).slice(0, -1)},"body":${withWrittenNumbers(body, written)}}`
}

type Recorded = Exclude<TraceRecord, GapRecord>

type Appendable = Pick<Journal, 'append'> & Partial<Pick<FileJournal, 'submit'>>

interface Encoded {
  text: string
  at: number
  place?: RecordPlace | undefined
  /** Counts all records of this recorder, in order. */
  number: number
}

class JournalRecorder implements Recorder {
  readonly #journal: Appendable
  readonly #env: Env
  readonly #maxBatch: number
  readonly #maxBytes: number
  readonly #maxRecordBytes: number
  readonly #patienceMs: number
  readonly #gatherMs: number
  readonly #mask: Mask
  readonly #onRecord: RecorderOptions['onRecord']
  /** Of this turn, as they were handed in. */
  #fresh: { record: Recorded; place: RecordPlace | undefined }[] = []
  #queue: Encoded[] = []
  #queueStart = 0
  #gap: GapRecord | undefined
  #isEncodingPlanned = false
  #isWriting = false
  #isClosed = false
  #hasGivenUp = false
  #nextNumber = 0
  /** Under way to the journal. */
  #batch: readonly Encoded[] = []
  #waitingToSettle: { number: number; isPatient: boolean; resolve: () => void }[] = []
  /** Ends the pause in which records gather. */
  #hurry = () => {}
  waitingBytes = 0
  dropped = 0

  constructor(journal: Appendable, options: RecorderOptions) {
    this.#journal = journal
    this.#env = options.env
    this.#maxBatch = options.maxBatch ?? MAX_BATCH
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
    this.#maxRecordBytes = options.maxRecordBytes ?? MAX_RECORD_BYTES
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#gatherMs = options.gatherMs ?? GATHER_MS
    this.#mask = options.mask ?? createMask()
    this.#onRecord = options.onRecord
  }

  record(record: NewRecord, place?: RecordPlace): void {
    const at = record.at ?? this.#env.clock.now()
    if (this.#isClosed) return void this.dropped++
    // What is added stands first: fields behind a copy give every record a hidden class of its own, at several times the cost.
    this.#fresh.push({ record: { v: VERSION, at, ...record }, place })
    if (this.#fresh.length >= MOST_FRESH) this.#encode()
    if (this.#isEncodingPlanned) return
    this.#isEncodingPlanned = true
    setImmediate(() => {
      this.#isEncodingPlanned = false
      this.#encode()
    })
  }

  secretsIn(payload: string): Secrets | undefined {
    return this.#mask.secretsIn?.(payload)
  }

  settled({ isPatient = false }: { isPatient?: boolean } = {}): Promise<void> {
    this.#encode()
    return new Promise(resolve => {
      this.#waitingToSettle.push({ number: this.#nextNumber, isPatient, resolve })
      this.#reportSettled()
      if (this.#isAwaited()) this.#hurry()
    })
  }

  #isAwaited(): boolean {
    return this.#waitingToSettle.some(({ isPatient }) => !isPatient)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const settled = this.settled()
    const timer = this.#env.clock.schedule(this.#patienceMs, () =>
      this.#giveUp(this.#batch, new Error('the journal did not answer before the recorder was closed')),
    )
    await settled
    timer.cancel()
  }

  #encode(): void {
    const fresh = this.#fresh
    this.#fresh = []
    for (const { record, place } of fresh) {
      const text = this.#encodeOne(record)
      if (text === undefined) continue
      this.#queue.push({ text, at: record.at, place, number: this.#nextNumber++ })
      this.waitingBytes += text.length
    }
    while (this.waitingBytes > this.#maxBytes && this.#queueStart < this.#queue.length) {
      this.#drop(this.#take().at, 'the journal was too slow')
    }
    this.#reportSettled()
    if (this.#queue.length - this.#queueStart >= this.#maxBatch) this.#hurry()
    if (!this.#isWriting && (this.#queueStart < this.#queue.length || this.#gap)) void this.#write()
  }

  #reportSettled(): void {
    const oldest = this.#batch[0]?.number ?? this.#queue[this.#queueStart]?.number ?? this.#nextNumber
    const isSettled = (number: number) => oldest >= number && !this.#gap
    for (const { number, resolve } of this.#waitingToSettle) if (isSettled(number)) resolve()
    this.#waitingToSettle = this.#waitingToSettle.filter(({ number }) => !isSettled(number))
  }

  #encodeOne(record: Recorded): string | undefined {
    try {
      const masked = this.#mask(record)
      this.#onRecord?.(masked)
      const text = masked === record ? encodeWhole(record) : encodeRecord(masked)
      if (text.length <= this.#maxRecordBytes) return text
      this.#drop(record.at, `a record of kind ${record.kind} has ${text.length} bytes, which is too much`)
    } catch (error) {
      this.#drop(record.at, `a record of kind ${record.kind} cannot be stored: ${asError(error).message}`)
    }
    return undefined
  }

  #take(): Encoded {
    const encoded = this.#queue[this.#queueStart++] as Encoded
    this.waitingBytes -= encoded.text.length
    if (this.#queueStart * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueStart)
      this.#queueStart = 0
    }
    return encoded
  }

  #drop(at: number, why: string): void {
    this.dropped++
    const { dropped = 0, from = at, why: whyFirst = why } = this.#gap ?? {}
    this.#gap = {
      v: VERSION,
      kind: 'gap',
      at: this.#env.clock.now(),
      trace: '',
      dropped: dropped + 1,
      from,
      to: at,
      why: whyFirst,
    }
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    for (;;) {
      await this.#gather()
      this.#batch = this.#nextBatch()
      this.#reportSettled()
      if (this.#batch.length === 0) break
      await this.#store(this.#batch)
      this.#batch = []
      this.#reportSettled()
    }
    this.#isWriting = false
  }

  /** Waits until enough has come, somebody waits for it, or the time is over. */
  async #gather(): Promise<void> {
    const isEnough = this.#queue.length - this.#queueStart >= this.#maxBatch
    if (isEnough || this.#isAwaited() || this.#isClosed || this.#gatherMs === 0) return
    await new Promise<void>(resolve => {
      const timer = this.#env.clock.schedule(this.#gatherMs, resolve)
      this.#hurry = () => {
        timer.cancel()
        resolve()
      }
    })
    this.#hurry = () => {}
  }

  #nextBatch(): Encoded[] {
    const batch: Encoded[] = []
    let bytes = 0
    if (this.#gap) {
      // It stands for the records before the next, and settles as they would have.
      const number = (this.#queue[this.#queueStart]?.number ?? this.#nextNumber) - 1
      batch.push({ text: encodeRecord(this.#gap), at: this.#gap.at, number })
    }
    this.#gap = undefined
    while (batch.length < this.#maxBatch && bytes < this.#maxBytes / 4 && this.#queueStart < this.#queue.length) {
      const encoded = this.#take()
      bytes += encoded.text.length
      batch.push(encoded)
    }
    return batch
  }

  /** Stores a batch, however long that takes, or gives it up because the journal takes nothing any more. */
  async #store(batch: readonly Encoded[]): Promise<void> {
    let waiting = batch
    for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const outcomes = await Promise.allSettled(waiting.map(each => this.#append(each)))
      const failed = waiting.filter((_, i) => outcomes[i]?.status === 'rejected')
      if (failed.length === 0) return
      const failure = asError(outcomes.find(outcome => outcome.status === 'rejected')?.reason)
      if (!(failure instanceof RetryableFailure)) return this.#giveUp(failed, failure)
      waiting = failed
      await delay(this.#env.clock, pause)
    }
  }

  /** Whatever the journal throws is a rejection. What a journal of files writes together shares one promise. */
  #append({ text, place }: Encoded): Promise<unknown> {
    const record = { ...place, data: text }
    try {
      return this.#journal.submit?.(record).committed ?? this.#journal.append(record)
    } catch (thrown) {
      return Promise.reject(asError(thrown))
    }
  }

  #giveUp(batch: readonly Encoded[], failure: Error): void {
    if (this.#hasGivenUp) return
    this.#hasGivenUp = true
    this.#isClosed = true
    this.#env.log.error('records cannot be stored any more', { error: failure })
    for (const { at } of batch) this.#drop(at, failure.message)
    while (this.#queueStart < this.#queue.length) this.#drop(this.#take().at, failure.message)
    this.#gap = undefined
    this.#batch = []
    this.#reportSettled()
  }
}
