import type { Archive } from '@tiphys/archive'
import { type Env, Failure } from '@tiphys/env'
import { openFileJournal } from '@tiphys/journal'
import { createLogStore } from '@tiphys/journal/records'
import { archivePlace } from './archive-place.ts'
import type { DataFolder } from './data-folder.ts'

/** What was recorded on a folder that nothing runs on. What the archive had not taken in when the instance ended, it
 *  takes in now; unless somebody is just about to start on the folder, who then does that. */
export async function openHistory(folder: DataFolder, env: Env): Promise<{ archive: Archive; close(): Promise<void> }> {
  const { openArchive } = await import('@tiphys/archive')
  const database = archivePlace(folder.archive)
  const journal = await openFileJournal({ directory: folder.records, env }).catch(thrown => {
    if (thrown instanceof Failure && thrown.code === 'journal-locked') return undefined
    throw thrown
  })
  try {
    const logs = createLogStore({ place: { directory: folder.logs }, env })
    const archive = await openArchive({ env, database, ...(journal && { journal, logs }) })
    // What cannot be stored at the moment is told by the log; what was stored can be read all the same.
    if (journal) await archive.caughtUp({ isPatient: false })
    return {
      archive,
      async close() {
        await archive.close()
        await journal?.close()
      },
    }
  } catch (thrown) {
    await journal?.close()
    throw thrown
  }
}
