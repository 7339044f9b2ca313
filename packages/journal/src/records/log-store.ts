import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { asError, type Env, TerminalFailure, type Timer } from '@tiphys/env'
import type { Journal } from '../journal.ts'
import { fileChunks } from './file-chunks.ts'
import { journalChunks } from './journal-chunks.ts'
import type { ContentReference } from './trace-record.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Whose output it is. */
export interface LogName {
  /** The run's uid. */
  run: string
  step: string
  container: string
}

/** Where compressed chunks are kept. */
export interface ChunkPlace {
  /** How references to it begin. */
  readonly store: string
  /** Keeps a chunk; resolves with the key under which it is read. */
  put(log: LogName, chunk: Buffer): Promise<string>
  /** The chunk, or undefined when it has been removed. */
  get(key: string): Promise<Buffer | undefined>
  /** What is there, oldest first. */
  runs(): Promise<StoredRun[]>
  /** Removes all chunks of a run. */
  remove(run: string): Promise<void>
}

export interface StoredRun {
  run: string
  /** Compressed. */
  bytes: number
}

export interface LogStoreOptions {
  /** A folder of the store's own, or a journal of its own. */
  place: { directory: string } | { journal: Journal }
  env: Env
  /** A chunk is made of so many bytes of output… */
  chunkBytes?: number
  /** …or of what has come since the first of it, after so long. */
  chunkMs?: number
  /** How much of one container's output is kept. What comes after is counted and dropped. */
  maxLogBytes?: number
}

export interface LogWriterOptions {
  /** Called with each chunk once it is stored, in order: the place to record it. */
  onChunk: (chunk: ContentReference) => void
}

/** Takes the output of one container. */
export interface LogWriter {
  /** Keeps a copy of the bytes. Resolves when more may come: at once, unless much waits to be stored. */
  write(bytes: Uint8Array): Promise<void>
  /** Stores what is left. Rejects if something could not be stored. */
  end(): Promise<{ stored: number; dropped: number }>
}

/** The output of containers, in compressed chunks that records refer to. */
export interface LogStore {
  open(log: LogName, options: LogWriterOptions): LogWriter
  /** The output in a chunk. Rejects with `log-chunk-missing` when it was removed. */
  read(chunk: ContentReference): Promise<Buffer>
  /** Forgets the output of a run. */
  remove(run: string): Promise<void>
  /** Forgets the oldest runs until the rest takes no more than so many bytes; the newest always stays. Resolves with how
   *  many were forgotten. */
  trim(maxBytes: number): Promise<number>
}

const CHUNK_BYTES = 256 * 2 ** 10
const CHUNK_MS = 1000
const MAX_LOG_BYTES = 64 * 2 ** 20
const CHUNKS_THAT_MAY_WAIT = 4

export function createLogStore({
  place,
  env,
  chunkBytes = CHUNK_BYTES,
  chunkMs = CHUNK_MS,
  maxLogBytes = MAX_LOG_BYTES,
}: LogStoreOptions): LogStore {
  const chunks = 'directory' in place ? fileChunks(place.directory) : journalChunks(place.journal)
  return {
    open: (log, { onChunk }) => new ChunkedLog({ chunks, env, log, onChunk, chunkBytes, chunkMs, maxLogBytes }),
    read: reference => readChunk(chunks, reference),
    remove: run => chunks.remove(run),
    async trim(maxBytes) {
      const runs = await chunks.runs()
      let total = runs.reduce((sum, { bytes }) => sum + bytes, 0)
      let forgotten = 0
      for (const { run, bytes } of runs.slice(0, -1)) {
        if (total <= maxBytes) break
        await chunks.remove(run)
        total -= bytes
        forgotten++
      }
      return forgotten
    },
  }
}

async function readChunk(chunks: ChunkPlace, { key, bytes }: ContentReference): Promise<Buffer> {
  const chunk = await chunks.get(key)
  if (!chunk) throw chunkMissing(key, 'it was removed')
  try {
    const content = await decompress(chunk, { maxOutputLength: Math.max(1, bytes) })
    if (content.length === bytes) return content
  } catch (error) {
    throw chunkMissing(key, 'its file was changed', error)
  }
  throw chunkMissing(key, 'it has another length than its reference says')
}

function chunkMissing(key: string, why: string, cause?: unknown): TerminalFailure {
  return new TerminalFailure('log-chunk-missing', { what: `The log chunk ${key} cannot be read`, why, cause })
}

interface Parts {
  chunks: ChunkPlace
  env: Env
  log: LogName
  onChunk: (chunk: ContentReference) => void
  chunkBytes: number
  chunkMs: number
  maxLogBytes: number
}

class ChunkedLog implements LogWriter {
  readonly #parts: Parts
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  #timer: Timer | undefined
  #storing: Promise<void> = Promise.resolve()
  #waitingChunks = 0
  #taken = 0
  #stored = 0
  #dropped = 0
  #failure: Error | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { maxLogBytes, chunkBytes, chunkMs, env } = this.#parts
    const kept = this.#failure ? 0 : Math.min(bytes.length, maxLogBytes - this.#taken)
    this.#dropped += bytes.length - kept
    this.#taken += kept
    for (let start = 0; start < kept; ) {
      const end = Math.min(kept, start + chunkBytes - this.#gatheredBytes)
      this.#gathered.push(Buffer.from(bytes.subarray(start, end)))
      this.#gatheredBytes += end - start
      start = end
      if (this.#gatheredBytes >= chunkBytes) this.#cut()
    }
    if (this.#gatheredBytes > 0) this.#timer ??= env.clock.schedule(chunkMs, () => this.#cut())
    if (this.#waitingChunks > CHUNKS_THAT_MAY_WAIT) await this.#storing
  }

  async end(): Promise<{ stored: number; dropped: number }> {
    this.#cut()
    await this.#storing
    if (this.#failure) throw this.#failure
    return { stored: this.#stored, dropped: this.#dropped }
  }

  #cut(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#gatheredBytes === 0) return
    const content = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#gatheredBytes = 0
    this.#waitingChunks++
    this.#storing = this.#storing.then(() => this.#store(content))
  }

  /** Never rejects: the one who ends the log is told. */
  async #store(content: Buffer): Promise<void> {
    const { chunks, log, onChunk } = this.#parts
    try {
      if (this.#failure) throw this.#failure
      const key = await chunks.put(log, await compress(content))
      this.#stored += content.length
      onChunk({ store: chunks.store, key, bytes: content.length })
    } catch (error) {
      this.#failure ??= asError(error)
      this.#dropped += content.length
    } finally {
      this.#waitingChunks--
    }
  }
}
