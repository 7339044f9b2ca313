import type { Archive } from '@tiphys/archive'
import type { Env } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { createLogStore } from '@tiphys/journal/records'
import type { DataFolder } from './data-folder.ts'

/** What was recorded on a folder that nothing runs on. What the archive had not taken in when the instance ended, it
 *  takes in now. */
export async function openHistory(folder: DataFolder, env: Env): Promise<{ archive: Archive; close(): Promise<void> }> {
  const { openArchive } = await import('@tiphys/archive')
  const journal = await openFileJournal({ directory: folder.records, env })
  try {
    const logs = createLogStore({ place: { directory: folder.logs }, env })
    const archive = await openArchive({ env, database: { file: folder.archive }, journal, logs })
    await archive.caughtUp()
    return {
      archive,
      async close() {
        await archive.close()
        await journal.close()
      },
    }
  } catch (thrown) {
    await journal.close()
    throw thrown
  }
}
