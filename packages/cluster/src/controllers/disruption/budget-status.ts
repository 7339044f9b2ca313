import type { Pod, PodDisruptionBudget } from '@tiphys/kube/kinds'
import { resolveIntOrPercent } from '../int-or-percent.ts'

type Budget = PodDisruptionBudget
type BudgetStatus = NonNullable<Budget['status']>
type Condition = NonNullable<BudgetStatus['conditions']>[number]

/** A pod whose eviction was allowed is expected to go within this time. */
export const DELETION_TIMEOUT_MS = 2 * 60_000

/** How many pods there should be, and how many of them healthy. */
export interface Expectation {
  expectedPods: number
  desiredHealthy: number
}

/** Whether the controllers of the pods have to be asked for their scale, to know how many pods there should be. */
export const needsScale = ({ spec }: Budget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'

/** `scale`: what the controllers of the pods want together. */
export function expectation({ spec }: Budget, podCount: number, scale: number): Expectation {
  if (spec?.maxUnavailable !== undefined) {
    const unavailable = resolveIntOrPercent(spec.maxUnavailable, scale, 'up')
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - unavailable) }
  }
  if (spec?.minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 }
  if (typeof spec.minAvailable === 'number') return { expectedPods: podCount, desiredHealthy: spec.minAvailable }
  return { expectedPods: scale, desiredHealthy: resolveIntOrPercent(spec.minAvailable, scale, 'up') }
}

/** Evictions that were allowed and have not been carried out yet. */
export interface Disrupted {
  pods: Record<string, string>
  /** Pods whose time is over: they were not deleted. */
  overdue: Pod[]
  /** When the next one's time is over. */
  recheckAt: number | undefined
}

export function disruptedPods({ status }: Budget, pods: readonly Pod[], now: number): Disrupted {
  const result: Disrupted = { pods: {}, overdue: [], recheckAt: undefined }
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata
    const since = status?.disruptedPods?.[name]
    if (deletionTimestamp !== undefined || since === undefined) continue
    const deadline = Date.parse(since) + DELETION_TIMEOUT_MS
    if (deadline < now) result.overdue.push(pod)
    else {
      result.pods[name] = since
      result.recheckAt = Math.min(deadline, result.recheckAt ?? deadline)
    }
  }
  return result
}

export function countHealthy(pods: readonly Pod[], disrupted: Readonly<Record<string, string>>, now: number): number {
  return pods.filter(({ metadata, status }) => {
    if (metadata.deletionTimestamp !== undefined) return false
    const since = disrupted[metadata.name ?? '']
    if (since !== undefined && Date.parse(since) + DELETION_TIMEOUT_MS > now) return false
    return status?.conditions?.some(condition => condition.type === 'Ready' && condition.status === 'True') ?? false
  }).length
}

export function budgetStatus(
  { metadata, status }: Budget,
  { expectedPods, desiredHealthy }: Expectation,
  currentHealthy: number,
  disrupted: Readonly<Record<string, string>>,
  now: string,
): BudgetStatus {
  const spare = currentHealthy - desiredHealthy
  const disruptionsAllowed = expectedPods <= 0 || spare <= 0 ? 0 : spare
  const isAllowed = disruptionsAllowed > 0
  const { generation } = metadata
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: { ...disrupted } }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withAllowed(status?.conditions, generation, now, {
      status: isAllowed ? 'True' : 'False',
      reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    }),
  }
}

/** What is written when the state of the pods could not be found out: nothing may be disrupted. */
export function failedStatus({ status }: Budget, error: string, now: string): BudgetStatus {
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions: withAllowed(status?.conditions, status?.observedGeneration, now, {
      status: 'False',
      reason: 'SyncFailed',
      message: error,
    }),
  }
}

function withAllowed(
  conditions: readonly Condition[] = [],
  observedGeneration: number | undefined,
  now: string,
  verdict: Pick<Condition, 'status' | 'reason' | 'message'>,
): Condition[] {
  const index = conditions.findIndex(({ type }) => type === 'DisruptionAllowed')
  const before = conditions[index]
  const isTransition = before?.status !== verdict.status
  const condition: Condition = {
    type: 'DisruptionAllowed',
    ...verdict,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: isTransition ? now : before.lastTransitionTime,
  }
  return before ? conditions.with(index, condition) : [...conditions, condition]
}
