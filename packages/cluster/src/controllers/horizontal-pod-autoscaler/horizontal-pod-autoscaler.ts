import { asError } from '@tiphys/env'
import { Quantity } from '@tiphys/expressions/quantity'
import { isConflict, kindRef, type ObjectRef, parseLabelSelector, type SharedCache } from '@tiphys/kube'
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  Pod,
  Scale,
} from '@tiphys/kube/kinds'
import { formatTime } from '../../timestamp.ts'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { statusOf, updateStatus } from '../status.ts'
import { apiMetricsSource, type MetricsSource } from './metrics-source.ts'
import { type Proposal, proposeReplicas, type Tolerances, type UsageTarget } from './replica-calculation.ts'
import { afterScaling, limitReplicas, noMemory, type ScalingMemory } from './scaling-limits.ts'

const PERIOD_MS = 15_000
const TOLERANCE = 0.1
const MOST_ATTEMPTS = 5

/** What a metric comes to. */
interface Reading {
  replicas: number
  /** How the metric is called in messages. */
  name: string
  status: MetricStatus
}

/** A metric could not be read. `reason` is that of the condition. */
class MetricError extends Error {
  readonly reason: string
  /** What the metric is called in the error that sums up. */
  readonly of: string

  constructor(reason: string, of: string, message: string) {
    super(message)
    this.name = 'MetricError'
    this.reason = reason
    this.of = of
  }
}

/** What an autoscaler wants. */
interface Decision {
  /** Undefined when metrics do not let it be said. */
  desired: number | undefined
  /** The reason for another size, or for not knowing one. */
  why: string
  currentMetrics?: MetricStatus[]
}

type ConditionSetter = ReturnType<typeof conditionSetter>

