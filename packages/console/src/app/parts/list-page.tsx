import { type ReactElement, type ReactNode, useSyncExternalStore } from 'react'
import type { ListStore } from '../live/list-store.ts'
import { Problem, Skeleton } from './page.tsx'
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
  if (store.total === 0 && store.fresh === 0) return <>{empty}</>
  return <WindowList store={store} {...list} />
}

export function ListCount({ store, noun }: { store: ListStore<object> | undefined; noun: string }): ReactElement {
  useSyncExternalStore(store?.subscribe ?? never, () => store?.version ?? 0)
  if (!store || store.state !== 'ready') return <span className="count-line">…</span>
  const partial = store.partial
  return (
    <span
      className="count-line"
      title={partial ? `The search has looked at ${partial.scanned} events so far` : undefined}
    >
      {store.isExact ? '' : 'more than '}
      {store.total.toLocaleString('en')} {noun}
      {partial ? ` back to ${new Date(partial.backTo).toLocaleString()}` : ''}
    </span>
  )
}
