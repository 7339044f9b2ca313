import { Quantity } from '@tiphys/expressions/quantity'
import type { Pod } from '@tiphys/kube/kinds'
import { readyCondition } from '../pods/readiness.ts'
import type { PodUsage } from './metrics-source.ts'

const CPU_INITIALIZATION_MS = 300_000
const INITIAL_READINESS_MS = 30_000

/** By how much usage may differ from its target before anything is done. */
export interface Tolerances {
  up: number
  down: number
}

export interface UsageTarget {
  resource: string
  container?: string
  /** Percent of what the pods request, or thousandths of the resource's unit for each pod. */
  target: { utilization: number } | { milli: number }
}

export interface Proposal {
  replicas: number
  /** The average usage of a pod, in thousandths of the unit. */
  milli: number
  /** In percent; only for a target in percent. */
  utilization?: number
}

/** How many replicas would bring the usage to its target. Throws when that cannot be said; the message is for people. */
export function proposeReplicas(
  pods: readonly Pod[],
  usages: ReadonlyMap<string, PodUsage>,
  { resource, container, target }: UsageTarget,
  tolerances: Tolerances,
  currentReplicas: number,
  now: number,
): Proposal {
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count')
  const { ready, unready, missing, counted } = groupPods(pods, usages, resource, now)
  if (counted.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)')
  const requests = 'utilization' in target ? requestsOf(pods, container, resource) : undefined
  const measure = (values: ReadonlyMap<string, number>) => ratioOf(values, target, requests)
  const isTolerable = (ratio: number) => 1 - tolerances.down <= ratio && ratio <= 1 + tolerances.up

  const first = measure(counted)
  const { ratio, ...shown } = first
  const countsUnready = unready.length > 0 && ratio > 1
  if (!countsUnready && missing.length === 0)
    return { ...shown, replicas: isTolerable(ratio) ? currentReplicas : Math.ceil(ratio * ready) }

  // What is not known is assumed so that it makes the change smaller.
  const assumed = new Map(counted)
  if (ratio !== 1) for (const name of missing) assumed.set(name, ratio > 1 ? 0 : assumedUsage(target, requests, name))
  if (countsUnready) for (const name of unready) assumed.set(name, 0)
  const second = measure(assumed).ratio
  const isTurned = (ratio < 1 && second > 1) || (ratio > 1 && second < 1)
  if (isTolerable(second) || isTurned) return { ...shown, replicas: currentReplicas }
  const replicas = Math.ceil(second * assumed.size)
  const isWrongWay = (second < 1 && replicas > currentReplicas) || (second > 1 && replicas < currentReplicas)
  return { ...shown, replicas: isWrongWay ? currentReplicas : replicas }
}

function assumedUsage(
  target: UsageTarget['target'],
  requests: ReadonlyMap<string, number> | undefined,
  name: string,
): number {
  if ('milli' in target) return target.milli
  return Math.trunc(((requests?.get(name) ?? 0) * Math.max(100, target.utilization)) / 100)
}

function ratioOf(
  values: ReadonlyMap<string, number>,
  target: UsageTarget['target'],
  requests: ReadonlyMap<string, number> | undefined,
): { ratio: number; milli: number; utilization?: number } {
  let used = 0
  let requested = 0
  let count = 0
  for (const [name, milli] of values) {
    if (requests && !requests.has(name)) continue
    used += milli
    requested += requests?.get(name) ?? 0
    count++
  }
  const milli = Math.trunc(used / count)
  if ('milli' in target) return { ratio: milli / target.milli, milli }
  if (requested === 0) throw new Error('no metrics returned matched known pods')
  const utilization = Math.trunc((used * 100) / requested)
  return { ratio: utilization / target.utilization, milli, utilization }
}

function groupPods(pods: readonly Pod[], usages: ReadonlyMap<string, PodUsage>, resource: string, now: number) {
  const counted = new Map([...usages].map(([name, { milli }]) => [name, milli]))
  const unready: string[] = []
  const missing: string[] = []
  let ready = 0
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata
    const usage = usages.get(name)
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') counted.delete(name)
    else if (pod.status?.phase === 'Pending' || (usage && resource === 'cpu' && isStillStarting(pod, usage, now))) {
      counted.delete(name)
      unready.push(name)
    } else if (usage) ready++
    else missing.push(name)
  }
  return { ready, unready, missing, counted }
}

/** The CPU that a pod uses while it starts says nothing about what it will use. */
function isStillStarting(pod: Pod, usage: PodUsage, now: number): boolean {
  const condition = readyCondition(pod)
  const { startTime } = pod.status ?? {}
  if (!condition || !startTime) return true
  const started = Date.parse(startTime)
  const changed = Date.parse(condition.lastTransitionTime ?? '')
  if (started + CPU_INITIALIZATION_MS > now) return condition.status === 'False' || usage.at < changed + usage.windowMs
  return condition.status === 'False' && started + INITIAL_READINESS_MS > changed
}

/** What each pod requests of a resource, in thousandths of its unit. */
function requestsOf(pods: readonly Pod[], only: string | undefined, resource: string): Map<string, number> {
  return new Map(pods.map(pod => [pod.metadata.name ?? '', requestOf(pod, only, resource)]))
}

function requestOf({ metadata, spec }: Pod, only: string | undefined, resource: string): number {
  const milli = (text: string) => Number(Quantity.parse(text).scaledValue(-3))
  const ofPod = spec?.resources?.requests
  if (only === undefined && ofPod && Object.keys(ofPod).length > 0) {
    const request = ofPod[resource]
    if (request === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${metadata.name}`)
    return milli(request)
  }
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? []
  const containers = [...(spec?.containers ?? []), ...sidecars].filter(
    ({ name }) => only === undefined || name === only,
  )
  if (only !== undefined && containers.length === 0)
    throw new Error(`container ${only} not found in Pod ${metadata.name}`)
  let sum = 0
  for (const { name, resources } of containers) {
    const request = resources?.requests?.[resource]
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`)
    sum += milli(request)
  }
  return sum
}
