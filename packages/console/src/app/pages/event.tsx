import { useQuery } from '@tanstack/react-query'
import type { Trace } from '@tiphys/archive'
import { type ReactElement, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ActionButton } from '../access.tsx'
import { copy } from '../clipboard.ts'
import { replayLine } from '../command-line.ts'
import { counted } from '../count.ts'
import { bodiesOf, differencesOf } from '../event/diff.ts'
import { RelativesView } from '../event/relatives-view.tsx'
import { TraceView } from '../event/trace-view.tsx'
import { isOfSource } from '../event/why-sentence.tsx'
import { WhyView } from '../event/why-view.tsx'
import { useChanges } from '../live/use-live.ts'
import { DifferenceTable } from '../parts/difference-table.tsx'
import { Icon } from '../parts/icon.tsx'
import { JsonTree } from '../parts/json-tree.tsx'
import { ObjectLink } from '../parts/link.tsx'
import { NeighbourKeys } from '../parts/neighbour-keys.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { ReplayDialog } from '../parts/replay-dialog.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { address, failureOf, get, RequestFailure } from '../request.ts'
import { useNow } from '../time.ts'
import { eventPath, href, pipelinePath, useAddress } from '../url.ts'

export default function EventPage({ id }: { id: string }): ReactElement {
  const { get: read, set } = useAddress()
  const [isReplaying, setReplaying] = useState(false)
  const now = useNow()
  // As it was opened: what is read stays in sight while more comes of the event.
  const usual = useRef<'payload' | 'why'>(undefined)
  const trace = useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => get<Trace>(`/events/${encodeURIComponent(id)}`, {}, signal),
  })
  useChanges([['event', id]], trace.data === undefined || isOpen(trace.data))
  const failure = failureOf(trace)
  if (failure) return <MissingEvent id={id} error={failure} />
  if (!trace.data) return <Page title="Event">{<Skeleton rows={10} />}</Page>
  const { event } = trace.data
  const isUnpublished = event?.bus === undefined && trace.data.decisions.some(isOfSource)
  const namespace = event?.source.namespace ?? ''
  const title = event
    ? `${event.change ?? event.type} ${event.object ? `${event.object.kind} ${event.object.name}` : event.source.name}`
    : `Event ${id.slice(0, 8)}`
  const verdict = event?.verdict ?? 'pending'
  usual.current ??= verdict === 'ran' || verdict === 'running' ? 'payload' : 'why'
  const tab = read('tab') || usual.current
  const bodies = event ? bodiesOf(event.body) : undefined
  const changes =
    bodies && bodies.from !== undefined && bodies.to !== undefined ? differencesOf(bodies.from, bodies.to) : undefined
  return (
    <Page
      title={title}
      crumb={
        <>
          <Link href={href('/events')}>Events</Link> / <span className="mono">{id.slice(0, 12)}</span>
        </>
      }
      sub={
        event && (
          <span className="facts">
            <Status value={verdict} />
            <Time at={event.at} />
            <span>
              from{' '}
              <Link href={href(pipelinePath('EventSource', namespace, event.source.name))}>{event.source.name}</Link>
              <span className="faint">/{event.source.part}</span>
            </span>
            {event.object && <ObjectLink object={event.object} />}
            <button
              type="button"
              className="link-button mono"
              title="Copy the id"
              onClick={() => void copy(id, 'Id copied')}
            >
              {id.slice(0, 12)}… <Icon name="copy" size={11} />
            </button>
          </span>
        )
      }
      actions={
        <>
          <button type="button" className="button" onClick={() => void copy(summaryOf(trace.data), 'Summary copied')}>
            <Icon name="copy" size={14} /> Copy summary
          </button>
          <a className="button" href={address(`/events/${encodeURIComponent(id)}/export`)} download>
            <Icon name="download" size={14} /> Export
          </a>
          {!isUnpublished && (
            <ActionButton
              action="replay"
              namespace={namespace}
              icon="replay"
              kind="primary"
              onClick={() => setReplaying(true)}
            >
              Replay
            </ActionButton>
          )}
        </>
      }
      cli={isUnpublished ? [`tiphys trace ${id}`] : [`tiphys trace ${id}`, replayLine({ events: [id] })]}
    >
      <NeighbourKeys list="/events" current={id} />
      {(!event || isUnpublished) && (
        <p className="notice">
          {isUnpublished
            ? 'Its source did not publish this event: it was never on the bus, and cannot be replayed.'
            : 'The event itself is no longer in the archive; what came of it is.'}
        </p>
      )}
      <TraceView trace={trace.data} now={now} />
      <Tabs
        label="About this event"
        chosen={tab}
        onChoose={next => set({ tab: next }, { replace: true })}
        tabs={[
          { id: 'why', name: 'Why', content: () => <WhyView trace={trace.data} /> },
          { id: 'payload', name: 'Payload', content: () => <Payload trace={trace.data} /> },
          {
            id: 'diff',
            name: 'Diff',
            count: changes?.length,
            content: () =>
              changes ? (
                changes.length > 0 ? (
                  <div className="card">
                    <DifferenceTable changes={changes} />
                  </div>
                ) : (
                  <Empty title="Nothing that matters changed">
                    <p>
                      Only fields that machines keep for themselves are different (resourceVersion, generation,
                      managedFields).
                    </p>
                  </Empty>
                )
              ) : (
                <Empty title="Nothing to compare">
                  <p>Only an UPDATE tells what the object was before.</p>
                </Empty>
              ),
          },
          {
            id: 'relatives',
            name: 'Causes & effects',
            count:
              (trace.data.cause ? 1 : 0) +
              trace.data.effects.length +
              trace.data.runs.length +
              trace.data.writes.length,
            content: () => <RelativesView trace={trace.data} />,
          },
        ]}
      />
      {isReplaying && <ReplayDialog events={[id]} ns="" onClose={() => setReplaying(false)} />}
    </Page>
  )
}

