import { useSyncExternalStore } from 'react'
import type { ListName } from './query.ts'

/** A list with its filter and grouping, under a name. */
export interface SavedView {
  list: ListName
  name: string
  /** What stands behind the question mark. */
  search: string
}

const KEY = 'tiphys.views'
const MOST = 100
const LONGEST = 4000

/** What everybody has. */
export const GIVEN_VIEWS: readonly SavedView[] = [
  { list: 'events', name: 'Failed or parked', search: 'q=status:failed,parked' },
  { list: 'events', name: 'Filtered in the last hour', search: 'q=status:filtered+age:<1h' },
  { list: 'events', name: 'Nobody looked at yet', search: 'q=status:pending' },
  { list: 'events', name: 'Nobody listens to', search: 'q=status:unheard' },
  { list: 'events', name: 'Replays', search: 'q=replayof:*' },
  { list: 'runs', name: 'Failed today', search: 'q=status:failed,error+age:<1d' },
  { list: 'runs', name: 'Running', search: 'q=status:running' },
  { list: 'runs', name: 'Waiting for somebody', search: 'q=status:suspended' },
  { list: 'runs', name: 'Failures by error', search: 'group=fingerprint' },
  { list: 'runs', name: 'Longer than five minutes', search: 'q=duration:>5m' },
  { list: 'objects', name: 'With a bad condition', search: 'q=condition:*' },
  { list: 'objects', name: 'Gone', search: 'q=deleted:yes' },
  { list: 'audit', name: 'Refused', search: 'q=outcome:refused' },
]

/** Views from a text that anybody may have changed; what is none is left out. */
export function readViews(text: string | null): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(found) ? found.filter(isView).slice(0, MOST) : []
  } catch {
    return [] // what cannot be read was not ours
  }
}

function isView(value: unknown): value is SavedView {
  const { list, name, search } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>
  return (
    typeof list === 'string' &&
    typeof name === 'string' &&
    name !== '' &&
    typeof search === 'string' &&
    search.length <= LONGEST
  )
}

/** The views with one more; another of its list and name goes. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(each => each.list !== view.list || each.name !== view.name), view].slice(-MOST)
}

const listeners = new Set<() => void>()
let views: readonly SavedView[] | undefined

function current(): readonly SavedView[] {
  try {
    views ??= readViews(localStorage.getItem(KEY))
  } catch {
    views ??= [] // storage can be forbidden: views then last as long as the page
  }
  return views
}

function store(next: readonly SavedView[]): void {
  views = next
  try {
    localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // As above.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Another tab has saved one.
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== KEY) return
    views = undefined
    listener()
  }
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}

export const useSavedViews = (): readonly SavedView[] => useSyncExternalStore(subscribe, current)
export const saveView = (view: SavedView): void => store(withView(current(), view))
export const removeView = (view: SavedView): void =>
  store(current().filter(({ list, name }) => list !== view.list || name !== view.name))

/** Where it is, in the namespace that is picked. */
export function viewPath({ list, search }: SavedView, ns: string): string {
  const parts = [search, ns && `ns=${encodeURIComponent(ns)}`].filter(part => part !== '')
  return `/${list}${parts.length === 0 ? '' : `?${parts.join('&')}`}`
}
