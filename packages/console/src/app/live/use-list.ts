import { useEffect, useState } from 'react'
import { type ListOptions, ListStore } from './list-store.ts'

/** A list for as long as its query stays the same. With another query there is another list: never the old rows. */
export function useList<T extends object>(options: ListOptions<T>, isWanted = true): ListStore<T> | undefined {
  const key = JSON.stringify([options.path, options.query])
  const [opened, setOpened] = useState<{ key: string; store: ListStore<T> }>()
  useEffect(() => {
    if (!isWanted) return setOpened(undefined)
    const store = new ListStore(options)
    setOpened({ key, store })
    return () => store.close()
  }, [key, isWanted])
  return opened?.key === key ? opened.store : undefined
}
