import type {
  ObservedClaim,
  ObservedConfigMap,
  ObservedLock,
  ObservedMemo,
  ObservedPod,
  ObservedTask,
} from '../plan/plan.ts'
import type { UnstoredStatus } from './late-storing.ts'
import { PreciseTimes } from './precise-times.ts'

/** Of what there was no room for: the pause before another try, and when that is. */
export interface Postponed {
  pauseMs?: number
  notBefore?: number
}

/** What the engine knows of one run beside its Workflow and its pods. After a restart it is found out again: the planner
 *  asks for everything whose effect it does not see. */
export interface RunMemory {
  readonly uid: string
  /** Pods that could not be made, by node. */
  readonly refusedPods: Map<string, ObservedPod & Postponed>
  /** Pods that were there, by node: one that is not there any more is gone. */
  readonly knownPods: Map<string, string>
  /** Nodes whose pods were ended on purpose. */
  readonly stopped: Set<string>
  /** Resource and http templates, by node. */
  readonly tasks: Map<string, { observed: ObservedTask; abort: AbortController }>
  readonly memos: Map<string, ObservedMemo>
  readonly configMaps: Map<string, ObservedConfigMap | null>
  readonly claims: Map<string, ObservedClaim & Postponed>
  readonly locks: Map<string, ObservedLock>
  readonly times: PreciseTimes
  /** The phases of steps without a pod that are recorded. */
  readonly recordedPhases: Map<string, string>
  /** The record that the run is under way, until its end is recorded. */
  note?: { readonly key: string; isStored: boolean }
  /** Whether it was suspended as a whole when it was last recorded. */
  isSuspended?: boolean
  /** Why it cannot go on, whatever its steps do. */
  fault?: string
  /** That the run is over has been stored. */
  isOver?: boolean
  /** Until when a change that nobody waits for may go unstored. */
  storeBy?: number
  unstored?: UnstoredStatus
  /** Until when nothing is planned, so that more comes together. */
  restUntil?: number
}

export function createRunMemory(uid: string): RunMemory {
  return {
    uid,
    refusedPods: new Map(),
    knownPods: new Map(),
    stopped: new Set(),
    tasks: new Map(),
    memos: new Map(),
    configMaps: new Map(),
    claims: new Map(),
    locks: new Map(),
    times: new PreciseTimes(),
    recordedPhases: new Map(),
  }
}
