import { useQuery } from '@tanstack/react-query'
import type { RunGroup, RunItem } from '@tiphys/archive'
import { type ReactElement, useState } from 'react'
import { ActionButton } from '../access.tsx'
import { listLine, type RunAction } from '../command-line.ts'
import { useList } from '../live/use-list.ts'
import { useChanges } from '../live/use-live.ts'
import { FilterBar, unknownFields } from '../parts/filter-bar.tsx'
import { EventLink, ObjectLabel } from '../parts/link.tsx'
import { ListBody, ListCount } from '../parts/list-page.tsx'
import { lastQuery } from '../parts/neighbour-keys.tsx'
import { Empty, Page, Problem, Skeleton } from '../parts/page.tsx'
import { PhaseBar } from '../parts/phase-bar.tsx'
import { RunDialog } from '../parts/run-dialog.tsx'
import { Status } from '../parts/status.tsx'
import { Duration, Time } from '../parts/time.tsx'
import type { Column } from '../parts/window-list.tsx'
import { withTerm } from '../query.ts'
import { get } from '../request.ts'
import { attemptTitle, attemptWords, originOf, queueTime } from '../run/origin.ts'
import { runHref, useAddress } from '../url.ts'

const keyOf = ({ run }: RunItem) => run.uid
const timeOf = ({ at }: RunItem) => at
const hrefOf = ({ run }: RunItem) => runHref(run)
const isFailure = ({ phase }: RunItem) => phase === 'Failed' || phase === 'Error'

