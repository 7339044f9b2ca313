import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import { ActionButton } from '../access.tsx'
import { say } from '../announce.ts'
import { replayLine } from '../command-line.ts'
import { counted } from '../count.ts'
import { useChanges } from '../live/use-live.ts'
import { FilterBar, unknownFields } from '../parts/filter-bar.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { ReplayDialog } from '../parts/replay-dialog.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { againAfter, get, post } from '../request.ts'
import { href, useAddress } from '../url.ts'

interface Job {
  kind: 'Replay' | 'Retry' | 'Discard'
  metadata: { namespace: string; name: string; creationTimestamp?: string }
  spec?: { events?: readonly string[]; rate?: number; sensor?: string; source?: string; reason?: string }
  status?: { phase?: string; done?: number; total?: number; message?: string; by?: string }
}

export default function Replay(): ReactElement {
  const { get: read, set } = useAddress()
  const [q, ns] = [read('q'), read('ns')]
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const client = useQueryClient()
  const jobs = useQuery({
    queryKey: ['replays', ns],
    queryFn: ({ signal }) =>
      get<{ items: readonly Job[]; problems: readonly { kind: string; why: string }[] }>('/replays', { ns }, signal),
    refetchInterval: query =>
      query.state.data?.items.some(({ status }) => !isOver(status?.phase)) ? 1000 : againAfter(query.state.error),
  })
  useChanges([['replays']])
  const cancel = async ({ kind, metadata: { namespace, name } }: Job) => {
    setProblem(undefined)
    try {
      await post('/actions/cancel', { kind, namespace, name })
      say(`${name} cancelled`)
    } catch (thrown) {
      setProblem(thrown as Error)
    }
    await client.invalidateQueries({ queryKey: ['replays'] })
  }
  const items = [...(jobs.data?.items ?? [])].sort((a, b) =>
    (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  )
  return (
    <Page title="Replay" cli={[replayLine({ query: q || 'QUERY', ns }), 'kubectl get replays,retries,discards -A']}>
      <section className="card" aria-label="New replay">
        <h2>Send events of the past again</h2>
        <p className="faint">
          Choose events with a query. Before anything is sent you see how many they are and what they set off; each
          becomes a new event that names the original.
        </p>
        <FilterBar
          of="events"
          withoutViews
          value={q}
          onChange={next => set({ q: next })}
          placeholder="status:failed source:memcached age:<1h"
        >
          <ActionButton
            action="replay"
            namespace={ns}
            icon="replay"
            kind="primary"
            blocked={
              unknownFields('events', q).length > 0 ? 'The query names a field that events do not have.' : undefined
            }
            onClick={() => setOpen(true)}
          >
            Preview
          </ActionButton>
        </FilterBar>
      </section>
      <h2>Jobs</h2>
      {jobs.error && <Problem error={jobs.error} />}
      {problem && <Problem error={problem} />}
      {!jobs.data && !jobs.error && <Skeleton rows={4} />}
      {jobs.data && items.length === 0 && (
        <Empty icon="replay" isOfNamespace title="No replay, retry or discard is in the cluster">
          <p>They appear here with their progress, and can be cancelled while they run.</p>
        </Empty>
      )}
      {items.length > 0 && (
        <div className="scroll-area">
          <table className="plain stacks">
            <caption className="hidden">Replays, retries and discards</caption>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">State</th>
                <th scope="col">Progress</th>
                <th scope="col">What</th>
                <th scope="col">By</th>
                <th scope="col">Made</th>
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map(job => (
                <tr key={`${job.kind}/${job.metadata.namespace}/${job.metadata.name}`}>
                  <th scope="row">
                    <span className="kind">{job.kind}</span>
                    <span className="name">
                      {job.metadata.namespace}/{job.metadata.name}
                    </span>
                  </th>
                  <td>
                    <Status value={job.status?.phase ?? 'Pending'} />
                  </td>
                  <td className="job-progress">
                    <progress
                      max={job.status?.total ?? job.spec?.events?.length ?? 1}
                      value={job.status?.done ?? 0}
                      aria-label={`Progress of ${job.metadata.name}`}
                    />{' '}
                    <span className="number">
                      {job.status?.done ?? 0}/{job.status?.total ?? job.spec?.events?.length ?? '?'}
                    </span>
                  </td>
                  <td className="message-cell">
                    {job.status?.message ??
                      (job.spec?.sensor
                        ? `sensor ${job.spec.sensor}`
                        : `${job.spec?.events ? counted(job.spec.events.length, 'event') : 'all events'}${job.spec?.rate ? ` at ${job.spec.rate}/s` : ''}`)}
                    {job.kind === 'Replay' && job.spec?.events?.[0] !== undefined && (
                      <>
                        {' '}
                        <Link href={href('/events', { q: resultsOf(job) })}>results</Link>
                      </>
                    )}
                  </td>
                  <td data-label="by">{job.status?.by ?? '–'}</td>
                  <td data-label="made">
                    {job.metadata.creationTimestamp ? <Time at={Date.parse(job.metadata.creationTimestamp)} /> : '–'}
                  </td>
                  <td className="row-actions">
                    {!isOver(job.status?.phase) && (
                      <ActionButton
                        action="cancel"
                        namespace={job.metadata.namespace}
                        kind="quiet"
                        onClick={() => void cancel(job)}
                      >
                        Cancel
                      </ActionButton>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {jobs.data?.problems.map(({ kind, why }) => (
        <p key={kind} className="faint">
          {kind}: {why}
        </p>
      ))}
      {isOpen && <ReplayDialog query={q} ns={ns} onClose={() => setOpen(false)} />}
    </Page>
  )
}

const isOver = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed'

const MOST_NAMED = 30

/** The events that a replay has made: by name, or, of many, all repeats since then. */
function resultsOf({ spec, metadata }: Job): string {
  const events = spec?.events ?? []
  if (events.length <= MOST_NAMED) return `replayof:${events.join(',')}`
  return `replayof:*${metadata.creationTimestamp ? ` since:${metadata.creationTimestamp}` : ''}`
}
