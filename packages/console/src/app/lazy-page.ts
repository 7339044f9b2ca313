import { type ComponentType, createElement, lazy, type ReactElement, useState } from 'react'

type Load<P> = () => Promise<{ default: ComponentType<P> }>

/** A page that is loaded when it is first wanted, or before. */
export interface LazyPage<P> {
  (props: P): ReactElement
  preload(): Promise<unknown>
}

/** One that was loaded before is rendered at once. React's own `lazy` would show a fallback even then, and keep it for a third of a
 *  second so that nothing flickers. */
export function lazyPage<P extends object>(load: Load<P>): LazyPage<P> {
  let loaded: ComponentType<P> | undefined
  const preload = async () => {
    const module = await load()
    loaded = module.default
    return module
  }
  const Later = lazy(preload) as unknown as ComponentType<P>
  const Page = (props: P): ReactElement => {
    // Chosen once: another component would begin anew, without what was typed and opened.
    const [Chosen] = useState(() => loaded ?? Later)
    return createElement(Chosen, props)
  }
  return Object.assign(Page, { preload })
}
