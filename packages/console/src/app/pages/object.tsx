import { useQuery } from '@tanstack/react-query'
import type { Page as ArchivePage, ObjectHistory, RunItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { counted } from '../count.ts'
import { CauseLine } from '../event/relatives-view.tsx'
import { useChanges } from '../live/use-live.ts'
import { blameOf } from '../object/blame.ts'
import { type ObjectState, stateOf } from '../object/object-state.ts'
import { ConditionTable } from '../parts/condition-table.tsx'
import { DifferenceTable } from '../parts/difference-table.tsx'
import { EventLink, ObjectLink, RunLink } from '../parts/link.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { RunTable } from '../parts/run-table.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { Yaml } from '../parts/yaml-view.tsx'
import { failureOf, get, RequestFailure } from '../request.ts'
import { formatDuration, useNow } from '../time.ts'
import { href, type ObjectName, useAddress } from '../url.ts'

interface ObjectAnswer {
  reference: ObjectName
  history?: ObjectHistory
  present: { yaml: string; object: Record<string, unknown> } | { missing: string }
  owners: readonly ObjectName[]
  owned: readonly ObjectName[]
}

const RUNS = 50
const objectTerm = (kind: string, namespace: string, name: string) =>
  `object:${[kind, ...(namespace === '-' ? [] : [namespace]), name].join('/')}`

export default function ObjectPage({
  gvk,
  namespace,
  name,
}: {
  gvk: string
  namespace: string
  name: string
}): ReactElement {
  const { get: read, set } = useAddress()
  const path = `/objects/${encodeURIComponent(gvk)}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const found = useQuery({
    queryKey: ['object', gvk, namespace, name],
    queryFn: ({ signal }) => get<ObjectAnswer>(path, {}, signal),
  })
  const [kind = gvk] = gvk.split('.')
  const runs = useQuery({
    queryKey: ['object', gvk, namespace, name, 'runs'],
    queryFn: ({ signal }) =>
      get<ArchivePage<RunItem>>('/runs', { q: objectTerm(kind, namespace, name), limit: RUNS }, signal),
  })
  useChanges([['object', gvk, namespace, name]])
  const cli = [
    `tiphys explain ${kind}/${name}${namespace === '-' ? '' : ` -n ${namespace}`}`,
    `kubectl get ${kind.toLowerCase()} ${name}${namespace === '-' ? '' : ` -n ${namespace}`} -o yaml`,
  ]
  const failure = failureOf(found)
  if (failure) {
    const isMissing = failure instanceof RequestFailure && failure.status === 404
    return (
      <Page
        title={isMissing ? 'No such object' : 'The object cannot be shown'}
        name={`No object ${kind} ${name}`}
        cli={cli}
      >
        {isMissing ? (
          <Empty icon="objects" title={`Nothing is known of ${kind} ${name}`}>
            <p>It never was, nothing of Tiphys has touched it, or you may not see it.</p>
            <Link href={href('/objects')} className="button">
              Look at all objects
            </Link>
          </Empty>
        ) : (
          <Problem error={failure} />
        )}
      </Page>
    )
  }
  if (!found.data)
    return (
      <Page title={`${kind} ${name}`}>
        <Skeleton />
      </Page>
    )
  const { history, present, owners, owned } = found.data
  // Of what Tiphys has only seen, what it set off is what there is to tell.
  const usual = history && history.writes === 0 && history.events > 0 ? 'runs' : 'provenance'
  return (
    <Page
      title={`${kind} ${name}`}
      crumb={
        <>
          <Link href={href('/objects')}>Objects</Link> / {namespace === '-' ? 'cluster' : namespace}
        </>
      }
      sub={
        <span className="facts">
          {history?.isDeleted ? (
            <Status value="deleted" />
          ) : history?.condition ? (
            <Status value="failed" word={history.condition.reason} />
          ) : history && history.conditions.length > 0 ? (
            <Status value="healthy" />
          ) : null}
          {history && (
            <>
              <span>{counted(history.events, 'event')}</span>
              <span>{counted(history.writes, 'write')}</span>
              <span>
                last <Time at={history.lastAt} />
              </span>
            </>
          )}
        </span>
      }
      actions={
        <Link className="button" href={href('/events', { q: objectTerm(kind, namespace, name) })}>
          All its events
        </Link>
      }
      cli={cli}
    >
      <Explanation history={history} kind={kind} name={name} />
      {'object' in present && <StateCard state={stateOf(present.object)} />}
      <OwnerTree owners={owners} self={found.data.reference} owned={owned} />
      <Tabs
        label="About this object"
        chosen={read('tab') || usual}
        onChoose={tab => set({ tab: tab === usual ? undefined : tab }, { replace: true })}
        tabs={[
          {
            id: 'provenance',
            name: 'Provenance',
            count: history?.changes.length ?? 0,
            content: () => <ProvenanceList history={history} />,
          },
          {
            id: 'runs',
            name: 'Runs',
            count: runs.data?.items.length ?? 0,
            content: () => (runs.error ? <Problem error={runs.error} /> : <RunTable runs={runs.data?.items} />),
          },
          {
            id: 'conditions',
            name: 'Conditions',
            count: history?.conditions.length ?? 0,
            content: () =>
              history && history.conditions.length > 0 ? (
                <ConditionTable conditions={history.conditions} />
              ) : (
                <Empty icon="health" title="No conditions are recorded" />
              ),
          },
          {
            id: 'blame',
            name: 'Blame',
            content: () => ('object' in present ? <Blame object={present.object} /> : <Gone why={present.missing} />),
          },
          {
            id: 'yaml',
            name: 'YAML',
            content: () => ('yaml' in present ? <Yaml text={present.yaml} /> : <Gone why={present.missing} />),
          },
        ]}
      />
    </Page>
  )
}

const Gone = ({ why }: { why: string }) => (
  <Empty icon="objects" title="The cluster does not show it">
    <p>{why}</p>
  </Empty>
)

/** In words what last happened, what it waits for, and what comes next. */
function Explanation({
  history,
  kind,
  name,
}: {
  history: ObjectHistory | undefined
  kind: string
  name: string
}): ReactElement | null {
  if (!history)
    return (
      <p className="notice">Tiphys has neither seen nor written this object; what follows is what the cluster says.</p>
    )
  const { lastEvent, runs, failedRun, changes, condition } = history
  const [last] = changes
  return (
    <section className="card explain" aria-label="Explanation">
      <p>
        {last ? (
          <>
            {kind} {name} was last written (<strong>{last.write.verb}</strong>) <Time at={last.write.at} />
            {last.run && (
              <>
                {' '}
                by the run <RunLink run={last.run.run} />
              </>
            )}
            {last.event && (
              <>
                {' '}
                because of the event <EventLink id={last.event.id} />
              </>
            )}
            .
          </>
        ) : (
          <>
            Tiphys has seen {kind} {name}, and never written it.
          </>
        )}{' '}
        {lastEvent && (
          <>
            Its newest event is <EventLink id={lastEvent.id}>{`${lastEvent.change ?? lastEvent.type}`}</EventLink>,{' '}
            <Time at={lastEvent.at} />: <Status value={lastEvent.verdict} />.
          </>
        )}{' '}
        {failedRun && (
          <>
            Its last run, <RunLink run={failedRun.run} />, <Status value={failedRun.phase} />
            {failedRun.message !== undefined && `: ${failedRun.message}`}.{' '}
          </>
        )}
        {runs.length > 0 ? (
          <>
            It waits for {runs.length === 1 ? 'the run ' : `${runs.length} runs, the first is `}
            {runs[0] && <RunLink run={runs[0].run} />} ({runs[0]?.phase.toLowerCase()}
            {runs[0]?.startedAt ? `, for ${formatDuration(Date.now() - runs[0].startedAt, 1)}` : ''}).
          </>
        ) : (
          'No run is under way for it; its next change is what happens next.'
        )}
      </p>
      {condition && (
        <p className="message">
          {condition.condition} is {condition.status}: {condition.reason}
          {condition.message ? `. ${condition.message}` : ''}
        </p>
      )}
    </section>
  )
}

/** What the object says of itself, in the cluster, now. */
function StateCard({ state: { phase, conditions, notes, wakesUp } }: { state: ObjectState }): ReactElement | null {
  const now = useNow(wakesUp !== undefined)
  if (phase === undefined && conditions.length === 0 && notes.length === 0 && !wakesUp) return null
  return (
    <section className="card" aria-label="State">
      <header className="card-head">
        <h2>State</h2>
        {phase !== undefined && <Status value={phase} word={phase} />}
      </header>
      {wakesUp && (
        <p>
          Next wake-up <strong>{wakesUp.at > now ? `in ${formatDuration(wakesUp.at - now)}` : 'is due'}</strong>:{' '}
          {wakesUp.why}.
        </p>
      )}
      {notes.map(note => (
        <p key={note} className="message">
          {note}
        </p>
      ))}
      {conditions.length > 0 && (
        <ul className="state-conditions">
          {conditions.map(({ type, status, reason, message, since }) => (
            <li key={type}>
              <Status
                // Whether that is good, its author knows.
                value={status === 'Unknown' ? 'unknown' : status === 'True' ? 'changed' : 'unchanged'}
                word={`${type} ${status}`}
              />
              {reason !== undefined && <span>{reason}</span>}
              {message !== undefined && <span className="faint">{message}</span>}
              {since !== undefined && <Time at={since} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface OwnerTreeProps {
  /** Nearest first. */
  owners: readonly ObjectName[]
  self: ObjectName
  owned: readonly ObjectName[]
}

/** Who owns it, and what it owns. */
function OwnerTree({ owners, self, owned }: OwnerTreeProps): ReactElement | null {
  if (owners.length === 0 && owned.length === 0) return null
  return (
    <nav className="owners" aria-label="Owners">
      {[...owners].reverse().map(owner => (
        <span key={`${owner.kind}/${owner.name}`}>
          <ObjectLink object={owner} withNamespace={false} /> <span className="arrow">→</span>
        </span>
      ))}
      <span aria-current="true">
        <span className="kind">{self.kind}</span>
        <span className="name">{self.name}</span>
      </span>
      {owned.length > 0 && <span className="arrow">→</span>}
      {owned.map(each => (
        <ObjectLink key={`${each.kind}/${each.name}`} object={each} withNamespace={false} />
      ))}
    </nav>
  )
}

function ProvenanceList({ history }: { history: ObjectHistory | undefined }): ReactElement {
  if (!history || history.changes.length === 0) {
    return (
      <Empty icon="objects" title="Nothing of Tiphys wrote it">
        <p>Writes of triggers and runs appear here, each with the event that led to it.</p>
      </Empty>
    )
  }
  return (
    <ol className="provenance">
      {history.changes.map(change => (
        <li key={change.write.id} className="card">
          <header className="card-head">
            <Status value={change.write.outcome} />
            <span className="faint mono">version {change.write.resourceVersion}</span>
          </header>
          <CauseLine cause={change} />
          {change.write.diff && change.write.diff.length > 0 && <DifferenceTable changes={change.write.diff} />}
        </li>
      ))}
    </ol>
  )
}

function Blame({ object }: { object: Record<string, unknown> }): ReactElement {
  const lines = blameOf(object)
  let before = ''
  return (
    <div className="blame" tabIndex={0} role="group" aria-label="Who manages which line">
      <table>
        <caption className="hidden">Lines of the object with their managers</caption>
        <tbody>
          {lines.map((line, i) => {
            const isNew = line.manager !== before
            before = line.manager
            return (
              <tr key={i} className={isNew ? 'first' : undefined}>
                <th scope="row" title={line.time}>
                  {isNew ? line.manager || '–' : ''}
                </th>
                <td>
                  <code>{line.text}</code>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