/** Sizes workloads by what their pods use. Metrics come from the API unless another source is given. */
export function createHorizontalPodAutoscalerController(
  context: ControllerContext,
  metrics: MetricsSource = apiMetricsSource(context.client),
): Controller {
  const { client, env } = context
  const recorder = context.recorder('horizontal-pod-autoscaler')
  const memories = new Map<string, ScalingMemory>()
  const looks = new Map<string, { at: number; generation: number | undefined }>()

  const wake = wakeBy<HorizontalPodAutoscaler>(
    context,
    kindRef('autoscaling/v2', 'HorizontalPodAutoscaler'),
    ({ object }) => [keyOfObject(object)],
  )
  const autoscalers: SharedCache<HorizontalPodAutoscaler> = wake.cache

  const store = (hpa: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus) =>
    updateStatus(client, hpa, statusOf(status, ['desiredReplicas', 'currentMetrics']))

  const selectedPods = async (namespace: string, labelSelector: string) => {
    const { items } = await client.list<Pod>({ ...kindRef<Pod>('v1', 'Pod'), namespace, labelSelector })
    return items
  }

  const read = async (hpa: HorizontalPodAutoscaler, metric: MetricSpec, scale: Scale): Promise<Reading> => {
    const source = metric.type === 'Resource' ? metric.resource : metric.containerResource
    if ((metric.type !== 'Resource' && metric.type !== 'ContainerResource') || !source) throw unservedMetric(metric)
    const container = metric.containerResource?.container
    const reason = container === undefined ? 'FailedGetResourceMetric' : 'FailedGetContainerResourceMetric'
    const of = container === undefined ? `${source.name} resource metric` : `${container} container metric`
    const { namespace = '' } = hpa.metadata
    const selector = scale.status?.selector ?? ''
    const usageTarget: UsageTarget = {
      resource: source.name,
      target: targetOf(source.target),
      ...(container !== undefined && { container }),
    }
    let proposal: Proposal
    try {
      const usages = await metrics.resourceUsage(namespace, selector, source.name, container).catch(thrown => {
        throw new Error(`unable to get metrics for resource ${source.name}: ${asError(thrown).message}`)
      })
      const pods = await selectedPods(namespace, selector)
      const replicas = scale.spec?.replicas ?? 0
      proposal = proposeReplicas(pods, usages, usageTarget, tolerancesOf(hpa), replicas, env.clock.now())
    } catch (thrown) {
      const what = source.target.averageValue === undefined ? 'utilization' : 'usage'
      throw new MetricError(reason, of, `failed to get ${source.name} ${what}: ${asError(thrown).message}`)
    }
    return readingOf(metric, source, proposal)
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const hpa = autoscalers.get(name, namespace)
    if (!hpa) {
      memories.delete(key)
      looks.delete(key)
      return undefined
    }
    const { generation } = hpa.metadata
    const now = env.clock.now()
    const look = looks.get(key)
    if (look && look.generation === generation && now < look.at + PERIOD_MS) return look.at + PERIOD_MS - now
    looks.set(key, { at: now, generation })
    await autoscale(key, hpa, now)
    return PERIOD_MS
  }

  const autoscale = async (key: string, hpa: HorizontalPodAutoscaler, now: number): Promise<void> => {
    const { kind, name, apiVersion = 'v1' } = hpa.spec.scaleTargetRef
    const { namespace = '' } = hpa.metadata
    const target = { apiVersion, kind, namespace, name }
    const set = conditionSetter(hpa.status?.conditions ?? [], now)
    const kept: HorizontalPodAutoscalerStatus = { desiredReplicas: 0, ...hpa.status }
    let scale: Scale
    try {
      scale = await client.subresource<Scale>('get', target, 'scale')
    } catch (thrown) {
      const { message } = asError(thrown)
      recorder.warning(hpa, 'FailedGetScale', message)
      set('AbleToScale', 'False', 'FailedGetScale', `${unable("get the target's current scale")}: ${message}`)
      await store(hpa, { ...kept, conditions: set.all() })
      return
    }
    set('AbleToScale', 'True', 'SucceededGetScale', `the HPA controller was able to get the target's current scale`)
    const current = scale.spec?.replicas ?? 0
    const { desired, why, ...metricsRead } = await decide(key, hpa, scale, set, now)
    if (desired === undefined) {
      await store(hpa, { ...kept, currentReplicas: current, ...metricsRead, conditions: set.all() })
      recorder.warning(hpa, 'FailedComputeMetricsReplicas', why)
      return
    }
    if (desired !== current) {
      try {
        await resize(target, scale, desired)
      } catch (thrown) {
        const { message } = asError(thrown)
        recorder.warning(hpa, 'FailedRescale', `New size: ${desired}; reason: ${why}; error: ${message}`)
        set('AbleToScale', 'False', 'FailedUpdateScale', `${unable('update the target scale')}: ${message}`)
        await store(hpa, { ...kept, currentReplicas: current, ...metricsRead, conditions: set.all() })
        throw thrown
      }
      const message = `the HPA controller was able to update the target scale to ${desired}`
      set('AbleToScale', 'True', 'SucceededRescale', message)
      recorder.normal(hpa, 'SuccessfulRescale', `New size: ${desired}; reason: ${why}`)
      memories.set(key, afterScaling(memories.get(key) ?? noMemory, current, desired, now))
    }
    const lastScaleTime = desired === current ? hpa.status?.lastScaleTime : formatTime(now)
    await store(hpa, {
      ...(lastScaleTime !== undefined && { lastScaleTime }),
      currentReplicas: current,
      desiredReplicas: desired,
      ...metricsRead,
      conditions: set.all(),
    })
  }

  const decide = async (
    key: string,
    hpa: HorizontalPodAutoscaler,
    scale: Scale,
    set: ConditionSetter,
    now: number,
  ): Promise<Decision> => {
    const { minReplicas = 1, maxReplicas } = hpa.spec
    const current = scale.spec?.replicas ?? 0
    const memory = memories.get(key) ?? { ...noMemory, recommendations: [{ at: now, replicas: current }] }
    memories.set(key, memory)
    if (current === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero'
      set('ScalingActive', 'False', 'ScalingDisabled', message)
      return { desired: current, why: '' }
    }
    if (current > maxReplicas) return { desired: maxReplicas, why: 'Current number of replicas above Spec.MaxReplicas' }
    if (current < minReplicas) return { desired: minReplicas, why: 'Current number of replicas below Spec.MinReplicas' }

    const { readings, failures } = await readAll(hpa, scale)
    const currentMetrics = readings.map(reading => reading?.status ?? { type: '' })
    const highest = highestOf(readings)
    const [failure] = failures
    if (failure && (!highest || highest.replicas < current)) {
      const message = `the HPA was unable to compute the replica count: ${failure.message}`
      set('ScalingActive', 'False', failure.reason, message)
      return { desired: undefined, why: summary(failures, readings.length), currentMetrics }
    }
    const metric = highest?.name ?? ''
    const found = `the HPA was able to successfully calculate a replica count from ${metric}`
    set('ScalingActive', 'True', 'ValidMetricFound', found)
    const recommended = highest?.replicas ?? current
    const { replicas, ableToScale, limited, memory: after } = limitReplicas(hpa.spec, memory, current, recommended, now)
    set('AbleToScale', 'True', ableToScale.reason, ableToScale.message)
    set('ScalingLimited', limited.status, limited.reason, limited.message)
    memories.set(key, after)
    const why = recommended < current ? 'All metrics below target' : `${metric} above target`
    return { desired: replicas, why, currentMetrics }
  }

  /** Others write to the target too: its newest version is taken until nobody was faster. */
  const resize = async (target: ObjectRef, read: Scale, replicas: number): Promise<void> => {
    let scale = read
    for (let attempt = 1; ; attempt++) {
      try {
        await client.subresource<Scale>('update', target, 'scale', { ...scale, spec: { ...scale.spec, replicas } })
        return
      } catch (thrown) {
        if (!isConflict(thrown) || attempt === MOST_ATTEMPTS) throw thrown
        scale = await client.subresource<Scale>('get', target, 'scale')
      }
    }
  }

  const readAll = async (hpa: HorizontalPodAutoscaler, scale: Scale) => {
    const selector = scale.status?.selector ?? ''
    if (selector === '') {
      recorder.warning(hpa, 'SelectorRequired', 'selector is required')
      const missing = "the HPA target's scale is missing a selector"
      return { readings: [undefined], failures: [new MetricError('InvalidSelector', missing, missing)] }
    }
    parseLabelSelector(selector)
    const readings: (Reading | undefined)[] = []
    const failures: MetricError[] = []
    for (const metric of hpa.spec.metrics ?? []) {
      try {
        readings.push(await read(hpa, metric, scale))
      } catch (thrown) {
        if (!(thrown instanceof MetricError)) throw thrown
        recorder.warning(hpa, thrown.reason, thrown.message)
        readings.push(undefined)
        failures.push(thrown)
      }
    }
    return { readings, failures }
  }

  return createReconciler(context, { name: 'horizontalpodautoscaler', wakes: [wake], reconcile })
}

