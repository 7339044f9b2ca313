import type { AuditItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { useList } from '../live/use-list.ts'
import { FilterBar, unknownFields } from '../parts/filter-bar.tsx'
import { ListBody, ListCount } from '../parts/list-page.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import type { Column } from '../parts/window-list.tsx'
import { withTerm } from '../query.ts'
import { eventPath, href, objectPath, runHref, useAddress } from '../url.ts'

const keyOf = (item: AuditItem & { cursor?: string }) => item.cursor ?? `${item.at}`
const timeOf = ({ at }: AuditItem) => at

function hrefOf({ target, trace }: AuditItem): string {
  if ('event' in target) return href(eventPath(target.event))
  if ('action' in target) return trace === '' ? href('/parked') : href(eventPath(trace))
  if (target.kind === 'Workflow') return runHref({ namespace: target.namespace ?? '', name: target.name })
  return target.name === '' ? href('/replay') : href(objectPath(target))
}

function targetOf({ target }: AuditItem): string {
  if ('event' in target) return `event ${target.event.slice(0, 12)}`
  if ('action' in target) return `action ${target.action.slice(0, 12)}`
  return `${target.kind} ${target.namespace ? `${target.namespace}/` : ''}${target.name}`
}

const COLUMNS: readonly Column<AuditItem>[] = [
  {
    name: 'Outcome',
    width: 'var(--status-track)',
    cell: ({ outcome }) => <Status value={outcome} />,
    filter: ({ outcome }) => ['outcome', outcome],
  },
  {
    name: 'Did',
    width: 'minmax(70px, 0.5fr)',
    cell: ({ did }) => <span className="tag">{did}</span>,
    filter: ({ did }) => ['did', did],
  },
  { name: 'Who', width: 'minmax(80px, 1fr)', cell: ({ who }) => who, filter: ({ who }) => ['who', who] },
  { name: 'To', width: 'minmax(140px, 1.6fr)', from: 460, cell: item => targetOf(item) },
  {
    name: 'Reason',
    width: 'minmax(120px, 1.6fr)',
    from: 900,
    cell: ({ reason }) => <span className="faint">{reason ?? ''}</span>,
  },
  { name: 'Time', width: 'var(--time-track)', cell: ({ at }) => <Time at={at} /> },
]

export default function Audit(): ReactElement {
  const { get: read, set } = useAddress()
  const [q, ns] = [read('q'), read('ns')]
  const isUnderstood = unknownFields('audit', q).length === 0
  const store = useList<AuditItem>({ path: '/audit', query: { q, ns }, keyOf, timeOf, isRenewed: true }, isUnderstood)
  return (
    <Page
      isFull
      title="Audit"
      sub={<ListCount store={store} one="thing that people did" many="things that people did" />}
      cli={['kubectl get replays,retries,discards -A']}
    >
      <FilterBar
        of="audit"
        value={q}
        problem={store?.state === 'failed' && q !== '' ? store.error?.message : undefined}
        onChange={next => set({ q: next })}
        placeholder="Filter: who:jane did:retry outcome:refused"
      />
      {!isUnderstood && (
        <Empty title="The filter cannot be applied">
          <p>Nothing was asked for, because the filter names a field that the audit does not have.</p>
        </Empty>
      )}
      {isUnderstood && (
        <ListBody
          label="Audit"
          store={store}
          columns={COLUMNS}
          keyOf={keyOf}
          hrefOf={hrefOf}
          isFailure={({ outcome }) => outcome === 'refused'}
          onFilter={(field, value, isNegated) => set({ q: withTerm(q, field, value, isNegated) })}
          empty={
            <Empty icon="audit" isOfNamespace title={q === '' ? 'Nobody did anything yet' : 'Nothing matches'}>
              <p>
                Every replay, retry, discard, stop and submit is recorded here with who did it, also when it was
                refused.
              </p>
            </Empty>
          }
        />
      )}
    </Page>
  )
}
