import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, EventItem, HealthItem, RunItem } from '@tiphys/archive'
import { type ReactElement, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { BusReport, Figures, PartFigures } from '../../api/workshop.ts'
import { useChanges } from '../live/use-live.ts'
import { ConditionTable } from '../parts/condition-table.tsx'
import { figureFacts, formatBytes, silenceWords } from '../parts/figure-words.ts'
import { Icon } from '../parts/icon.tsx'
import { EventLink } from '../parts/link.tsx'
import { ManifestEditor } from '../parts/manifest-editor.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { RunTable } from '../parts/run-table.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import type { PipelineManifest } from '../pipeline-manifest.ts'
import { get, RequestFailure } from '../request.ts'
import { consumersOf } from '../sensor/consumers.ts'
import { filterWords, type SensorSpec } from '../sensor/filter-words.ts'
import { RehearsalView } from '../sensor/rehearsal-view.tsx'
import { href, pipelinePath, useAddress } from '../url.ts'
import type { OverviewAnswer } from './overview.tsx'

interface Answer {
  object: PipelineManifest & { spec?: SensorSpec }
  yaml: string
}

/** The filter for what went through one: by its own namespace, which that of the objects need not be. */
const TERMS: Readonly<Record<string, (namespace: string, name: string) => string>> = {
  EventSource: (namespace, name) => `source:${namespace}/${name}/*`,
  Sensor: (namespace, name) => `sensor:${namespace}/${name}`,
  EventBus: (namespace, name) => `bus:${namespace}/${name}`,
}

/** One source, sensor or bus: its conditions, what it did last, its manifest. */
export default function Pipeline({
  kind,
  namespace,
  name,
}: {
  kind: string
  namespace: string
  name: string
}): ReactElement {
  const { get: read, set } = useAddress()
  const path = `/pipeline/${encodeURIComponent(kind)}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const term = TERMS[kind]?.(namespace, name)
  const found = useQuery({
    queryKey: ['pipeline', kind, namespace, name],
    queryFn: ({ signal }) => get<Answer>(path, {}, signal),
    retry: false,
  })
  const health = useQuery({
    queryKey: ['health', kind, namespace, name],
    queryFn: ({ signal }) =>
      get<readonly HealthItem[]>('/health', { q: `object:${kind}/${namespace}/${name}` }, signal),
  })
  const history = useQuery({
    queryKey: ['health-history', kind, namespace, name],
    queryFn: ({ signal }) =>
      get<ArchivePage<HealthItem>>('/health-history', { q: `object:${kind}/${namespace}/${name}`, limit: 50 }, signal),
  })
  const events = useQuery({
    queryKey: ['events-of', term],
    queryFn: ({ signal }) =>
      // Of a sensor, what came of them there; of the rest, what came of them at all.
      kind === 'Sensor'
        ? get<ArchivePage<EventItem>>(
            `/sensors/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/events`,
            { limit: 25 },
            signal,
          )
        : get<ArchivePage<EventItem>>('/events', { q: term, limit: 25 }, signal),
    enabled: term !== undefined,
  })
  const runs = useQuery({
    queryKey: ['runs-of', term],
    queryFn: ({ signal }) => get<ArchivePage<RunItem>>('/runs', { q: term, limit: 25 }, signal),
    enabled: kind === 'Sensor',
  })
  useChanges([['events-of'], ['runs-of'], ['health', kind]])
  const tab = read('tab')
  const tabs = useRef<HTMLDivElement>(null)
  const isThere = found.data !== undefined
  // Below everything else it would be asked for without being seen: the dry run, and whatever the address names.
  const wanted = useRef(tab)
  useEffect(() => {
    if (!isThere) return
    if (tab === 'dry-run' || (tab !== '' && tab === wanted.current)) tabs.current?.scrollIntoView({ block: 'start' })
    wanted.current = ''
  }, [tab, isThere])
  const isGone = found.error instanceof RequestFailure && found.error.status === 404
  const trouble = health.data?.find(({ status }) => status !== 'True')
  return (
    <Page
      title={name}
      name={`${kind} ${namespace}/${name}`}
      crumb={
        <>
          <Link href={href('/health')}>Health</Link> / {kind} / {namespace}
        </>
      }
      sub={
        <span className="facts">
          {isGone ? (
            <Status value="deleted" word="not in the cluster" />
          ) : trouble ? (
            <Status value="failed" word={trouble.reason} />
          ) : health.data?.length === 0 ? (
            <Status value="pending" word="no report yet" />
          ) : (
            health.data && <Status value="healthy" />
          )}
          <span>{kind}</span>
        </span>
      }
      actions={
        <>
          {kind === 'Sensor' && !isGone && (
            <button type="button" className="button" onClick={() => set({ tab: 'dry-run' }, { replace: true })}>
              <Icon name="play" size={14} /> Dry run
            </button>
          )}
          <Link className="button" href={href('/events', { q: term, ns: undefined })}>
            All its events
          </Link>
        </>
      }
      cli={[`kubectl get ${kind.toLowerCase()} ${name} -n ${namespace} -o yaml`]}
    >
      {found.error && !isGone && <Problem error={found.error} />}
      {health.data && health.data.length > 0 && (
        <details className="card" open={trouble !== undefined}>
          <summary>
            <h2>Conditions</h2>{' '}
            <span className="faint">{trouble === undefined ? 'as they should be' : trouble.reason}</span>
          </summary>
          <ConditionTable conditions={health.data} manifests={found.data ? [found.data.object] : []} />
        </details>
      )}
      {kind !== 'EventBus' && <FigureCard kind={kind} namespace={namespace} name={name} />}
      {kind === 'EventBus' && <BusFacts namespace={namespace} name={name} />}
      {kind === 'Sensor' && found.data && <Dependencies spec={found.data.object.spec ?? {}} namespace={namespace} />}
      <div ref={tabs} className={tab === 'dry-run' ? 'tall' : undefined}>
        <Tabs
          label={`About ${name}`}
          chosen={tab || 'events'}
          onChoose={next => set({ tab: next === 'events' ? undefined : next }, { replace: true })}
          tabs={[
            { id: 'events', name: 'Last events', content: () => <EventTable events={events.data?.items} /> },
            ...(kind === 'Sensor'
              ? [{ id: 'runs', name: 'Last runs', content: () => <RunTable runs={runs.data?.items} /> }]
              : []),
            ...(kind === 'Sensor' && found.data
              ? [
                  {
                    id: 'dry-run',
                    name: 'Dry run',
                    content: () => (
                      <RehearsalView
                        namespace={namespace}
                        name={name}
                        yaml={found.data.yaml}
                        entries={(found.data.object.spec?.dependencies ?? []).map(
                          each => `${each.eventSourceName}/${each.eventName}`,
                        )}
                      />
                    ),
                  },
                ]
              : []),
            {
              id: 'history',
              name: 'History of conditions',
              content: () =>
                history.data && history.data.items.length > 0 ? (
                  <ConditionTable conditions={history.data.items} />
                ) : (
                  <Empty icon="health" title="No change of a condition is recorded" />
                ),
            },
            {
              id: 'yaml',
              name: 'YAML',
              content: () =>
                found.data ? (
                  <ManifestEditor yaml={found.data.yaml} namespace={namespace} file={`${name}.yaml`} />
                ) : (
                  <Empty icon="templates" title="The cluster does not show it" />
                ),
            },
          ]}
        />
      </div>
    </Page>
  )
}

function Dependencies({ spec, namespace }: { spec: SensorSpec; namespace: string }): ReactElement {
  return (
    <section className="card" aria-label="Dependencies and triggers">
      <h2>Waits for, and does</h2>
      <table className="plain stacks">
        <caption className="hidden">Dependencies</caption>
        <thead>
          <tr>
            <th scope="col">Dependency</th>
            <th scope="col">Event</th>
            <th scope="col">Filters</th>
          </tr>
        </thead>
        <tbody>
          {(spec.dependencies ?? []).map(dependency => (
            <tr key={dependency.name}>
              <th scope="row">{dependency.name}</th>
              <td className="event-cell">
                <Link href={href(`/health/EventSource/${namespace}/${dependency.eventSourceName}`)}>
                  {dependency.eventSourceName}
                </Link>
                <span className="faint">/{dependency.eventName}</span>
              </td>
              <td>
                <FilterWords filters={dependency.filters} operator={dependency.filtersLogicalOperator} />
                {dependency.transform !== undefined && <span className="faint"> after a transformation</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        Triggers:{' '}
        {(spec.triggers ?? []).map(({ template }) => (
          <span key={template?.name} className="tag">
            {template?.name}
            {template?.conditions ? ` when ${template.conditions}` : ''}
          </span>
        ))}
      </p>
    </section>
  )
}

/** What the engine has counted of it since it started. */
function FigureCard({ kind, namespace, name }: { kind: string; namespace: string; name: string }): ReactElement | null {
  const figures = useQuery({
    queryKey: ['figures'],
    queryFn: ({ signal }) => get<readonly Figures[]>('/figures', {}, signal),
    refetchInterval: 5000,
  })
  const found = figures.data?.find(each => each.kind === kind && each.namespace === namespace && each.name === name)
  if (!found) return null
  return (
    <section className="card" aria-label="Figures">
      <h2>Since the engine started</h2>
      <dl className="facts-list wide">
        {figureFacts(found).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {found.parts && found.parts.length > 0 && <PartTable kind={kind} parts={found.parts} />}
    </section>
  )
}

const PART_COLUMNS: Readonly<
  Record<string, readonly (readonly [name: string, value: (part: PartFigures) => string | undefined])[]>
> = {
  EventSource: [
    ['Sent', ({ sent }) => sent?.toLocaleString('en')],
    ['Server', ({ silenceMs }) => (silenceMs === undefined ? undefined : silenceWords(silenceMs))],
    ['Read up to version', ({ version }) => (version === undefined ? undefined : String(version))],
    ['Objects remembered', ({ remembered }) => remembered?.toLocaleString('en')],
    ['Not stored yet', ({ waiting }) => waiting?.toLocaleString('en')],
  ],
  Sensor: [
    ['Done', ({ done }) => done?.toLocaleString('en')],
    ['Handled up to', ({ position }) => position?.toLocaleString('en')],
    ['Waiting', ({ backlog }) => backlog?.toLocaleString('en')],
    ['Parked', ({ parked }) => parked?.toLocaleString('en')],
  ],
}

/** How far each entry of a source or each trigger of a sensor is. */
function PartTable({ kind, parts }: { kind: string; parts: readonly PartFigures[] }): ReactElement {
  const columns = PART_COLUMNS[kind] ?? []
  return (
    <table className="plain stacks">
      <caption className="hidden">{kind === 'Sensor' ? 'Triggers' : 'Entries'}</caption>
      <thead>
        <tr>
          <th scope="col">{kind === 'Sensor' ? 'Trigger' : 'Entry'}</th>
          {columns.map(([name]) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {parts.map(part => (
          <tr key={part.name}>
            <th scope="row">{part.name}</th>
            {columns.map(([name, value]) => (
              <td key={name} className="number" data-label={name.toLowerCase()}>
                {value(part) ?? '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The bus as the engine has it open, and who has not read all of it. */
function BusFacts({ namespace, name }: { namespace: string; name: string }): ReactElement | null {
  const buses = useQuery({
    queryKey: ['buses'],
    queryFn: ({ signal }) => get<readonly BusReport[]>('/buses', {}, signal),
    refetchInterval: 5000,
  })
  const overview = useQuery({
    queryKey: ['overview', namespace, '3600'],
    queryFn: ({ signal }) => get<OverviewAnswer>('/overview', { ns: namespace, window: 3600 }, signal),
  })
  const figures = useQuery({
    queryKey: ['figures'],
    queryFn: ({ signal }) => get<readonly Figures[]>('/figures', {}, signal),
    refetchInterval: 5000,
  })
  const bus = buses.data?.find(each => each.namespace === namespace && each.name === name)
  const consumers = consumersOf(overview.data?.flow.nodes ?? [], figures.data ?? [], namespace)
  if (!bus && consumers.length === 0) return null
  return (
    <section className="card" aria-label="The bus">
      <header className="card-head">
        <h2>On the bus</h2>
        {bus && (
          <Status
            value={bus.state === 'healthy' ? 'healthy' : bus.state === 'full' ? 'warning' : 'failed'}
            word={bus.state ?? 'closed'}
          />
        )}
      </header>
      {bus?.trouble !== undefined && <p className="message">{bus.trouble}</p>}
      {bus?.slowest !== undefined && (
        <p className="message">It is full: nothing more is taken until {bus.slowest} has handled some.</p>
      )}
      {bus?.events !== undefined && (
        <dl className="facts-list wide">
          <div>
            <dt>Kept events</dt>
            <dd>{bus.events.toLocaleString('en')}</dd>
          </div>
          <div>
            <dt>Size</dt>
            <dd>{formatBytes(bus.bytes ?? 0)}</dd>
          </div>
          {bus.head !== undefined && (
            <div>
              <dt>Last position</dt>
              <dd>{bus.head.toLocaleString('en')}</dd>
            </div>
          )}
        </dl>
      )}
      {consumers.length > 0 && (
        <table className="plain stacks">
          <caption className="hidden">Consumers</caption>
          <thead>
            <tr>
              <th scope="col">Consumer</th>
              <th scope="col" className="number">
                Handled up to
              </th>
              <th scope="col" className="number">
                Waiting
              </th>
              <th scope="col" className="number">
                Parked
              </th>
              <th scope="col">Last</th>
            </tr>
          </thead>
          <tbody>
            {consumers.map(({ sensor, trigger, position, backlog, parked, lastAt }) => (
              <tr key={`${sensor}/${trigger}`}>
                <th scope="row">
                  <Link href={href(pipelinePath('Sensor', namespace, sensor))}>
                    {sensor}/{trigger}
                  </Link>
                </th>
                <td className="number" data-label="handled up to">
                  {position?.toLocaleString('en') ?? '–'}
                </td>
                <td className="number" data-label="waiting">
                  {backlog.toLocaleString('en')}
                </td>
                <td className="number" data-label="parked">
                  {parked.toLocaleString('en')}
                </td>
                <td data-label="last">{lastAt > 0 ? <Time at={lastAt} /> : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function FilterWords({ filters, operator }: { filters: unknown; operator: string | undefined }): ReactElement {
  const { lines, joinedBy } = filterWords(filters, operator)
  if (lines.length === 0) return <span className="faint">none</span>
  return (
    <ul className="filter-words">
      {lines.map((line, i) => (
        <li key={line}>
          {i > 0 && <span className="faint">{joinedBy} </span>}
          <code>{line}</code>
        </li>
      ))}
    </ul>
  )
}

function EventTable({ events }: { events: readonly EventItem[] | undefined }): ReactElement {
  if (!events) return <Skeleton rows={6} />
  if (events.length === 0) return <Empty icon="events" title="No events" />
  return (
    <div className="scroll-area">
      <table className="plain slim">
        <caption className="hidden">Events</caption>
        <tbody>
          {events.map(event => (
            <tr key={event.id}>
              <td>
                <Status value={event.verdict} />
              </td>
              <th scope="row">
                <EventLink id={event.id}>
                  {event.change ?? event.type}{' '}
                  {event.object ? `${event.object.kind} ${event.object.name}` : event.id.slice(0, 8)}
                </EventLink>
              </th>
              <td>
                <Time at={event.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