const unable = (what: string) => `the HPA controller was unable to ${what}`

function summary(failures: readonly MetricError[], count: number): string {
  const [first] = failures
  const invalid = `invalid metrics (${failures.length} invalid out of ${count})`
  return `${invalid}, first error is: failed to get ${first?.of} value: ${first?.message}`
}

function highestOf(readings: readonly (Reading | undefined)[]): Reading | undefined {
  let highest: Reading | undefined
  for (const reading of readings) if (reading && (!highest || reading.replicas > highest.replicas)) highest = reading
  return highest
}

/** Conditions keep their places; their time changes with their status. */
function conditionSetter(before: readonly HorizontalPodAutoscalerCondition[], now: number) {
  const conditions = before.map(condition => ({ ...condition }))
  const set = (type: string, status: string, reason: string, message: string) => {
    const known = conditions.find(condition => condition.type === type)
    if (known?.status === status) Object.assign(known, { reason, message })
    else {
      const changed = { type, status, lastTransitionTime: formatTime(now), reason, message }
      if (known) Object.assign(known, changed)
      else conditions.push(changed)
    }
  }
  return Object.assign(set, { all: () => conditions })
}

function tolerancesOf({ spec: { behavior } }: HorizontalPodAutoscaler): Tolerances {
  const read = (text: string | undefined) =>
    text === undefined ? TOLERANCE : Quantity.parse(text).asApproximateFloat()
  return { up: read(behavior?.scaleUp?.tolerance), down: read(behavior?.scaleDown?.tolerance) }
}

function targetOf({ averageValue, averageUtilization = 0 }: MetricTarget): UsageTarget['target'] {
  if (averageValue === undefined) return { utilization: averageUtilization }
  return { milli: Number(Quantity.parse(averageValue).scaledValue(-3)) }
}

function readingOf(
  { type, containerResource }: MetricSpec,
  { name: resource, target }: { name: string; target: MetricTarget },
  { replicas, milli, utilization }: Proposal,
): Reading {
  const current = {
    ...(utilization !== undefined && { averageUtilization: utilization }),
    averageValue: quantityOf(resource, milli),
  }
  const ofContainer = containerResource ? 'container ' : ''
  const percentage = `${resource} ${ofContainer}resource utilization (percentage of request)`
  const status: MetricStatus = containerResource
    ? { type, containerResource: { name: resource, container: containerResource.container, current } }
    : { type, resource: { name: resource, current } }
  return { replicas, name: target.averageValue === undefined ? percentage : `${resource} resource`, status }
}

/** Memory is written in binary units, everything else in decimal ones. */
function quantityOf(resource: string, milli: number): string {
  const isBinary = resource === 'memory' && milli % 1000 === 0
  return isBinary ? Quantity.of(BigInt(milli / 1000), 'BinarySI').toString() : Quantity.parse(`${milli}m`).toString()
}

/** Metrics of pods, objects and beyond the cluster come from APIs that are not served here. */
function unservedMetric({ type, pods, object, external }: MetricSpec): MetricError {
  const custom =
    'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered'
  if (type === 'Pods')
    return new MetricError('FailedGetPodsMetric', 'pods metric', `unable to get metric ${pods?.metric.name}: ${custom}`)
  if (type === 'Object') {
    const message = `unable to get metric ${object?.metric.name}: ${custom}`
    return new MetricError('FailedGetObjectMetric', 'object metric', message)
  }
  const name = external?.metric.name ?? ''
  const absent = `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`
  const message = `unable to get external metric ${name}: unable to fetch metrics from external metrics API: ${absent}`
  return new MetricError('FailedGetExternalMetric', `${name} external metric`, message)
}
