/** What is appended. */
export interface JournalRecord {
  /** What the record is about. Compaction keeps the last record of every key. */
  key?: string
  /** The content; a string is stored as UTF-8. */
  data: Uint8Array | string
  /** The key ends here: compaction drops this record together with the older ones of its key. */
  deleted?: boolean
}

/** What is read back. */
export interface Entry {
  position: number
  key: string | undefined
  /** Stays valid for as long as it is held; shares memory with its neighbours, so keep a copy rather than one small part for long. */
  data: Buffer
  deleted: boolean
}

export interface CompactOptions {
  /** Records before this position are reduced to the last of each key; records from it on all stay. */
  before: number
}

export interface Compaction {
  /** How many records are left before the horizon. */
  kept: number
  dropped: number
}

/** A durable, ordered log with one writer.
 *
 *  Positions count from 1 without gaps. An acknowledged record survives the death of the process and the loss of power.
 *  Readers see committed records only, in the order of their positions. */
export interface Journal {
  /** Position of the last committed record; 0 when there was never one. */
  readonly head: number

  /** From this position on every record is there. Before it compaction has left only the last record of each key. */
  readonly horizon: number

  /** Resolves with the record's position once it is on stable storage. Records are stored in the order of the calls.
   *
   *  After a write or a sync has failed nothing is acknowledged any more: this call and all later ones reject with a
   *  `journal-write-failed`, because what the disk holds is unknown until the journal is opened again. */
  append(record: JournalRecord): Promise<number>

  /** The records from `from` up to the head at the time of the call. What compaction dropped is skipped. */
  read(from: number): AsyncIterable<Entry>

  /** The records from `from` on, waiting for those that are yet to come, until the signal is aborted. Never skips a
   *  committed record that compaction has not dropped before it was its turn. */
  follow(from: number, signal: AbortSignal): AsyncIterable<Entry>

  /** Drops records before `before` that have no key, whose key has a later record, or that end their key. Appends and
   *  reads go on meanwhile. A crash leaves either all of the old records or all of the kept ones. */
  compact(options: CompactOptions): Promise<Compaction>

  /** Waits for what was appended, then lets the next writer in. Closing twice does nothing. */
  close(): Promise<void>
}
