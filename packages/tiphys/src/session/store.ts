import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Env } from '@tiphys/env'
import { type Journal, openFileJournal } from '@tiphys/journal'
import { createLogStore, type LogStore } from '@tiphys/journal/records'
import type { DataFolder } from './data-folder.ts'
import { createMemoryJournal } from './memory-journal.ts'

/** Where the engines keep what they remember. */
export interface Store {
  /** The journal of records. */
  readonly records: Journal
  readonly logs: LogStore
  /** The journal of a bus. */
  openBus(name: string): Promise<Journal>
  /** The file that outlives a process which a delivery has ended. */
  readonly inFlight?: string
  /** A folder for artifacts and the archive; made when it is first asked for. */
  files(): Promise<{ artifacts: string; archive: string }>
  close(): Promise<void>
}

export async function openFileStore(folder: DataFolder, env: Env): Promise<Store> {
  const records = await openFileJournal({ directory: folder.records, env })
  return {
    records,
    logs: createLogStore({ place: { directory: folder.logs }, env }),
    openBus: name => openFileJournal({ directory: folder.bus(name), env }),
    inFlight: folder.inFlight,
    files: () => Promise.resolve({ artifacts: folder.artifacts, archive: folder.archive }),
    close: () => records.close(),
  }
}

/** Keeps everything in memory, and what only files can hold in a folder that goes with the process. */
export function createMemoryStore(env: Env): Store {
  const records = createMemoryJournal()
  let scratch: Promise<string> | undefined
  return {
    records,
    logs: createLogStore({ place: { journal: createMemoryJournal() }, env }),
    openBus: () => Promise.resolve(createMemoryJournal()),
    async files() {
      scratch ??= mkdtemp(join(tmpdir(), 'tiphys-'))
      const folder = await scratch
      return { artifacts: join(folder, 'artifacts'), archive: join(folder, 'archive.db') }
    },
    async close() {
      await records.close()
      if (scratch) await rm(await scratch, { recursive: true, force: true })
    },
  }
}
