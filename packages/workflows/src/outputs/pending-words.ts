import { asError, type Env, type Timer } from '@tiphys/env'
import { type Client, kindRef } from '@tiphys/kube'
import type { Event, Pod } from '@tiphys/kube/kinds'
import { pendingReason } from './pod-outcome.ts'

/** Why pods do not start, where nothing but their Events says it: a volume of a Secret that is not there, a network that cannot be
 *  made. Asks for the Events of pods that have been waiting for a while and say nothing themselves, a few at a time, so that a
 *  thousand of them are no burden to the API server. */
export interface PendingWords {
  /** Takes note of a pod as it is now. */
  see(pod: Pod): void
  /** What is known; nothing of a pod that starts, or that says it itself. */
  of(pod: Pod): string | undefined
  forget(uid: string): void
  /** Somebody is being asked. */
  readonly isAsking: boolean
  stop(): Promise<void>
}

export interface PendingWordsOptions {
  env: Env
  client: Client
  /** Something else is known of this pod than before. */
  onChange: (pod: Pod) => void
}

/** Most pods have started by then. */
const PATIENCE_MS = 5000
const LOOK_EVERY_MS = 5000
/** One pod is asked about no more often. */
const LOOK_AGAIN_MS = 15_000
const MOST_AT_ONCE = 5
/** A pod has a few; those that repeat are counted in one. */
const MOST_EVENTS = 100

const EVENT = kindRef<Event>('v1', 'Event')

interface Waiting {
  pod: Pod
  lookAt: number
  words?: string
}

export function createPendingWords(options: PendingWordsOptions): PendingWords {
  const { env, onChange } = options
  const { clock } = env
  /** By uid, those first that were not looked at for the longest time. */
  const waiting = new Map<string, Waiting>()
  const abort = new AbortController()
  let timer: Timer | undefined
  let asking: Promise<void> | undefined

  const look = async () => {
    const due = [...waiting].filter(([, { lookAt }]) => lookAt <= clock.now()).slice(0, MOST_AT_ONCE)
    for (const [uid, entry] of due) {
      const words = await wordsOf(options, entry.pod, abort.signal).catch(thrown => {
        // Whoever may not read Events is told so at the start; others are asked again.
        env.log.debug('the Events of a pod could not be read', { error: asError(thrown) })
        return entry.words
      })
      if (abort.signal.aborted) return
      if (waiting.get(uid) !== entry) continue
      waiting.delete(uid)
      waiting.set(uid, { pod: entry.pod, lookAt: clock.now() + LOOK_AGAIN_MS, ...(words !== undefined && { words }) })
      if (words !== entry.words) onChange(entry.pod)
    }
  }
  const plan = () => {
    if (abort.signal.aborted || waiting.size === 0) return
    timer ??= clock.schedule(LOOK_EVERY_MS, () => {
      asking = look().finally(() => {
        asking = undefined
        timer = undefined
        plan()
      })
    })
  }

  return {
    see(pod) {
      const { uid = '' } = pod.metadata
      const known = waiting.get(uid)
      if (!isSilent(pod)) waiting.delete(uid)
      else if (known) known.pod = pod
      else {
        waiting.set(uid, { pod, lookAt: clock.now() + PATIENCE_MS })
        plan()
      }
    },
    of: pod => (isSilent(pod) ? waiting.get(pod.metadata.uid ?? '')?.words : undefined),
    forget: uid => waiting.delete(uid),
    get isAsking() {
      return asking !== undefined
    },
    async stop() {
      abort.abort(new Error('the engine is stopping'))
      timer?.cancel()
      await asking
    },
  }
}

/** Nothing of it has begun, and its status does not say why. */
function isSilent(pod: Pod): boolean {
  const { metadata, status } = pod
  if (metadata.deletionTimestamp !== undefined) return false
  if (status?.phase !== undefined && status.phase !== 'Pending') return false
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  if (containers.some(({ state }) => state?.running || state?.terminated)) return false
  return pendingReason(pod) === undefined
}

/** The newest Event, if it is a warning: what went wrong before something went well is over. */
async function wordsOf({ client }: PendingWordsOptions, pod: Pod, signal: AbortSignal): Promise<string | undefined> {
  const { namespace = '', uid = '' } = pod.metadata
  const fieldSelector = `involvedObject.uid=${uid}`
  const { items } = await client.list({ ...EVENT, namespace, fieldSelector }, { limit: MOST_EVENTS, signal })
  const times = items.map(timeOf)
  const newest = Math.max(...times)
  const warning = items.findLast(({ type }, index) => type === 'Warning' && times[index] === newest)
  return warning && [warning.reason, warning.message].filter(Boolean).join(': ')
}

/** To the second, as most of those who write Events have it. */
const timeOf = ({ lastTimestamp, series, eventTime, metadata }: Event): number =>
  Math.floor(
    Date.parse(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp ?? '') / 1000,
  )
