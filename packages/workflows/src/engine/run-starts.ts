import type { Clock, Timer } from '@tiphys/env'
import type { Pod } from '@tiphys/kube/kinds'
import { isOver } from '../outputs/pod-outcome.ts'

/** Lets new runs begin as fast as those under way go on. Without it a burst begins all of its runs at once, and every run takes as
 *  long as all of them together.
 *
 *  - What has to be done for runs under way counts: pods that were made and nobody has said anything of, neither a node nor the
 *    scheduler, and what the engine itself is behind with. A step that runs, however long, does not.
 *  - While much is to be done, a run begins now and then: nothing that others do holds anybody back for good.
 *  - Who comes first begins first. */
export interface RunStarts {
  /** Whether a run that has not begun may begin now. If not, it is woken when it is its turn. */
  mayBegin(key: string): boolean
  /** The run is gone, somebody else's or under way: it does not wait any more. */
  leave(key: string): undefined
  /** Takes note of a pod as it is now. */
  see(pod: Pod): void
  /** The pod is gone. */
  forget(uid: string): void
  /** How many runs wait. */
  readonly waiting: number
  stop(): void
}

export interface RunStartsOptions {
  clock: Clock
  /** How much the engine is behind with. */
  behind: () => number
  wake: (key: string) => void
}

/** So much keeps a cluster busy, and is done in a moment. */
const ENOUGH = 128
/** A run begins so often, however much there is to be done. */
const SPACING_MS = 50

export function createRunStarts({ clock, behind, wake }: RunStartsOptions): RunStarts {
  /** Pods, by uid, that nobody has said anything of. */
  const unanswered = new Set<string>()
  const waiting = new Set<string>()
  /** Those that were woken and have not asked again. */
  const called = new Set<string>()
  let timer: Timer | undefined

  const hasRoom = () => unanswered.size + called.size + behind() < ENOUGH
  const callNext = () => {
    const [key] = waiting
    if (key === undefined) return
    waiting.delete(key)
    called.add(key)
    wake(key)
  }
  const callAll = () => {
    while (waiting.size > 0 && hasRoom()) callNext()
    if (waiting.size === 0) {
      timer?.cancel()
      timer = undefined
    }
  }
  const wait = () => {
    timer ??= clock.schedule(SPACING_MS, () => {
      timer = undefined
      callNext()
      callAll()
      if (waiting.size > 0) wait()
    })
  }

  return {
    mayBegin(key) {
      if (called.delete(key)) return true
      if (waiting.size === 0 && hasRoom()) return true
      waiting.add(key)
      wait()
      return false
    },
    leave(key) {
      waiting.delete(key)
      if (called.delete(key)) callAll()
      return undefined
    },
    see(pod) {
      const { uid = '' } = pod.metadata
      if (!isAnswered(pod)) unanswered.add(uid)
      else if (unanswered.delete(uid)) callAll()
    },
    forget(uid) {
      if (unanswered.delete(uid)) callAll()
    },
    get waiting() {
      return waiting.size
    },
    stop() {
      timer?.cancel()
      waiting.clear()
    },
  }
}

/** Its node tells of its containers, or it was not given one for a reason. */
function isAnswered(pod: Pod): boolean {
  const { status, metadata } = pod
  if (isOver(pod) || metadata.deletionTimestamp !== undefined) return true
  if (status?.phase === 'Running' || status?.containerStatuses !== undefined) return true
  return status?.conditions?.some(({ type, status: is }) => type === 'PodScheduled' && is === 'False') === true
}
