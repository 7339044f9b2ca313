import { useQuery } from '@tanstack/react-query'
import type { FlowNode, HealthItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { ArchiveState } from '../../api/answers.ts'
import type { Figures } from '../../api/workshop.ts'
import { counted } from '../count.ts'
import { useChanges } from '../live/use-live.ts'
import { ConditionTable } from '../parts/condition-table.tsx'
import { figureWords, formatBytes, positionWords, retentionWords } from '../parts/figure-words.ts'
import { LeftOut } from '../parts/left-out.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import type { PipelineManifest } from '../pipeline-manifest.ts'
import { get } from '../request.ts'
import { formatDuration } from '../time.ts'
import { href, pipelinePath, useAddress } from '../url.ts'
import type { OverviewAnswer } from './overview.tsx'

const KINDS = ['EventSource', 'Sensor', 'EventBus']
const FIGURES_MS = 5000

export default function Health(): ReactElement {
  const ns = useAddress().get('ns')
  useChanges([['health'], ['pipeline'], ['status'], ['overview']])
  const health = useQuery({
    queryKey: ['health', ns],
    queryFn: ({ signal }) => get<readonly HealthItem[]>('/health', { ns }, signal),
  })
  const pipeline = useQuery({
    queryKey: ['pipeline', ns],
    queryFn: ({ signal }) =>
      get<{ items: readonly PipelineManifest[]; problems: readonly { kind: string; why: string }[] }>(
        '/pipeline',
        { ns },
        signal,
      ),
  })
  const overview = useQuery({
    queryKey: ['overview', ns, '3600'],
    queryFn: ({ signal }) => get<OverviewAnswer>('/overview', { ns, window: 3600 }, signal),
  })
  const figures = useQuery({
    queryKey: ['figures'],
    queryFn: ({ signal }) => get<readonly Figures[]>('/figures', {}, signal),
    refetchInterval: FIGURES_MS,
  })
  const status = useQuery({ queryKey: ['status'], queryFn: ({ signal }) => get<ArchiveState>('/status', {}, signal) })
  const bad = health.data?.filter(item => item.status !== 'True') ?? []
  return (
    <Page
      title="Health"
      sub={
        health.data ? (
          <span>
            {bad.length === 0
              ? health.data.length === 0
                ? 'No condition is recorded'
                : 'Every condition is as it should be'
              : bad.length === 1
                ? '1 condition is not as it should be'
                : `${bad.length} conditions are not as they should be`}
          </span>
        ) : undefined
      }
      cli={['kubectl get eventsources,sensors,eventbus -A']}
    >
      <LeftOut />
      {health.error && <Problem error={health.error} />}
      {!health.data && !health.error && <Skeleton />}
      {bad.length > 0 && (
        <section className="card" aria-label="Trouble">
          <h2>Trouble</h2>
          <ConditionTable conditions={bad} withObject manifests={pipeline.data?.items ?? []} />
        </section>
      )}
      <section className="card" aria-label="Pipeline">
        <h2>Sources, sensors and buses</h2>
        {pipeline.data && health.data ? (
          <Pipeline
            manifests={pipeline.data.items}
            nodes={overview.data?.flow.nodes ?? []}
            health={health.data}
            figures={figures.data ?? []}
          />
        ) : (
          !pipeline.error && <Skeleton rows={6} />
        )}
        {pipeline.error && <Problem error={pipeline.error} />}
        {pipeline.data?.problems.map(({ kind, why }) => (
          <p key={kind} className="faint">
            {kind}: {why}
          </p>
        ))}
      </section>
      {status.data && <ArchiveCard status={status.data} />}
    </Page>
  )
}

interface PipelineProps {
  manifests: readonly PipelineManifest[]
  nodes: readonly FlowNode[]
  health: readonly HealthItem[]
  figures: readonly Figures[]
}

function Pipeline({ manifests, nodes, health, figures }: PipelineProps): ReactElement {
  const named = new Map<string, { kind: string; namespace: string; name: string }>()
  const add = (kind: string, namespace: string, name: string) =>
    named.set(`${kind}/${namespace}/${name}`, { kind, namespace, name })
  for (const { kind, metadata } of manifests) add(kind, metadata.namespace ?? '', metadata.name)
  for (const { object } of health)
    if (KINDS.includes(object.kind)) add(object.kind, object.namespace ?? '', object.name)
  const rows = [...named.values()].sort(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.name.localeCompare(b.name),
  )
  if (rows.length === 0) {
    return (
      <Empty icon="health" isOfNamespace title="Nothing listens yet">
        <p>EventSources, Sensors and EventBuses appear here with their conditions.</p>
        <pre>
          <code>tiphys init my-operator && tiphys up my-operator</code>
        </pre>
      </Empty>
    )
  }
  return (
    <div className="scroll-area">
      <table className="plain stacks pipeline">
        <caption className="hidden">Sources, sensors and buses</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Waiting
            </th>
            <th scope="col" className="number">
              Parked
            </th>
            <th scope="col">Last event</th>
            <th scope="col">How far it is</th>
            <th scope="col">Since the start</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ kind, namespace, name }) => {
            const own = health.filter(
              ({ object }) => object.kind === kind && object.name === name && (object.namespace ?? '') === namespace,
            )
            const trouble = own.find(({ status }) => status !== 'True')
            const column = kind === 'EventSource' ? 'source' : kind === 'Sensor' ? 'sensor' : 'bus'
            const matching = nodes.filter(
              node =>
                node.column === column &&
                node.namespace === namespace &&
                (node.name === name || node.name.startsWith(`${name}/`)),
            )
            const lastAt = Math.max(0, ...matching.map(node => node.lastAt))
            const counts = figures.find(
              each => each.kind === kind && each.name === name && each.namespace === namespace,
            )
            return (
              <tr key={`${kind}/${namespace}/${name}`}>
                <th scope="row">
                  <Link href={href(pipelinePath(kind, namespace, name))}>
                    <span className="kind">{kind}</span>
                    <span className="name">
                      {namespace}/{name}
                    </span>
                  </Link>
                </th>
                <td>
                  {trouble ? (
                    <Status value="failed" word={trouble.reason} />
                  ) : own.length > 0 ? (
                    <Status value="healthy" />
                  ) : (
                    <Status value="pending" word="no report yet" />
                  )}
                </td>
                <td className="number" data-label="waiting">
                  {(counts?.backlog ?? matching.reduce((sum, node) => sum + node.backlog, 0)).toLocaleString('en')}
                </td>
                <td className="number" data-label="parked">
                  {(counts?.parked ?? matching.reduce((sum, node) => sum + node.parked, 0)).toLocaleString('en')}
                </td>
                <td data-label="last event">{lastAt > 0 ? <Time at={lastAt} /> : '–'}</td>
                <td data-label="how far">{(counts && positionWords(counts)) || '–'}</td>
                <td className="faint">{counts ? figureWords(counts) : '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** How much is in it is told only to whoever may see everything. */
function ArchiveCard({ status }: { status: ArchiveState }): ReactElement {
  const { bytes, events, runs, records, position, head } = status
  const amounts = [
    ['Events', events],
    ['Runs', runs],
    ['Records', records],
  ] as const
  return (
    <section className="card" aria-label="Archive">
      <header className="card-head">
        <h2>Archive</h2>
        <Status
          value={status.state === 'following' ? 'healthy' : status.state === 'behind' ? 'waiting' : 'failed'}
          word={status.state}
        />
      </header>
      <dl className="facts-list wide">
        <div>
          <dt>Database</dt>
          <dd>
            {status.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
            {bytes !== undefined && `, ${formatBytes(bytes)}`}
          </dd>
        </div>
        {amounts.map(
          ([term, amount]) =>
            amount !== undefined && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{amount.toLocaleString('en')}</dd>
              </div>
            ),
        )}
        <div>
          <dt>Behind the journal</dt>
          <dd>
            {status.lag === 0 ? 'not at all' : `${counted(status.lag, 'record')}, ${formatDuration(status.lagMs)}`}
          </dd>
        </div>
        {position !== undefined && head !== undefined && (
          <div>
            <dt>Position</dt>
            <dd>
              {position.toLocaleString('en')} of {head.toLocaleString('en')}
            </dd>
          </div>
        )}
        {status.oldestAt !== undefined && (
          <div>
            <dt>Reaches back to</dt>
            <dd>
              <Time at={status.oldestAt} />
            </dd>
          </div>
        )}
        <div>
          <dt>Keeps</dt>
          <dd>{retentionWords(status.retention)}</dd>
        </div>
      </dl>
      {status.problem !== undefined && <p className="message">{status.problem}</p>}
      {status.gaps.map(gap => (
        <p key={gap.at} className="notice">
          {counted(gap.dropped, 'record')} missing between <Time at={gap.from} /> and <Time at={gap.to} />: {gap.why}
        </p>
      ))}
    </section>
  )
}