/** Whether something may still come of it: of one that waits, also after a long time. */
function isOpen({ event, runs }: Trace): boolean {
  const isYoung = event === undefined || Date.now() - event.at < 600_000
  return isYoung || OPEN.has(event.verdict) || runs.some(({ finishedAt }) => finishedAt === undefined)
}
const OPEN: ReadonlySet<string> = new Set(['pending', 'waiting', 'running', 'parked'])

function MissingEvent({ id, error }: { id: string; error: Error }): ReactElement {
  const isMissing = error instanceof RequestFailure && error.status === 404
  return (
    <Page title={isMissing ? 'No such event' : 'The event cannot be shown'} cli={[`tiphys trace ${id}`]}>
      {isMissing ? (
        <Empty icon="events" title={`Nothing is known of ${id}`}>
          <p>It never was, it was removed by retention, or you may not see it.</p>
          <Link href={href('/events')} className="button">
            Look at all events
          </Link>
        </Empty>
      ) : (
        <Problem error={error} />
      )}
    </Page>
  )
}

function Payload({ trace }: { trace: Trace }): ReactElement {
  const [isRaw, setRaw] = useState(false)
  const { event, id } = trace
  if (!event) return <Empty title="The payload is gone" />
  const download = (
    <a className="button small" href={address(`/events/${encodeURIComponent(id)}/payload`)} download>
      <Icon name="download" size={12} /> Download ({counted(event.bytes, 'byte')})
    </a>
  )
  if (event.body === undefined) {
    return (
      <Empty icon="download" title={event.isBodyCut ? 'The payload is too large to show' : 'The event has no payload'}>
        {event.isBodyCut && download}
      </Empty>
    )
  }
  const raw = isRaw ? JSON.stringify(event.body, null, 2) : ''
  return (
    <div className="payload">
      <div className="payload-tools">
        <button type="button" className="button small" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'Tree' : 'Raw'}
        </button>
        <button
          type="button"
          className="button small"
          onClick={() => void copy(JSON.stringify(event.body, null, 2), 'Payload copied')}
        >
          <Icon name="copy" size={12} /> Copy
        </button>
        {download}
      </div>
      {isRaw ? (
        <pre className="raw" tabIndex={0}>
          <code>{raw.length > 200_000 ? `${raw.slice(0, 200_000)}\n… cut: download the whole` : raw}</code>
        </pre>
      ) : (
        <JsonTree value={event.body} openTo={3} />
      )}
    </div>
  )
}

/** A few lines for a chat. */
function summaryOf({ event, id, outcomes, runs }: Trace): string {
  const lines = [
    event
      ? `${event.change ?? event.type} ${event.object?.kind ?? ''} ${event.object?.name ?? ''} (${event.verdict}) at ${new Date(event.at).toISOString()}`
      : `event ${id}`,
    ...outcomes.map(
      ({ trigger, state, message }) =>
        `- sensor ${trigger.name}/${trigger.part}: ${state}${message ? ` (${message})` : ''}`,
    ),
    ...runs.map(
      ({ run, phase, message }) => `- run ${run.namespace}/${run.name}: ${phase}${message ? ` (${message})` : ''}`,
    ),
    `${location.origin}${eventPath(id)}`,
  ]
  return lines.join('\n')
}
