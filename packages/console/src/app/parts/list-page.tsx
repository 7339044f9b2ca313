import { type ReactElement, type ReactNode, useSyncExternalStore } from 'react'
import { say } from '../announce.ts'
import { counted } from '../count.ts'
import type { ListStore } from '../live/list-store.ts'
import { clockTime } from '../time.ts'
import { LeftOut } from './left-out.tsx'
import { Empty, Problem, Skeleton } from './page.tsx'
import { type Column, WindowList } from './window-list.tsx'

interface ListBodyProps<T extends object> {
  label: string
  store: ListStore<T> | undefined
  columns: readonly Column<T>[]
  keyOf(item: T): string
  hrefOf(item: T): string
  isFailure?(item: T): boolean
  onFilter?(field: string, value: string, isNegated: boolean): void
  selection?: { keys: ReadonlySet<string>; toggle(item: T): void }
  /** What to say when there is nothing. */
  empty: ReactNode
}

const never = () => () => {}

/** A list in each of its states: being read, failed, empty, there. */
export function ListBody<T extends object>({ store, empty, ...list }: ListBodyProps<T>): ReactElement {
  useSyncExternalStore(store?.subscribe ?? never, () => store?.version ?? 0)
  if (!store || store.state === 'loading') return <Skeleton rows={14} />
  if (store.state === 'failed') return <Problem error={store.error ?? new Error('unknown')} />
  if (store.total === 0 && store.fresh === 0) {
    if (!store.partial)
      return (
        <>
          <LeftOut />
          {empty}
        </>
      )
    return (
      <Empty isOfNamespace title={`Nothing found back to ${clockTime(store.partial.backTo)}`}>
        <p>No index helps with this filter, so only the newest rows were looked at. Older ones may match.</p>
        <FurtherButton store={store} />
      </Empty>
    )
  }
  return (
    <>
      <WindowList store={store} {...list} />
      {store.partial && (
        <p className="list-end">
          <span>Looked back to {clockTime(store.partial.backTo)}.</span>
          <FurtherButton store={store} />
        </p>
      )}
    </>
  )
}

type Searching = Pick<ListStore<object>, 'isLooking' | 'lookFurther' | 'total' | 'isExact' | 'partial'>

function FurtherButton({ store }: { store: Searching }): ReactElement {
  const look = async () => {
    const before = store.total
    await store.lookFurther()
    const found =
      store.total === before ? 'Nothing more was found' : `${counted(store.total - before, 'more row')} found`
    say(
      store.partial
        ? `${found} back to ${clockTime(store.partial.backTo)}`
        : `${found}${store.isExact ? ', and that is all' : ''}`,
    )
  }
  return (
    <button type="button" className="button" aria-disabled={store.isLooking} onClick={() => void look()}>
      {store.isLooking ? 'Looking…' : 'Look further back'}
    </button>
  )
}

interface ListCountProps {
  store: ListStore<object> | undefined
  one: string
  many?: string
}

export function ListCount({ store, one, many }: ListCountProps): ReactElement {
  useSyncExternalStore(store?.subscribe ?? never, () => store?.version ?? 0)
  if (store?.state === 'failed') return <span className="count-line" />
  if (store?.state !== 'ready') return <span className="count-line">…</span>
  const { partial, total, isExact } = store
  return (
    <span className="count-line">
      {isExact || partial ? '' : 'at least '}
      {counted(total, one, many)}
      {partial ? ` back to ${clockTime(partial.backTo)}` : ''}
    </span>
  )
}
