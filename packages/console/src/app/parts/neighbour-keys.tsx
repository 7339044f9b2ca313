import type { Page, Row } from '@tiphys/archive'
import type { RunReference } from '@tiphys/journal/records'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { say } from '../announce.ts'
import { shortcuts } from '../preference.ts'
import { get } from '../request.ts'
import { eventPath, href, runHref } from '../url.ts'

interface NeighbourKeysProps {
  list: '/events' | '/runs'
  /** The id of the event, or the uid of the run. */
  current: string
}

type Item = Row<{ id?: string; run?: RunReference }>

const keyOf = ({ id, run }: Item) => id ?? run?.uid
const hrefOf = ({ id = '', run }: Item) => (run ? runHref(run) : href(eventPath(id)))
/** The filter of the list that was last looked at, so that J and K stay inside it. */
export const lastQuery: Record<string, string> = {}

/** J and K go to the next and the previous item of the list, inside one. */
export function NeighbourKeys({ list, current }: NeighbourKeysProps): null {
  const [, navigate] = useLocation()
  useEffect(() => {
    const left = new AbortController()
    const go = async (step: 1 | -1) => {
      const q = lastQuery[list] ?? ''
      const ns = new URLSearchParams(location.search).get('ns') ?? ''
      const page = await get<Page<Item>>(list, { q, ns, limit: 1000 }, left.signal)
      const at = page.items.findIndex(item => keyOf(item) === current)
      const next = at < 0 ? undefined : page.items[at + step]
      if (next) navigate(hrefOf(next))
      else if (at < 0) say(`This one is not among the newest ${page.items.length} of the list`)
      else say(step === 1 ? 'This is the last one' : 'This is the first one')
    }
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).closest?.('input,textarea,select,dialog')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || shortcuts.get() === 'off') return
      if (event.key !== 'J' && event.key !== 'K') return
      go(event.key === 'J' ? 1 : -1).catch((error: Error) => !left.signal.aborted && say(error.message))
    }
    window.addEventListener('keydown', onKey)
    return () => {
      // Whoever has gone elsewhere is not taken away from there.
      left.abort()
      window.removeEventListener('keydown', onKey)
    }
  }, [list, current, navigate])
  return null
}
