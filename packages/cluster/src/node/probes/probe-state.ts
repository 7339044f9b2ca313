import type { Probe } from '@tiphys/kube/kinds'

export type ProbeKind = 'startup' | 'liveness' | 'readiness'

/** What a probe has found so far. */
export interface ProbeState {
  /** What counts: the result that has come often enough in a row. Undefined before the first. */
  verdict: boolean | undefined
  last: boolean | undefined
  /** How often in a row. */
  run: number
}

export const initialProbe: ProbeState = { verdict: undefined, last: undefined, run: 0 }

/** The state after one more result. Pure. */
export function stepProbe(state: ProbeState, isSuccess: boolean, probe: Probe): ProbeState {
  const run = state.last === isSuccess ? state.run + 1 : 1
  const threshold = isSuccess ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
  return { verdict: run >= threshold ? isSuccess : state.verdict, last: isSuccess, run }
}
