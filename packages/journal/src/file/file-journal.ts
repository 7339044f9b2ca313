import type { Env } from '@tiphys/env'
import { inaccessible, journalClosed, recordTooLarge } from '../failures.ts'
import type { Compaction, CompactOptions, Entry, Journal, JournalRecord } from '../journal.ts'
import { draftCompaction } from './compaction.ts'
import { Cursor } from './cursor.ts'
import { type FileSystem, nodeFileSystem } from './file-system.ts'
import { LARGEST_DATA, LONGEST_KEY } from './frame.ts'
import { lockDirectory } from './lock.ts'
import { recover } from './recovery.ts'
import { seedOf } from './segment.ts'
import { SegmentMaker } from './segment-maker.ts'
import { SegmentSet } from './segment-set.ts'
import { type Submission, Writer } from './writer.ts'

export interface FileJournalOptions {
  /** A folder of the journal's own; made if it is missing. */
  directory: string
  env: Env
  /** The largest size of a segment file, unless one record needs more. The first ones are smaller. */
  segmentBytes?: number
  /** `none` acknowledges what survives the death of the process but not the loss of power. */
  sync?: 'always' | 'none'
  /** Called for every stored record, in order, before the journal is handed out. Makes every stored byte be checked;
   *  without it, what lies in finished segments is checked when it is read. */
  onEntry?: (entry: Entry) => void
  fileSystem?: FileSystem
}

export interface FileJournal extends Journal {
  /** The position that the next record will get. */
  readonly next: number
  /** Appends as `append` does, but tells the position at once. What `append` would reject with at once is thrown. */
  submit(record: JournalRecord): Submission
}

const SEGMENT_BYTES = 16 * 2 ** 20
const ID_LENGTH = 16

/** Opens the journal in a folder, or starts one. Throws a Failure and changes no record if another process writes it, if
 *  it cannot be written, or if a file in it is damaged, missing, foreign or of a newer format. */
export async function openFileJournal(options: FileJournalOptions): Promise<FileJournal> {
  const { directory, env, fileSystem = nodeFileSystem } = options
  try {
    await fileSystem.makeDirectory(directory)
    const unlock = await lockDirectory(fileSystem, directory, env)
    try {
      return await openLocked(options, fileSystem, unlock)
    } catch (error) {
      // A lock that stays names a process that will be gone; the error that made us give up is the one to report.
      await unlock().catch(() => {})
      throw error
    }
  } catch (error) {
    throw isSystemError(error) ? inaccessible(directory, error) : error
  }
}

function isSystemError(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(String((error as { code?: unknown } | undefined)?.code))
}

async function openLocked(
  { directory, env, segmentBytes = SEGMENT_BYTES, sync = 'always', onEntry }: FileJournalOptions,
  fileSystem: FileSystem,
  unlock: () => Promise<void>,
): Promise<FileJournal> {
  const maker = new SegmentMaker(fileSystem, directory, segmentBytes)
  const recovered = await recover({ fileSystem, directory, log: env.log, onEntry })
  const { id, segments, activeFile } = recovered ?? (await start(maker, env))
  return new SegmentedJournal({
    directory,
    env,
    fileSystem,
    maker,
    id,
    segments: new SegmentSet(fileSystem, segments, activeFile),
    syncs: sync === 'always',
    unlock,
  })
}

async function start(maker: SegmentMaker, env: Env) {
  const id = Buffer.from(env.random.bytes(ID_LENGTH))
  const { segment, file } = await maker.makeFirst(id)
  return { id, segments: [segment], activeFile: file }
}

interface Parts {
  directory: string
  env: Env
  fileSystem: FileSystem
  maker: SegmentMaker
  id: Buffer
  segments: SegmentSet
  syncs: boolean
  unlock: () => Promise<void>
}

