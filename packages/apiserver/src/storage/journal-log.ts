import type { Env } from '@tiphys/env'
import { type Entry, type FileJournal, type FileSystem, openFileJournal } from '@tiphys/journal'
import { type KubeObject, parseJson, stringifyJson } from '@tiphys/kube'
import { type LogRecord, Storage, type StorageOptions } from './storage.ts'

/** A journal that is being opened already. */
export interface OpeningJournal {
  readonly opened: Promise<FileJournal>
  /** Hands over every record that is in it, those first that were read before anybody asked. */
  replay(onEntry: (entry: Entry) => void): void
}

export interface DurableStorageOptions extends Omit<StorageOptions, 'log'> {
  /** The folder that it is in, or the journal itself. */
  journal: string | OpeningJournal
  env: Env
  /** How many superseded records may gather before the journal is compacted. */
  compactAfter?: number
  /** What stands for the disk; a test can be it. */
  fileSystem?: FileSystem
}

/** Storage that survives the process: every write is in a journal on stable storage before it is acknowledged. */
export async function openDurableStorage({
  journal: given,
  env,
  compactAfter = 50_000,
  fileSystem,
  ...options
}: DurableStorageOptions): Promise<Storage> {
  const restored: { position: number; record: LogRecord }[] = []
  const onEntry = ({ position, data }: Entry) => restored.push({ position, record: readRecord(data) })
  let opened: Promise<FileJournal>
  if (typeof given === 'string')
    opened = openFileJournal({ directory: given, env, onEntry, ...(fileSystem ? { fileSystem } : {}) })
  else {
    given.replay(onEntry)
    opened = given.opened
  }
  const journal = await opened
  const storage = new Storage({ ...options, log: journalLog(journal, env, compactAfter) })
  // Before the horizon only the last record of each key is left: that is a state, not a history.
  for (const { record } of restored) storage.restore(record)
  const oldest = restored.find(({ position }) => position >= journal.horizon)
  storage.compact(oldest ? oldest.record.revision - 1 : storage.revision)
  return storage
}

function journalLog(journal: FileJournal, env: Env, compactAfter: number) {
  let sinceCompaction = 0
  return {
    submit(record: LogRecord) {
      const { position, committed } = journal.submit({
        key: `${record.collection}\0${record.key}`,
        data: writeRecord(record),
        deleted: record.object === undefined,
      })
      if (++sinceCompaction >= compactAfter) {
        sinceCompaction = 0
        journal
          .compact({ before: position - (compactAfter >>> 1) })
          .catch((error: Error) => env.log.error('compacting the journal failed', { error }))
      }
      return { committed: committed.then(() => undefined) }
    },
    close: () => journal.close(),
  }
}

/** One line of names, then the object as it is stored. */
function writeRecord({ collection, key, revision, object }: LogRecord): string {
  return `${JSON.stringify([collection, key, revision])}\n${object === undefined ? '' : stringifyJson(object)}`
}

function readRecord(data: Buffer): LogRecord {
  const end = data.indexOf(10)
  const [collection, key, revision] = JSON.parse(data.toString('utf8', 0, end)) as [string, string, number]
  const object = end === data.length - 1 ? undefined : (parseJson(data.toString('utf8', end + 1)) as KubeObject)
  return { collection, key, revision, object }
}
