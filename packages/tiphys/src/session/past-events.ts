import type { Archive, EventDetail, EventItem, Row } from '@tiphys/archive'
import type { FindPastEvents, PastEvent } from '@tiphys/events'
import { MASKED } from '@tiphys/journal/records'

/** What stands in a stored payload for something that was not stored. */
const MARKS = [MASKED, '(too deep)']

/** What an id looks like that can be in the archive, and how many of them a query has room for. */
const NAME = /^[\w-]{1,40}$/
const TOGETHER = 90

/** Finds past events in the archive, which is opened when the first is asked for. */
export function archivedEvents(
  open: () => Promise<Pick<Archive, 'caughtUp' | 'event' | 'events' | 'payload'>>,
): FindPastEvents {
  return async function* ({ namespace, name }, ids, signal) {
    const until = patience(signal)
    const archive = await until(open())
    // It may lag, and by then the bus has dropped what it did not know yet.
    await until(archive.caughtUp())
    const known: Row<EventItem>[] = []
    const names = ids.filter(id => NAME.test(id))
    for (let at = 0; at < names.length; at += TOGETHER) {
      const query = `id:${names.slice(at, at + TOGETHER).join(',')}`
      const { items } = await until(archive.events({ query }, { limit: TOGETHER }))
      const isMeant = ({ source, bus = `${namespace}/${name}` }: EventItem) =>
        source.namespace === namespace && bus === `${namespace}/${name}`
      known.push(...items.filter(isMeant))
    }
    // Of one millisecond, as they were written down: by that those of one key keep their order.
    known.sort((a, b) => a.at - b.at || Number(a.cursor) - Number(b.cursor))
    for (const { id } of known) {
      const found = await until(archive.event(id, { maxBytes: 0 }))
      if (found) yield pastEvent(found, (await until(archive.payload(id)))?.toString())
    }
  }
}

/** Makes waiting end when the signal does, for a database may be away for long. */
function patience(signal: AbortSignal): <T>(task: Promise<T>) => Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  // Whoever waits is told; nobody has to.
  aborted.catch(() => {})
  return task => Promise.race([task, aborted])
}

function pastEvent(found: EventDetail, data: string | undefined): PastEvent {
  const { id, at, source, bus, type, key, object, resourceVersion, replayOf, bytes } = found
  if (bus === undefined) return { id, why: 'the filter of its own source ended it, so that it was on no bus' }
  if (data === undefined)
    return { id, why: `its payload of ${bytes} bytes was too large for the history, and the bus has it no more` }
  if (MARKS.some(mark => data.includes(`"${mark}`)))
    return {
      id,
      why: 'its payload was masked before the history stored it: what was in a Secret, or in a field that is not to be kept, is gone',
    }
  return {
    event: {
      id,
      source: source.name,
      subject: source.part,
      type,
      time: new Date(at).toISOString(),
      data,
      ...(key !== undefined && { key }),
      ...(object && { object: { ...object, ...(resourceVersion !== undefined && { resourceVersion }) } }),
      ...(replayOf !== undefined && { replayOf }),
    },
  }
}
