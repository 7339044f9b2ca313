import type { EventItem } from '@tiphys/archive'
import { type ReactElement, useState } from 'react'
import { ActionButton, useSession } from '../access.tsx'
import { fireLine, listLine } from '../command-line.ts'
import { useList } from '../live/use-list.ts'
import { FilterBar, unknownFields } from '../parts/filter-bar.tsx'
import { FireDialog } from '../parts/fire-dialog.tsx'
import { ImportButton } from '../parts/import-button.tsx'
import { ObjectLabel } from '../parts/link.tsx'
import { ListBody, ListCount } from '../parts/list-page.tsx'
import { lastQuery } from '../parts/neighbour-keys.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { ReplayDialog } from '../parts/replay-dialog.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import type { Column } from '../parts/window-list.tsx'
import { withTerm } from '../query.ts'
import { eventPath, href, useAddress } from '../url.ts'

const keyOf = ({ id }: EventItem) => id
const timeOf = ({ at }: EventItem) => at
const hrefOf = ({ id }: EventItem) => href(eventPath(id))
const isFailure = ({ verdict }: EventItem) => verdict === 'failed' || verdict === 'parked'

/** Of what the event is about, as the filter `ns` means it. */
const namespaceOf = ({ object, source }: EventItem) => (object ? object.namespace : source.namespace)

const COLUMNS: readonly Column<EventItem>[] = [
  {
    name: 'Status',
    width: 'var(--status-track)',
    cell: ({ verdict }) => <Status value={verdict} />,
    filter: ({ verdict }) => ['status', verdict],
  },
  {
    name: 'Type',
    width: 'minmax(84px, 110px)',
    from: 620,
    cell: ({ change, type }) => <span className="tag">{change ?? type}</span>,
    filter: ({ change, type }) => ['type', change ?? type],
  },
  {
    name: 'Object',
    width: 'minmax(96px, 2fr)',
    cell: ({ object, key, id }) =>
      object ? <ObjectLabel object={object} /> : <span className="mono">{key ?? id.slice(0, 12)}</span>,
    filter: ({ object, key, id }) =>
      object
        ? ['object', `${object.kind}/${object.namespace ? `${object.namespace}/` : ''}${object.name}`]
        : key === undefined
          ? ['id', id]
          : ['key', key],
  },
  {
    name: 'Source',
    width: 'minmax(110px, 1.2fr)',
    from: 760,
    cell: ({ source }) => (
      <span className="two">
        {source.name}
        <span className="faint">/{source.part}</span>
      </span>
    ),
    filter: ({ source }) => ['source', source.name],
  },
  {
    name: 'Namespace',
    width: 'minmax(80px, 0.7fr)',
    from: 1080,
    cell: item => namespaceOf(item) ?? <span className="faint">–</span>,
    filter: item => {
      const namespace = namespaceOf(item)
      return namespace === undefined ? undefined : ['ns', namespace]
    },
  },
  {
    name: 'Runs',
    width: '56px',
    from: 880,
    cell: ({ runs }) => <span className="number">{runs === 0 ? '–' : runs}</span>,
    filter: ({ runs }) => ['runs', String(runs)],
  },
  { name: 'Time', width: 'var(--time-track)', cell: ({ at }) => <Time at={at} /> },
]

export default function Events(): ReactElement {
  const { get, set } = useAddress()
  const session = useSession()
  const q = get('q')
  const ns = get('ns')
  lastQuery['/events'] = q
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<'replay' | 'fire'>()
  const isUnderstood = unknownFields('events', q).length === 0
  const store = useList<EventItem>({ path: '/events', query: { q, ns }, keyOf, timeOf, topic: 'events' }, isUnderstood)
  const problem = store?.state === 'failed' && q !== '' ? store.error?.message : undefined
  const toggle = ({ id }: EventItem) => {
    const next = new Set(picked)
    if (!next.delete(id)) next.add(id)
    setPicked(next)
  }
  return (
    <Page
      isFull
      title="Events"
      name={`Events${q && `: ${q}`}`}
      sub={isUnderstood && <ListCount store={store} one="event" />}
      actions={
        <>
          <ImportButton />
          <ActionButton
            action="fire"
            namespace={ns}
            icon="send"
            blocked={session.data?.can.fire === false ? 'No event engine runs beside this console.' : undefined}
            onClick={() => setDialog('fire')}
          >
            Send test event
          </ActionButton>
          <ActionButton
            action="replay"
            namespace={ns}
            icon="replay"
            kind={picked.size > 0 ? 'primary' : 'plain'}
            blocked={isUnderstood ? undefined : 'The filter names a field that events do not have.'}
            onClick={() => setDialog('replay')}
          >
            {picked.size > 0 ? `Replay ${picked.size} selected` : 'Replay these'}
          </ActionButton>
        </>
      }
      cli={[listLine('events', q, ns)]}
    >
      <FilterBar of="events" value={q} problem={problem} onChange={next => set({ q: next })} />
      {isUnderstood ? (
        <ListBody
          label="Events"
          store={store}
          columns={COLUMNS}
          keyOf={keyOf}
          hrefOf={hrefOf}
          isFailure={isFailure}
          selection={{ keys: picked, toggle }}
          onFilter={(field, value, isNegated) => set({ q: withTerm(q, field, value, isNegated) })}
          empty={
            q === '' ? (
              <Empty icon="events" isOfNamespace title="No events yet">
                <p>Events appear here as soon as an EventSource sees a change. Create one, or send a test event:</p>
                <pre>
                  <code>{fireLine('', '', '')}</code>
                </pre>
              </Empty>
            ) : (
              <Empty isOfNamespace title="No event matches">
                <p>Nothing in the archive is like this. Widen the filter, or look at all events.</p>
                <button type="button" className="button" onClick={() => set({ q: '' })}>
                  Clear the filter
                </button>
              </Empty>
            )
          }
        />
      ) : (
        <Empty title="The filter cannot be applied">
          <p>Nothing was asked for, because the filter names a field that events do not have.</p>
        </Empty>
      )}
      {dialog === 'replay' && (
        <ReplayDialog
          {...(picked.size > 0 ? { events: [...picked] } : { query: q })}
          ns={ns}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'fire' && <FireDialog ns={ns} onClose={() => setDialog(undefined)} />}
    </Page>
  )
}
