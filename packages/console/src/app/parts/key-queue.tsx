import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, EventItem, ParkedItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { get } from '../request.ts'
import { EventLink } from './link.tsx'
import { Problem, Skeleton } from './page.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

const SHOWN = 50

/** What came after a parked delivery for the same key, in the order in which it is handled. With `tiphys.dev/on-parked: block` all
 *  of it waits; otherwise it went on. */
export function KeyQueue({ item }: { item: ParkedItem & { key: string } }): ReactElement {
  const { namespace, name } = item.trigger
  const sensor = useQuery({
    queryKey: ['pipeline', 'Sensor', namespace, name],
    queryFn: ({ signal }) =>
      get<{ object: { metadata: { annotations?: Record<string, string> } } }>(
        `/pipeline/Sensor/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
        {},
        signal,
      ),
    retry: false,
  })
  const q = `key:"${item.key.replaceAll(/[\\"]/g, '\\$&')}"`
  const events = useQuery({
    queryKey: ['key-queue', item.key, item.action],
    queryFn: ({ signal }) => get<ArchivePage<EventItem>>('/events', { q, limit: 1000 }, signal),
  })
  if (events.error) return <Problem error={events.error} />
  if (!events.data) return <Skeleton rows={2} />
  const ids = new Set(item.events)
  // The newest come first; what waits goes on with the oldest.
  const own = events.data.items.findIndex(({ id }) => ids.has(id))
  const later = events.data.items.slice(0, own < 0 ? undefined : own).reverse()
  const count = `${own < 0 ? 'At least ' : ''}${later.length}`
  const blocks = sensor.data?.object.metadata.annotations?.['tiphys.dev/on-parked'] === 'block'
  return (
    <div className="key-queue">
      <p>
        {later.length === 0 ? (
          <>
            Nothing came after it for <code>{item.key}</code>.
          </>
        ) : blocks ? (
          <>
            <Status value="parked" word="blocked" /> {count} later {later.length === 1 ? 'event' : 'events'} of{' '}
            <code>{item.key}</code> wait behind it, because the sensor has <code>tiphys.dev/on-parked: block</code>.
            Retry or discard it, and they follow in this order:
          </>
        ) : (
          <>
            {count} later {later.length === 1 ? 'event' : 'events'} of <code>{item.key}</code> did not wait for it. With{' '}
            <code>tiphys.dev/on-parked: block</code> on the sensor they would.
          </>
        )}
      </p>
      {later.length > 0 && (
        <ol className="attempts">
          {later.slice(0, SHOWN).map(event => (
            <li key={event.id}>
              <Status value={event.verdict} />
              <EventLink id={event.id}>
                {event.change ?? event.type} {event.object?.name ?? event.id.slice(0, 8)}
              </EventLink>
              <Time at={event.at} />
            </li>
          ))}
          {later.length > SHOWN && <li className="faint">and {later.length - SHOWN} more</li>}
        </ol>
      )}
    </div>
  )
}
