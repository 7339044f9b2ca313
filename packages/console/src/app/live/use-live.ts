import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { preference } from '../preference.ts'
import { LiveConnection, type LiveState } from './connection.ts'

export const live = new LiveConnection()
/** Somebody wants to read in peace: what is new waits. */
export const following = preference('following', 'on', ['on', 'paused'])

const onState = (listener: () => void) => live.onState(listener)
export const useLiveState = (): LiveState => useSyncExternalStore(onState, () => live.state)

const OFTEN_MS = 1000

/** Reads again what a page shows, at most once a second, when something in the archive has changed; with a query for runs, when
 *  one of those has. */
export function useChanges(keys: readonly (readonly unknown[])[], isWanted = true, runs?: string): void {
  const client = useQueryClient()
  const wanted = useRef(keys)
  wanted.current = keys
  // Also when something else is followed from now on.
  const isDue = useRef(false)
  useEffect(() => {
    if (!isWanted) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const renew = () => {
      isDue.current = true
      if (following.get() === 'paused') return
      timer ??= setTimeout(() => {
        timer = undefined
        isDue.current = false
        for (const queryKey of wanted.current) void client.invalidateQueries({ queryKey })
      }, OFTEN_MS)
    }
    if (isDue.current) renew()
    const topic = runs === undefined ? ({ topic: 'changes' } as const) : ({ topic: 'runs', q: runs } as const)
    const end = live.follow(topic, { onRows: renew, onGap: renew })
    const endWaiting = following.onChange(() => isDue.current && renew())
    return () => {
      clearTimeout(timer)
      end()
      endWaiting()
    }
  }, [client, isWanted, runs])
}
