import type { Failure } from '@tiphys/env'
import { journalBusy, writeFailed } from '../failures.ts'
import type { JournalRecord } from '../journal.ts'
import { Batch, fittingFrames } from './batch.ts'
import { encodeMark, FRAME_HEADER, frameSizeAt } from './frame.ts'
import { encodeFooter, SEGMENT_FOOTER, seedOf } from './segment.ts'
import type { SegmentMaker } from './segment-maker.ts'
import type { SegmentSet } from './segment-set.ts'

export interface Submission {
  position: number
  /** Settles as the promise of `append` does. The same for all records that are written together. */
  committed: Promise<void>
}

export interface WriterOptions {
  directory: string
  id: Buffer
  segments: SegmentSet
  maker: SegmentMaker
  /** Whether a record is synced before it is acknowledged. */
  syncs: boolean
  /** Called when records were committed, and when the writer has failed. */
  onProgress: () => void
}

const MOST_WAITING = 64 * 2 ** 20

/** Brings records to the disk: while one batch is written and synced, the next one gathers. */
export class Writer {
  readonly #options: WriterOptions
  readonly #seed: number
  #gathering = new Batch()
  /** Being written, or empty. */
  #leaving = new Batch()
  #next: number
  /** Up to here everything has been synced. */
  #stable: number
  /** Whether the last record is followed by something that vouches for it. */
  #isMarked = true
  #running: Promise<void> | undefined
  #sealRequests: { resolve: () => void; reject: (error: Error) => void }[] = []
  #failure: Failure | undefined

  constructor(options: WriterOptions) {
    this.#options = options
    this.#seed = seedOf(options.id)
    this.#next = options.segments.head + 1
    this.#stable = options.segments.head
  }

  /** The position that the next record will get. */
  get next(): number {
    return this.#next
  }

  /** Why nothing is written any more. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  submit(record: JournalRecord): Submission {
    if (this.#failure) throw this.#failure
    const batch = this.#gathering
    if (batch.length > MOST_WAITING) throw journalBusy(this.#options.directory, batch.length)
    const position = this.#next
    // A batch is written after the one before it was synced, so that each of its frames vouches for all before it.
    const stable = this.#options.syncs ? position - batch.count - 1 : this.#stable
    batch.add(record, position, stable, this.#seed)
    this.#next++
    this.#start()
    return { position, committed: batch.committed }
  }

  /** Closes the active segment for writing, unless it is empty, and goes on in a new one. */
  seal(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure)
      this.#sealRequests.push({ resolve, reject })
      this.#start()
    })
  }

  /** Puts everything on stable storage and marks the end. Nothing may be submitted any more. */
  async finish(): Promise<void> {
    await this.#running
    if (this.#failure) return
    try {
      const { syncs, segments } = this.#options
      if (!syncs) await segments.activeFile.sync()
      if (!this.#isMarked) await this.#mark()
      await segments.activeFile.sync()
    } catch (error) {
      throw this.fail(error)
    }
  }

  /** From now on nothing is acknowledged. What a failed write or sync has left on the disk is unknown, and a second sync
   *  would report success for pages that the first one has thrown away. */
  fail(error: unknown): Failure {
    const failure = (this.#failure ??= writeFailed(this.#options.directory, error))
    this.#leaving.settle(failure)
    this.#gathering.settle(failure)
    for (const { reject } of this.#sealRequests.splice(0)) reject(failure)
    this.#options.onProgress()
    return failure
  }

  /** All that is submitted in one turn of the event loop goes together. */
  #start(): void {
    this.#running ??= turn().then(() => this.#run())
  }

  async #run(): Promise<void> {
    try {
      for (let task = this.#nextTask(); task; task = this.#nextTask()) await task()
    } catch (error) {
      this.fail(error)
    }
    // In the same breath as finding nothing to do, or a record submitted in between would wait for ever.
    this.#running = undefined
  }

  #nextTask(): (() => Promise<void>) | undefined {
    if (this.#failure) return undefined
    if (!this.#gathering.isEmpty) return () => this.#commit()
    if (this.#sealRequests.length > 0) return () => this.#answerSealRequests()
    return this.#isMarked || !this.#options.syncs ? undefined : () => this.#markIfIdle()
  }

  async #commit(): Promise<void> {
    const { segments, syncs, maker, onProgress } = this.#options
    const batch = this.#gathering
    this.#gathering = this.#leaving
    this.#leaving = batch
    for (let rest = batch.bytes; rest.length > 0; ) {
      const { active, activeFile } = segments
      const { length, count } = fittingFrames(rest, active.room)
      if (count === 0) {
        await this.#rotate(frameSizeAt(rest, 0) as number)
        continue
      }
      await activeFile.write(rest.subarray(0, length), active.end)
      if (syncs) await activeFile.sync()
      active.note(active.last + 1, active.end)
      active.end += length
      active.last += count
      if (syncs) this.#stable = active.last
      rest = rest.subarray(length)
    }
    this.#isMarked = false
    batch.settle()
    onProgress()
    maker.prepareAfter(segments.active)
  }

  async #markIfIdle(): Promise<void> {
    // Those who were just told may append again at once, and then the new records are the mark.
    await turn()
    if (this.#gathering.isEmpty) await this.#mark()
  }

  /** Says on disk that the last record is stable, so that damage to it cannot pass for an unfinished write. */
  async #mark(): Promise<void> {
    const { active, activeFile } = this.#options.segments
    this.#isMarked = true
    if (active.room < FRAME_HEADER) return
    await activeFile.write(encodeMark(active.last, this.#seed), active.end)
    active.end += FRAME_HEADER
  }

  async #answerSealRequests(): Promise<void> {
    const { active } = this.#options.segments
    if (active.last >= active.base) await this.#rotate(0)
    for (const { resolve } of this.#sealRequests.splice(0)) resolve()
  }

  /** The next segment is there before this one is sealed: a sealed segment without a next one shows that a file is lost. */
  async #rotate(frameBytes: number): Promise<void> {
    const { segments, maker, id, syncs } = this.#options
    const { active, activeFile } = segments
    // The next segment vouches for everything before it.
    if (!syncs) await activeFile.sync()
    const next = await maker.makeNext(id, active, frameBytes)
    // An empty one was too small for the record and has just been replaced by the next.
    if (active.last >= active.base) {
      await activeFile.write(encodeFooter(active, this.#seed), active.capacity - SEGMENT_FOOTER)
      await activeFile.sync()
    }
    segments.extend(next)
    this.#stable = active.last
    this.#isMarked = true
  }
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve))
