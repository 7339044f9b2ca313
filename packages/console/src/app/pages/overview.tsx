import { useQuery } from '@tanstack/react-query'
import type { ArchiveStatus, Attention, Counters, Flow, FlowNode } from '@tiphys/archive'
import { type ReactElement, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { FlowGraph } from '../flow/flow-graph.tsx'
import { withIdle } from '../flow/flow-layout.ts'
import { FlowPanel } from '../flow/flow-panel.tsx'
import { FlowTable } from '../flow/flow-table.tsx'
import { useChanges } from '../live/use-live.ts'
import { archiveWords } from '../parts/figure-words.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { LeftOut } from '../parts/left-out.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import type { PipelineManifest } from '../pipeline-manifest.ts'
import { get } from '../request.ts'
import { href, objectPath, pipelinePath, runHref, useAddress } from '../url.ts'

export interface OverviewAnswer {
  /** `run`: it is about one run alone; `events`: about these events. */
  attention: readonly (Attention & { run?: { namespace: string; name: string; uid: string }; events?: string })[]
  counters: Counters
  flow: Flow
  archive: Pick<ArchiveStatus, 'state' | 'lag' | 'lagMs' | 'problem'>
}

const WINDOWS = [
  ['3600', 'Last hour'],
  ['86400', 'Last day'],
  ['604800', 'Last week'],
] as const

const PIPELINE_MS = 15_000

export default function Overview(): ReactElement {
  const { get: read, set } = useAddress()
  const ns = read('ns')
  const window = read('window') || '3600'
  const view = read('view')
  const overview = useQuery({
    queryKey: ['overview', ns, window],
    queryFn: ({ signal }) => get<OverviewAnswer>('/overview', { ns, window }, signal),
  })
  const pipeline = useQuery({
    queryKey: ['pipeline', ns],
    queryFn: ({ signal }) => get<{ items: readonly PipelineManifest[] }>('/pipeline', { ns }, signal),
    refetchInterval: PIPELINE_MS,
  })
  useChanges([['overview']])
  const [chosen, setChosen] = useState<FlowNode>()
  const data = overview.data
  const [flow, manifests] = [data?.flow, pipeline.data?.items]
  const drawn = useMemo(() => flow && withIdle(flow, manifests ?? []), [flow, manifests])
  return (
    <Page title="Overview" cli={['tiphys events --follow', `tiphys runs 'status:failed age:<1h'`]}>
      {overview.error && <Problem error={overview.error} />}
      {!data && !overview.error && <Skeleton rows={12} />}
      {data && drawn && (
        <>
          {data.archive.state !== 'following' && (
            <p className="notice" role="status">
              {archiveWords(data.archive)}
            </p>
          )}
          <LeftOut />
          <NeedsAttention items={data.attention} />
          <CounterStrip counters={data.counters} />
          <section className="card flow" aria-label="Flow">
            <header className="card-head">
              <h2>Flow</h2>
              <div className="segments" role="group" aria-label="Window">
                {WINDOWS.map(([value, name]) => (
                  <button
                    key={value}
                    type="button"
                    aria-pressed={window === value}
                    onClick={() => set({ window: value === '3600' ? undefined : value }, { replace: true })}
                  >
                    {name}
                  </button>
                ))}
              </div>
              <div className="segments" role="group" aria-label="View">
                <button
                  type="button"
                  aria-pressed={view !== 'table'}
                  onClick={() => set({ view: undefined }, { replace: true })}
                >
                  Graph
                </button>
                <button
                  type="button"
                  aria-pressed={view === 'table'}
                  onClick={() => set({ view: 'table' }, { replace: true })}
                >
                  Table
                </button>
              </div>
            </header>
            {drawn.nodes.length === 0 ? (
              <Empty icon="overview" isOfNamespace title="Nothing flows yet">
                <p>
                  Apply an EventSource, a Sensor and what it triggers; they appear here as soon as they are active. A
                  folder with all of it:
                </p>
                <pre>
                  <code>tiphys init my-operator && tiphys up my-operator</code>
                </pre>
              </Empty>
            ) : view === 'table' ? (
              <FlowTable flow={drawn} />
            ) : (
              <FlowGraph flow={drawn} onChoose={setChosen} />
            )}
          </section>
          {chosen && <FlowPanel node={chosen} flow={drawn} onClose={() => setChosen(undefined)} />}
        </>
      )}
    </Page>
  )
}

const ICONS: Readonly<Record<Attention['type'], IconName>> = {
  parked: 'parked',
  condition: 'health',
  failing: 'runs',
  gap: 'events',
}

const AT_FIRST = 8

function NeedsAttention({ items }: { items: OverviewAnswer['attention'] }): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, AT_FIRST)
  return (
    <section className="attention" aria-label="Needs attention">
      <h2>Needs attention</h2>
      {items.length === 0 ? (
        <p className="all-well">
          <Icon name="health" size={14} /> Nothing. Everything that came was handled.
        </p>
      ) : (
        <ul>
          {shown.map(item => (
            <li key={`${item.type}-${item.title}-${item.at}`} className={item.type}>
              <Icon name={item.events === undefined ? ICONS[item.type] : 'events'} />
              <div className="attention-text">
                <Link href={attentionLink(item)}>{item.title}</Link>
                <span className="faint">{item.detail}</span>
              </div>
              {item.count > 1 && <span className="count">{item.count.toLocaleString('en')}</span>}
              <Time at={item.at} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < items.length && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show {items.length - shown.length} more
        </button>
      )}
    </section>
  )
}

function attentionLink({ type, fingerprint, object, query, run, events }: OverviewAnswer['attention'][number]): string {
  if (run) return runHref(run)
  if (events !== undefined) return href('/events', { q: events })
  if (type === 'parked') return href('/parked', { group: fingerprint })
  if (type === 'failing') return href('/runs', { q: query ?? `fingerprint:${fingerprint ?? ''}` })
  if (type === 'gap') return href('/health')
  if (object && ['EventSource', 'Sensor', 'EventBus'].includes(object.kind))
    return href(pipelinePath(object.kind, object.namespace ?? '', object.name))
  return object ? href(objectPath(object)) : href('/health')
}

function CounterStrip({ counters }: { counters: Counters }): ReactElement {
  const { Suspended: suspended = 0 } = counters.runsByPhase
  const failed = (counters.runsByPhase.Failed ?? 0) + (counters.runsByPhase.Error ?? 0)
  const minutes = counters.minutes
  return (
    <section className="counters" aria-label="In numbers">
      <Counter name="Events" value={counters.events} to={href('/events')} line={minutes.map(({ events }) => events)} />
      <Counter name="Runs" value={counters.runs} to={href('/runs')} line={minutes.map(({ runs }) => runs)} />
      <Counter name="Running" value={counters.runsByPhase.Running ?? 0} to={href('/runs', { q: 'status:running' })} />
      {suspended > 0 && (
        <Counter name="Suspended" value={suspended} to={href('/runs', { q: 'status:suspended' })} tone="held" />
      )}
      <Counter
        name="Failed runs"
        value={failed}
        to={href('/runs', { q: 'status:failed,error' })}
        line={minutes.map(({ failedRuns }) => failedRuns)}
        tone={failed > 0 ? 'bad' : undefined}
      />
      <Counter
        name="Parked"
        value={counters.parked}
        to={href('/parked')}
        tone={counters.parked > 0 ? 'held' : undefined}
      />
    </section>
  )
}

interface CounterProps {
  name: string
  value: number
  to: string
  line?: readonly number[]
  tone?: 'bad' | 'held' | undefined
}

function Counter({ name, value, to, line, tone }: CounterProps): ReactElement {
  return (
    <Link href={to} className={`counter ${tone ?? ''}`}>
      <span className="counter-name">{name}</span>
      <span className="counter-value">{value.toLocaleString('en')}</span>
      {line && line.length > 1 && <Sparkline values={line} />}
    </Link>
  )
}

function Sparkline({ values }: { values: readonly number[] }): ReactElement {
  const most = Math.max(1, ...values)
  const points = values.map((value, i) => `${(i / (values.length - 1)) * 100},${22 - (value / most) * 20}`)
  return (
    <svg className="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}