class SegmentedJournal implements FileJournal {
  readonly #parts: Parts
  readonly #segments: SegmentSet
  readonly #writer: Writer
  readonly #waitingForProgress = new Set<() => void>()
  #compacting: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#segments = parts.segments
    this.#writer = new Writer({ ...parts, onProgress: () => this.#reportProgress() })
  }

  get head(): number {
    return this.#segments.head
  }

  get horizon(): number {
    return this.#segments.horizon
  }

  get next(): number {
    return this.#writer.next
  }

  submit(record: JournalRecord): Submission {
    if (this.#closing) throw journalClosed(this.#parts.directory)
    requireStorable(record)
    return this.#writer.submit(record)
  }

  async append(record: JournalRecord): Promise<number> {
    const { position, committed } = this.submit(record)
    await committed
    return position
  }

  async *read(from: number): AsyncIterable<Entry> {
    const until = this.head
    const cursor = this.#cursor(from)
    for (let entries = await cursor.next(); entries.length > 0; entries = await cursor.next()) {
      for (const entry of entries) {
        if (entry.position > until) return
        yield entry
        if (entry.position === until) return
      }
    }
  }

  async *follow(from: number, signal: AbortSignal): AsyncIterable<Entry> {
    const cursor = this.#cursor(from)
    while (!signal.aborted) {
      const head = this.head
      const entries = await cursor.next()
      for (const entry of entries) {
        if (signal.aborted) return
        yield entry
      }
      if (entries.length > 0 || head !== this.head) continue
      if (this.#writer.failure) throw this.#writer.failure
      if (this.#closing) return
      await this.#progress(signal)
    }
  }

  compact({ before }: CompactOptions): Promise<Compaction> {
    if (this.#closing) return Promise.reject(journalClosed(this.#parts.directory))
    const run = this.#compacting.then(() => this.#compact(before))
    // The caller sees the error; the next compaction only waits for the end of this one.
    this.#compacting = run.catch(() => {})
    return run
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #compact(before: number): Promise<Compaction> {
    if (this.#writer.failure) throw this.#writer.failure
    const { fileSystem, directory, id, env } = this.#parts
    const horizon = Math.min(before, this.head + 1)
    if (horizon <= this.horizon) return { kept: 0, dropped: 0 }
    if (this.#segments.active.base < horizon) await this.#writer.seal()
    const inputs = this.#segments.before(horizon)
    const draft = await draftCompaction({ fileSystem, directory, id, segments: inputs, before: horizon })
    await this.#segments.replace(inputs, draft.segment, async () => {
      try {
        await fileSystem.rename(draft.path, draft.segment.path)
        await fileSystem.syncDirectory(directory)
      } catch (error) {
        // It is unknown which of the two the folder holds.
        throw this.#writer.fail(error)
      }
    })
    for (const { path: file } of inputs.slice(1)) {
      // What stays behind is covered by the new segment and goes when the journal is next opened.
      await fileSystem
        .remove(file)
        .catch(error => env.log.warn('could not remove a compacted segment', { file, error }))
    }
    return { kept: draft.kept, dropped: draft.dropped }
  }

  async #close(): Promise<void> {
    await this.#compacting
    try {
      await this.#writer.finish()
    } finally {
      this.#reportProgress()
      await this.#segments.close()
      await this.#parts.maker.discardPrepared()
      await this.#parts.unlock()
    }
  }

  #cursor(from: number): Cursor {
    return new Cursor(this.#segments, seedOf(this.#parts.id), from)
  }

  #reportProgress(): void {
    for (const wake of this.#waitingForProgress) wake()
    this.#waitingForProgress.clear()
  }

  #progress(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      // Aborted while the cursor was read: nobody would wake it.
      if (signal.aborted) return resolve()
      const wake = () => {
        signal.removeEventListener('abort', wake)
        this.#waitingForProgress.delete(wake)
        resolve()
      }
      signal.addEventListener('abort', wake, { once: true })
      this.#waitingForProgress.add(wake)
    })
  }
}

function requireStorable({ key, data }: JournalRecord): void {
  if (data.length > LARGEST_DATA) throw recordTooLarge('record', data.length, LARGEST_DATA)
  if (key !== undefined && key.length > LONGEST_KEY / 3 && Buffer.byteLength(key) > LONGEST_KEY)
    throw recordTooLarge('key', Buffer.byteLength(key), LONGEST_KEY)
}