const COLUMNS: readonly Column<RunItem>[] = [
  {
    name: 'Status',
    width: 'var(--status-track)',
    cell: ({ phase }) => <Status value={phase} />,
    filter: ({ phase }) => ['status', phase.toLowerCase()],
  },
  {
    name: 'Run',
    width: 'minmax(96px, 2fr)',
    cell: ({ run }) => (
      <span className="name" title={`${run.namespace}/${run.name}`}>
        {run.name}
      </span>
    ),
    filter: ({ run }) => ['run', run.name],
  },
  {
    name: 'Namespace',
    width: '92px',
    from: 1320,
    cell: ({ run }) => run.namespace,
    filter: ({ run }) => ['ns', run.namespace],
  },
  {
    name: 'Template',
    width: 'minmax(84px, 1.1fr)',
    from: 860,
    // Of which kind it is, its cause or its page tells.
    cell: ({ template }) => template?.replace(/^\w+\//, '') ?? '–',
    filter: ({ template }) => (template === undefined ? undefined : ['template', template]),
  },
  {
    name: 'Cause',
    width: '84px',
    from: 980,
    cell: item => {
      const origin = originOf(item)
      return 'event' in origin ? <EventLink id={origin.event} /> : <span className="faint">{origin.words}</span>
    },
    filter: item => {
      const origin = originOf(item)
      return 'event' in origin ? ['event', origin.event] : undefined
    },
  },
  {
    name: 'Object',
    width: 'minmax(120px, 2.2fr)',
    from: 720,
    cell: ({ object }) => (object ? <ObjectLabel object={object} /> : <span className="faint">–</span>),
    filter: ({ object }) =>
      object ? ['object', `${object.kind}/${object.namespace ? `${object.namespace}/` : ''}${object.name}`] : undefined,
  },
  {
    name: 'Queued',
    width: '70px',
    from: 1180,
    cell: item => {
      const queued = queueTime(item)
      return queued ? <Duration {...queued} /> : <span className="faint">–</span>
    },
  },
  {
    name: 'Took',
    width: '76px',
    from: 560,
    cell: ({ startedAt, finishedAt }) => <Duration from={startedAt} to={finishedAt} />,
  },
  {
    name: 'Attempt',
    width: '104px',
    from: 1080,
    cell: item => (
      <span className={item.attempt > 1 || item.repeats ? undefined : 'faint'} title={attemptTitle(item)}>
        {attemptWords(item)}
      </span>
    ),
    filter: ({ attempt }) => ['attempt', String(attempt)],
  },
  {
    name: 'Steps',
    width: '118px',
    from: 640,
    cell: ({ steps, progress }) =>
      steps.total === 0 ? (
        <span className="faint">none</span>
      ) : (
        <PhaseBar byPhase={steps.byPhase} total={steps.total} progress={progress} />
      ),
  },
  { name: 'Time', width: 'var(--time-track)', cell: ({ at }) => <Time at={at} /> },
]

/** All of one namespace need not say so. */
const COLUMNS_OF_ONE = COLUMNS.filter(({ name }) => name !== 'Namespace')

const GROUPS = ['', 'template', 'object', 'fingerprint'] as const

export default function Runs(): ReactElement {
  const { get: read, set } = useAddress()
  const q = read('q')
  const ns = read('ns')
  const group = read('group')
  lastQuery['/runs'] = q
  const [picked, setPicked] = useState<ReadonlyMap<string, RunItem>>(new Map())
  const [action, setAction] = useState<RunAction>()
  const isUnderstood = unknownFields('runs', q).length === 0
  const store = useList<RunItem>({ path: '/runs', query: { q, ns }, keyOf, timeOf, topic: 'runs' }, isUnderstood)
  const problem = store?.state === 'failed' && q !== '' ? store.error?.message : undefined
  const toggle = (item: RunItem) => {
    const next = new Map(picked)
    if (!next.delete(keyOf(item))) next.set(keyOf(item), item)
    setPicked(next)
  }
  const runs = [...picked.values()].map(({ run }) => run)
  const blocked = runs.length === 0 ? 'Select runs first: with the checkbox, or x.' : undefined
  return (
    <Page
      isFull
      title="Runs"
      name={`Runs${q && `: ${q}`}`}
      sub={isUnderstood && <ListCount store={store} one="run" />}
      actions={
        <>
          <ActionButton
            action="rerun"
            namespace={ns}
            icon="replay"
            blocked={blocked}
            onClick={() => setAction('retry')}
          >
            Retry{runs.length > 0 ? ` ${runs.length}` : ''}
          </ActionButton>
          <ActionButton
            action="workflow"
            namespace={ns}
            icon="stop"
            blocked={blocked}
            onClick={() => setAction('stop')}
          >
            Stop{runs.length > 0 ? ` ${runs.length}` : ''}
          </ActionButton>
        </>
      }
      cli={[listLine('runs', q, ns), `kubectl get workflows ${ns === '' ? '-A' : `-n ${ns}`}`]}
    >
      <FilterBar
        of="runs"
        value={q}
        problem={problem}
        onChange={next => set({ q: next })}
        placeholder="Filter: status:failed template:reconcile age:<1h"
      >
        <label className="group-by">
          <span className="hidden">Group by</span>
          <select value={group} onChange={event => set({ group: event.target.value })}>
            {GROUPS.map(each => (
              <option key={each} value={each}>
                {each === '' ? 'Not grouped' : `By ${each === 'fingerprint' ? 'error' : each}`}
              </option>
            ))}
          </select>
        </label>
      </FilterBar>
      {group !== '' && isUnderstood ? (
        <Groups by={group} q={q} ns={ns} onOpen={chosen => set({ group: '', q: chosen })} />
      ) : isUnderstood ? (
        <ListBody
          label="Runs"
          store={store}
          columns={ns === '' ? COLUMNS : COLUMNS_OF_ONE}
          keyOf={keyOf}
          hrefOf={hrefOf}
          isFailure={isFailure}
          selection={{ keys: new Set(picked.keys()), toggle }}
          onFilter={(field, value, isNegated) => set({ q: withTerm(q, field, value, isNegated) })}
          empty={
            q === '' ? (
              <Empty icon="runs" isOfNamespace title="No runs yet">
                <p>A run appears here when a trigger starts a Workflow, or when somebody submits one:</p>
                <pre>
                  <code>tiphys submit --from WorkflowTemplate/NAME -p name=value</code>
                </pre>
              </Empty>
            ) : (
              <Empty isOfNamespace title="No run matches">
                <button type="button" className="button" onClick={() => set({ q: '' })}>
                  Clear the filter
                </button>
              </Empty>
            )
          }
        />
      ) : (
        <Empty title="The filter cannot be applied">
          <p>Nothing was asked for, because the filter names a field that runs do not have.</p>
        </Empty>
      )}
      {action && <RunDialog action={action} runs={runs} onClose={() => setAction(undefined)} />}
    </Page>
  )
}

interface GroupsProps {
  by: string
  q: string
  ns: string
  onOpen(query: string): void
}

/** The filter with which the list shows the runs of one group. */
function queryOf({ key, namespace }: RunGroup, { by, q, ns }: Omit<GroupsProps, 'onOpen'>): string {
  const chosen = withTerm(q, by, key)
  // The key of an object has its namespace; templates of one name are told apart by theirs.
  return by === 'template' && namespace !== undefined && ns === '' ? withTerm(chosen, 'ns', namespace) : chosen
}

function Groups({ by, q, ns, onOpen }: GroupsProps): ReactElement {
  useChanges([['run-groups']])
  const groups = useQuery({
    queryKey: ['run-groups', by, q, ns],
    queryFn: ({ signal }) => get<readonly RunGroup[]>('/run-groups', { by, q, ns }, signal),
  })
  if (groups.error) return <Problem error={groups.error} />
  if (!groups.data) return <Skeleton />
  if (groups.data.length === 0) return <Empty icon="runs" isOfNamespace title="Nothing to group" />
  return (
    <div className="scroll-area">
      <table className="plain stacks">
        <caption className="hidden">Runs by {by}</caption>
        <thead>
          <tr>
            <th scope="col">{by === 'fingerprint' ? 'Error' : by === 'object' ? 'Object' : 'Template'}</th>
            <th scope="col" className="number">
              Runs
            </th>
            <th scope="col">State</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {groups.data.map(group => (
            <tr key={`${group.namespace}/${group.key}`}>
              <th scope="row">
                <button type="button" className="link-button" onClick={() => onOpen(queryOf(group, { by, q, ns }))}>
                  {by === 'fingerprint' ? (group.message ?? group.key) : group.key || '(none)'}
                </button>
                {by === 'template' && group.namespace !== undefined && (
                  <span className="faint"> in {group.namespace}</span>
                )}
              </th>
              <td className="number" data-label="runs">
                {group.count.toLocaleString('en')}
                {group.isAtLeast && <span title="Only the newest runs were counted">+</span>}
              </td>
              <td>
                <PhaseBar byPhase={group.byPhase} total={group.count} />
              </td>
              <td data-label="last">
                <Time at={group.lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
