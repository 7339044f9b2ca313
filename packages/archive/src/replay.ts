import type { Archive, EventItem, Selection } from './archive.ts'
import { formatQuery, parseQuery } from './query/parse.ts'

/** Which of the chosen events are run again: all, those that started no run, or those that failed. */
export type ReplayMode = 'all' | 'without-run' | 'failed'

const ONLY: Readonly<Record<ReplayMode, string>> = { all: '', 'without-run': 'runs:0', failed: 'status:failed,parked' }

/** The selection of a mode, in the same language. What is a replay itself is not meant unless it is asked for: whoever sends the same events
 *  again twice would send twice as many each time. */
export function replaySelection({ query = '', scope }: Selection, mode: ReplayMode): Selection {
  const { terms } = typeof query === 'string' ? parseQuery(query) : query
  const originals = terms.some(({ field }) => field === 'replayof' || field === 'id') ? '' : '-replayof:*'
  const text = [formatQuery(terms), ONLY[mode], originals].filter(part => part !== '').join(' ')
  return { query: text, ...(scope ? { scope } : {}) }
}

/** The events to run again, oldest first, so that those of one key keep their order. Only those that are there at the beginning: a replay is an
 *  event itself and would be found again. What its own source ended was on no bus to send it to. */
export async function* eventsToReplay(
  archive: Pick<Archive, 'events'>,
  selection: Selection,
  mode: ReplayMode,
): AsyncGenerator<EventItem> {
  const chosen = replaySelection(selection, mode)
  const newest = (await archive.events({}, { limit: 1 })).items[0]
  if (!newest) return
  let after: string | undefined
  do {
    const page = await archive.events(chosen, {
      order: 'oldest',
      limit: 500,
      ...(after === undefined ? {} : { after }),
    })
    for (const { cursor, ...event } of page.items) {
      if (Number(cursor) > Number(newest.cursor)) return
      if (event.bus !== undefined) yield event
    }
    after = page.next
  } while (after !== undefined)
}
