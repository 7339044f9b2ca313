import type { HorizontalPodAutoscalerSpec, HPAScalingRules } from '@tiphys/kube/kinds'

const DOWNSCALE_STABILIZATION_MS = 300_000

/** What an autoscaler remembers of its past. */
export interface ScalingMemory {
  recommendations: readonly { at: number; replicas: number }[]
  scaleUps: readonly { at: number; change: number }[]
  scaleDowns: readonly { at: number; change: number }[]
}

export const noMemory: ScalingMemory = { recommendations: [], scaleUps: [], scaleDowns: [] }

interface Said {
  reason: string
  message: string
}

export interface Limited {
  replicas: number
  ableToScale: Said
  limited: Said & { status: 'True' | 'False' }
  memory: ScalingMemory
}

const withinRange: Said = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
}
const matching: Said = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' }
const stabilizedUp: Said = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
}
const stabilizedDown: Said = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const tooMany: Said = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
}
const tooFew: Said = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
}
const tooFastUp: Said = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
}
const tooFastDown: Said = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
}

/** Holds what metrics recommend within the autoscaler's bounds, windows and rates. */
export function limitReplicas(
  spec: HorizontalPodAutoscalerSpec,
  memory: ScalingMemory,
  current: number,
  recommended: number,
  now: number,
): Limited {
  const { behavior } = spec
  const upWindow = behavior ? (behavior.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000 : undefined
  const downWindow = (behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWNSCALE_STABILIZATION_MS / 1000) * 1000
  const stable = stabilize(memory, current, recommended, upWindow, downWindow, now)
  const said = recommended >= current && behavior ? stabilizedUp : stabilizedDown
  const { replicas, ...limited } = behavior
    ? limitRate(spec, memory, current, stable, now)
    : limitPlainly(spec, current, stable)
  const longest = Math.max(upWindow ?? 0, downWindow)
  const recent = memory.recommendations.filter(({ at }) => at >= now - longest)
  return {
    replicas,
    ableToScale: stable === recommended ? matching : said,
    limited: { ...limited, status: replicas === stable ? 'False' : 'True' },
    memory: { ...memory, recommendations: [...recent, { at: now, replicas: recommended }] },
  }
}

/** Remembers a change of the size. */
export function afterScaling(memory: ScalingMemory, before: number, after: number, now: number): ScalingMemory {
  const event = { at: now, change: Math.abs(after - before) }
  // Policies look back for half an hour at most.
  const recent = (events: ScalingMemory['scaleUps']) => events.filter(({ at }) => at > now - 1_800_000)
  return after > before
    ? { ...memory, scaleUps: [...recent(memory.scaleUps), event] }
    : { ...memory, scaleDowns: [...recent(memory.scaleDowns), event] }
}

/** Without an upward window the highest recommendation of the downward one counts. */
function stabilize(
  { recommendations }: ScalingMemory,
  current: number,
  recommended: number,
  upWindow: number | undefined,
  downWindow: number,
  now: number,
): number {
  const within = (windowMs: number) =>
    recommendations.filter(({ at }) => at > now - windowMs).map(({ replicas }) => replicas)
  const highest = Math.max(recommended, ...within(downWindow))
  if (upWindow === undefined) return highest
  const lowest = Math.min(recommended, ...within(upWindow))
  return Math.min(Math.max(current, lowest), highest)
}

function limitPlainly({ minReplicas = 1, maxReplicas }: HorizontalPodAutoscalerSpec, current: number, wanted: number) {
  const fastest = Math.max(2 * current, 4)
  if (wanted < minReplicas) return { replicas: minReplicas, ...tooFew }
  if (wanted > Math.min(fastest, maxReplicas))
    return { replicas: Math.min(fastest, maxReplicas), ...(maxReplicas > fastest ? tooFastUp : tooMany) }
  return { replicas: wanted, ...withinRange }
}

function limitRate(
  spec: HorizontalPodAutoscalerSpec,
  memory: ScalingMemory,
  current: number,
  wanted: number,
  now: number,
) {
  const { minReplicas = 1, maxReplicas, behavior } = spec
  if (wanted > current) {
    const fastest = Math.max(current, rateLimit(behavior?.scaleUp, memory, current, 1, now))
    const most = Math.min(maxReplicas, fastest)
    if (wanted > most) return { replicas: most, ...(maxReplicas > fastest ? tooFastUp : tooMany) }
  }
  if (wanted < current) {
    const fastest = Math.min(current, rateLimit(behavior?.scaleDown, memory, current, -1, now))
    const least = Math.max(minReplicas, fastest)
    if (wanted < least) return { replicas: least, ...(minReplicas < fastest ? tooFastDown : tooFew) }
  }
  return { replicas: wanted, ...withinRange }
}

/** How far the policies let the size go in a direction. */
function rateLimit(
  rules: HPAScalingRules | undefined,
  { scaleUps, scaleDowns }: ScalingMemory,
  current: number,
  direction: 1 | -1,
  now: number,
): number {
  if (rules?.selectPolicy === 'Disabled') return current
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const changed = (events: ScalingMemory['scaleUps']) =>
      events.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, { change }) => sum + change, 0)
    const atStart = current - changed(scaleUps) + changed(scaleDowns)
    if (type === 'Pods') return atStart + direction * value
    const share = atStart * (1 + (direction * value) / 100)
    return direction > 0 ? Math.ceil(share) : Math.trunc(share)
  })
  const isSmallest = rules?.selectPolicy === 'Min'
  return direction > 0 === isSmallest ? Math.min(...limits) : Math.max(...limits)
}
