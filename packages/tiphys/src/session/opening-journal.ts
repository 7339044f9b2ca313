import type { OpeningJournal } from '@tiphys/apiserver'
import type { Env } from '@tiphys/env'
import { type Entry, openFileJournal } from '@tiphys/journal'

/** Opens the journal of a cluster before anybody can read it: while the disk works, the API server is loaded. */
export function openJournalEarly(directory: string, env: Env): OpeningJournal {
  const early: Entry[] = []
  let hand = (entry: Entry): void => void early.push(entry)
  const opened = openFileJournal({ directory, env, onEntry: entry => hand(entry) })
  // Whoever reads it hears of the failure.
  opened.catch(() => {})
  return {
    opened,
    replay(onEntry) {
      for (const entry of early.splice(0)) onEntry(entry)
      hand = onEntry
    },
  }
}
