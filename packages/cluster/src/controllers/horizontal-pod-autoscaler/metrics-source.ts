import { asError } from '@tiphys/env'
import { parseDuration } from '@tiphys/expressions/duration'
import { Quantity } from '@tiphys/expressions/quantity'
import { ApiError, type Client, isNotFound, type KubeObject } from '@tiphys/kube'

/** What one pod used lately of a resource. */
export interface PodUsage {
  /** In thousandths of the resource's unit. */
  milli: number
  /** The end of the time over which it was measured, and how long that was, in milliseconds. */
  at: number
  windowMs: number
}

/** Tells what pods use. */
export interface MetricsSource {
  /** The usage of the pods that a label selector selects, by the pods' names: of all containers together, or of the named
   *  one. A pod of which it is not known is left out. Throws when nothing can be known; the message is for people. */
  resourceUsage(
    namespace: string,
    selector: string,
    resource: string,
    container: string | undefined,
  ): Promise<ReadonlyMap<string, PodUsage>>
}

interface PodMetrics extends KubeObject {
  timestamp?: string
  window?: string
  containers?: { name: string; usage?: Record<string, string> }[]
}

const KIND = { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' }

/** The usage that a metrics server offers through the API, where there is one. */
export function apiMetricsSource(client: Client): MetricsSource {
  return {
    async resourceUsage(namespace, selector, resource, container) {
      const items = await listMetrics(client, namespace, selector)
      if (items.length === 0) throw new Error('no metrics returned from resource metrics API')
      const usages = new Map<string, PodUsage>()
      for (const item of items) {
        const milli = usageOf(item, resource, container)
        if (milli === undefined) continue
        const windowMs = Number(parseDuration(item.window ?? '0') / 1_000_000n)
        usages.set(item.metadata.name ?? '', { milli, at: Date.parse(item.timestamp ?? ''), windowMs })
      }
      return usages
    },
  }
}

async function listMetrics(client: Client, namespace: string, labelSelector: string): Promise<PodMetrics[]> {
  try {
    const isServed = (await client.resources()).some(
      ({ group, kind }) => group === 'metrics.k8s.io' && kind === KIND.kind,
    )
    if (!isServed) throw new Error('the server could not find the requested resource (get pods.metrics.k8s.io)')
    const { items } = await client.list<PodMetrics>({ ...KIND, namespace, labelSelector })
    return items
  } catch (thrown) {
    const { message } = asError(thrown)
    const isAbsent = thrown instanceof ApiError && isNotFound(thrown)
    const why = isAbsent ? 'the server could not find the requested resource (get pods.metrics.k8s.io)' : message
    throw new Error(`unable to fetch metrics from resource metrics API: ${why}`, { cause: thrown })
  }
}

function usageOf({ containers = [] }: PodMetrics, resource: string, only: string | undefined): number | undefined {
  const counted = only === undefined ? containers : containers.filter(({ name }) => name === only)
  if (counted.length === 0) return undefined
  let sum = 0
  for (const { usage } of counted) {
    const text = usage?.[resource]
    if (text === undefined) return undefined
    sum += Number(Quantity.parse(text).scaledValue(-3))
  }
  return sum
}
