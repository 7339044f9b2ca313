import type { Selection } from './client.ts'
import type { WatchState, WatchTimes } from './watch-state.ts'

/** How a list-watch is, for readiness, metrics and people. */
export interface WatchHealth {
  state: WatchState
  /** The state in one sentence. */
  summary: string
  /** Whether reads show the cluster as it was a moment ago. A short interruption does not change that; one that lasts, a
   *  missing permission or a failure does. A kind that does not exist has no objects, which is fresh knowledge too. */
  isFresh: boolean
  /** Milliseconds since the server last said something about these objects; bookmarks count. */
  ageMs: number
  hasSynced: boolean
  resourceVersion: string | undefined
  objects: number
  /** An estimate of the memory the objects take. */
  bytes: number
  /** Lists that were begun, and streams that were resumed from a version. */
  lists: number
  resumes: number
}

export function isFresh({ state }: WatchState, hasSynced: boolean, ageMs: number, { idleMs }: WatchTimes): boolean {
  if (state === 'dormant') return true
  return hasSynced && ageMs <= idleMs && state !== 'forbidden' && state !== 'failed' && state !== 'stopped'
}

export function describeWatch(state: WatchState, { apiVersion, kind, namespace }: Selection): string {
  const objects = `${kind} (${apiVersion}) in ${namespace === undefined ? 'all namespaces' : `namespace ${namespace}`}`
  switch (state.state) {
    case 'streaming':
    case 'listing':
      return `Reading the list of ${objects}`
    case 'watching':
      return `Following changes of ${objects}`
    case 'waiting':
      return `Trying again to ${state.next} ${objects} after: ${state.why.message}`
    case 'dormant':
      return `Waiting for the kind ${kind} (${apiVersion}) to exist`
    case 'forbidden': {
      const { verb, group, resource } = state.permission
      const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`
      const what = group === '' ? resource : `${resource}.${group}`
      return `Not allowed to ${verb} ${what} ${where}: grant the verbs list and watch on it`
    }
    case 'failed':
      return `Stopped reading ${objects}: ${state.why.message}`
    case 'stopped':
      return `Not reading ${objects}`
  }
}
