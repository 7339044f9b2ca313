import { useQuery } from '@tanstack/react-query'
import type { KindItem, ObjectItem } from '@tiphys/archive'
import type { ReactElement } from 'react'
import { useList } from '../live/use-list.ts'
import { FilterBar, unknownFields } from '../parts/filter-bar.tsx'
import { ListBody, ListCount } from '../parts/list-page.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import type { Column } from '../parts/window-list.tsx'
import { termsOf, withTerm } from '../query.ts'
import { get } from '../request.ts'
import { href, objectPath, useAddress } from '../url.ts'

const keyOf = ({ object }: ObjectItem) =>
  `${object.apiVersion}/${object.kind}/${object.namespace ?? ''}/${object.name}/${object.uid ?? ''}`
const timeOf = ({ lastAt }: ObjectItem) => lastAt
const hrefOf = ({ object }: ObjectItem) => href(objectPath(object))

const COLUMNS: readonly Column<ObjectItem>[] = [
  {
    name: 'Object',
    width: 'minmax(170px, 2fr)',
    cell: ({ object }) => (
      <>
        <span className="kind always">{object.kind}</span>
        <span className="name">{object.name}</span>
      </>
    ),
    filter: ({ object }) => ['kind', object.kind],
  },
  {
    name: 'Namespace',
    width: 'minmax(90px, 1fr)',
    from: 620,
    cell: ({ object }) => object.namespace ?? '–',
    filter: ({ object }) => (object.namespace ? ['ns', object.namespace] : undefined),
  },
  {
    name: 'Condition',
    width: 'minmax(120px, 1.4fr)',
    from: 760,
    cell: ({ condition, isDeleted }) =>
      isDeleted ? (
        <Status value="deleted" />
      ) : condition ? (
        <Status value="failed" word={condition.reason} />
      ) : (
        <span className="faint">–</span>
      ),
  },
  { name: 'Events', width: '76px', from: 520, cell: ({ events }) => <span className="number">{events}</span> },
  { name: 'Writes', width: '76px', from: 420, cell: ({ writes }) => <span className="number">{writes}</span> },
  { name: 'Last', width: 'var(--time-track)', cell: ({ lastAt }) => <Time at={lastAt} /> },
]

export default function Objects(): ReactElement {
  const { get: read, set } = useAddress()
  const q = read('q')
  const ns = read('ns')
  const isUnderstood = unknownFields('objects', q).length === 0
  const store = useList<ObjectItem>(
    { path: '/objects', query: { q, ns }, keyOf, timeOf, isRenewed: true },
    isUnderstood,
  )
  const kinds = useQuery({
    queryKey: ['kinds', ns],
    queryFn: ({ signal }) => get<readonly KindItem[]>('/kinds', { ns }, signal),
  })
  const chosen = termsOf(q)
    .find(({ field }) => field === 'kind')
    ?.text.slice('kind:'.length)
  const problem = store?.state === 'failed' && q !== '' ? store.error?.message : undefined
  return (
    <Page
      isFull
      title="Objects"
      sub={
        <ListCount
          store={store}
          one="object that Tiphys has seen or written"
          many="objects that Tiphys has seen or written"
        />
      }
      cli={['tiphys explain KIND/NAME']}
    >
      <FilterBar
        of="objects"
        value={q}
        problem={problem}
        onChange={next => set({ q: next })}
        placeholder="Filter: kind:Deployment name:web* condition:Ready"
      />
      {kinds.data && kinds.data.length > 0 && (
        <div className="chips" role="group" aria-label="Kinds">
          {kinds.data.slice(0, 12).map(({ kind, objects }) => {
            const short = kind.split('.')[0] ?? kind
            const isChosen = chosen === short || chosen === kind
            return (
              <button
                key={kind}
                type="button"
                className="chip"
                aria-pressed={isChosen}
                onClick={() => set({ q: isChosen ? q.replace(/\s*-?kind:\S+/, '').trim() : withTerm(q, 'kind', kind) })}
              >
                {short} <span className="faint">{objects}</span>
              </button>
            )
          })}
        </div>
      )}
      {isUnderstood ? (
        <ListBody
          label="Objects"
          store={store}
          columns={COLUMNS}
          keyOf={keyOf}
          hrefOf={hrefOf}
          isFailure={({ condition }) => condition !== undefined}
          onFilter={(field, value, isNegated) => set({ q: withTerm(q, field, value, isNegated) })}
          empty={
            q === '' ? (
              <Empty icon="objects" isOfNamespace title="Nothing was touched yet">
                <p>
                  Every object that an event is about, or that a run or trigger writes, appears here with its history.
                </p>
              </Empty>
            ) : (
              <Empty icon="objects" isOfNamespace title="No object matches">
                <button type="button" className="button" onClick={() => set({ q: '' })}>
                  Clear the filter
                </button>
              </Empty>
            )
          }
        />
      ) : (
        <Empty title="The filter cannot be applied">
          <p>Nothing was asked for, because the filter names a field that objects do not have.</p>
        </Empty>
      )}
    </Page>
  )
}
