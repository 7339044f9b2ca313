import { type ComponentType, createElement, type ReactElement, useEffect, useState } from 'react'
import { Problem, Skeleton } from './parts/page.tsx'
import { RequestFailure } from './request.ts'

const AGAIN_MS = 1000
const NOT_LOADED = new RequestFailure(0, {
  code: 'console-unreachable',
  what: 'This page of the console cannot be loaded',
  todo: 'See whether tiphys still runs: the page comes by itself as soon as it does. After an update, load the console anew.',
})

type Load<P> = () => Promise<{ default: ComponentType<P> }>

/** A page that is loaded when it is first wanted, or before. */
export interface LazyPage<P> {
  (props: P): ReactElement
  preload(): Promise<unknown>
}

/** Rendered as soon as it is loaded. React's own `lazy` keeps its fallback for a third of a second so that nothing flickers, and
 *  only then the page begins to read what it shows. */
export function lazyPage<P extends object>(load: Load<P>): LazyPage<P> {
  let loaded: ComponentType<P> | undefined
  const preload = async () => {
    loaded = (await load()).default
    return loaded
  }
  const Page = (props: P): ReactElement => {
    // Chosen once: another component would begin anew, without what was typed and opened.
    const [chosen, setChosen] = useState(() => ({ page: loaded }))
    const [isAway, setAway] = useState(false)
    const isMissing = chosen.page === undefined
    useEffect(() => {
      if (!isMissing) return
      let timer: ReturnType<typeof setTimeout> | undefined
      const tryLoad = () =>
        preload().then(
          page => setChosen({ page }),
          () => {
            setAway(true)
            timer = setTimeout(() => void tryLoad(), AGAIN_MS)
          },
        )
      void tryLoad()
      return () => clearTimeout(timer)
    }, [isMissing])
    if (chosen.page) return createElement(chosen.page, props)
    if (!isAway) return createElement(Skeleton, { rows: 10 })
    return createElement(Problem, { error: NOT_LOADED, onRetry: () => location.reload() })
  }
  return Object.assign(Page, { preload })
}
