import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Env } from '@tiphys/env'
import type { Retention, RetentionResult } from '../archive.ts'
import { inspectSqliteFile } from '../database/sqlite-file.ts'
import { lockFile } from '../database/writer-lock.ts'
import { inaccessibleDatabase, unsupported } from '../failures.ts'
import type { Batch } from '../ingest/ingest.ts'
import { packBatch } from './packed-batch.ts'
import { ArchiveReader, type Reads } from './reader.ts'
import { WorkerThread } from './worker-thread.ts'
import { ArchiveWriter, type DatabasePlace } from './writer.ts'

/** Where the work on the database is done. */
export interface Backend {
  position(): Promise<{ journal: number; sum: number }>
  /** One after the other, in the order in which they are given; the next may be given before this one is stored (`after`). */
  store(batch: Batch): Promise<{ stored: number; last: number }>
  retain(retention: Retention): Promise<RetentionResult>
  import(lines: readonly string[], first: number): Promise<{ records: number; skipped: number; last: number }>
  backup(file: string): Promise<void>
  read<N extends keyof Reads>(name: N, ...args: Parameters<Reads[N]>): Promise<Awaited<ReturnType<Reads[N]>>>
  close(): Promise<void>
}

export interface BackendOptions {
  env: Env
  database: DatabasePlace
  /** The bundled `service/worker-program.ts`; without it the work is done in this thread. */
  workerProgram?: string | URL
  isReadOnly: boolean
}

/** Two readers, so that a long search does not keep the lists waiting. */
const READERS = 2
/** Whoever looks at a page asks again within this time. */
const READER_RESTS_MS = 60_000
/** A thread with a connection takes some 20 MB, for days if nothing happens, and is there again in a tenth of a second. */
const WRITER_RESTS_MS = 5000

export async function openBackend(options: BackendOptions): Promise<Backend> {
  const release = lock(options)
  try {
    const { workerProgram, database } = options
    if ('file' in database) inspectSqliteFile(resolve(database.file))
    const backend = await (workerProgram === undefined
      ? openInThisThread(options)
      : openInWorkers(options, workerProgram))
    const close = async () => {
      await backend.close()
      release()
    }
    return { ...backend, close }
  } catch (error) {
    release()
    throw error
  }
}

/** Of this process, not of a thread of it: a thread that dies and is started again finds it held for itself. */
function lock({ env, database, isReadOnly }: BackendOptions): () => void {
  if (isReadOnly || !('file' in database)) return () => {}
  const file = resolve(database.file)
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (error) {
    throw inaccessibleDatabase(file, error)
  }
  return lockFile(file, env)
}

async function openInThisThread({ env, database, isReadOnly }: BackendOptions): Promise<Backend> {
  const writer = isReadOnly ? undefined : await ArchiveWriter.open(database, env)
  let reader: ArchiveReader
  try {
    reader = await ArchiveReader.open(database, env.clock)
  } catch (error) {
    await writer?.close()
    throw error
  }
  return {
    position: () => needed(writer).position(),
    store: batch => needed(writer).store(batch),
    retain: retention => needed(writer).retain(retention),
    import: (lines, first) => needed(writer).import(lines, first),
    backup: file => needed(writer).backup(file),
    read: (name, ...args) => reader.call(name, args),
    async close() {
      await reader.close()
      await writer?.close()
    },
  }
}

async function openInWorkers({ database, isReadOnly }: BackendOptions, program: string | URL): Promise<Backend> {
  const writer = isReadOnly
    ? undefined
    : new WorkerThread(
        program,
        { role: 'writer', database, program: String(program) },
        // That nobody else writes to a server's database is the connection's to see to.
        'file' in database ? { restMs: WRITER_RESTS_MS } : {},
      )
  const readers: WorkerThread[] = []
  const close = async () => {
    await Promise.all(readers.map(reader => reader.close()))
    await writer?.close()
  }
  try {
    await writer?.call('open')
    for (let number = 0; number < READERS; number++)
      readers.push(new WorkerThread(program, { role: 'reader', database }, { restMs: READER_RESTS_MS }))
    // What the writer has opened can be read. A thread takes memory, so that one is there when somebody asks.
    if (!writer) await readers[0]?.call('open')
  } catch (error) {
    await close()
    throw error
  }
  const leastBusy = () => readers.reduce((a, b) => (b.waiting < a.waiting ? b : a))
  return {
    position: () => needed(writer).call('position'),
    store: batch => {
      const packed = packBatch(batch)
      return needed(writer).send('storePacked', [packed], [packed.bytes.buffer as ArrayBuffer])
    },
    retain: retention => needed(writer).call('retain', retention),
    import: (lines, first) => needed(writer).call('import', lines, first),
    backup: file => needed(writer).call('backup', file),
    read: (name, ...args) => leastBusy().call(name, ...args),
    close,
  }
}

function needed<T>(writer: T | undefined): T {
  if (!writer)
    throw unsupported('This archive was opened to be read only', 'Open it together with its journal to change it')
  return writer
}
