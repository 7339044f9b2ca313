import { Quantity } from '@tiphys/expressions/quantity'
import type { Container, ContainerStatus, Pod } from '@tiphys/kube/kinds'

/** For how long a pod has had its resources, in seconds by the resource: of one core, of 100Mi of memory, of 10Gi of storage. */
export type ResourcesDuration = Record<string, number>

type Amounts = Readonly<Record<string, string | number>>

const assumed: Amounts = { cpu: '100m', memory: '100Mi' }

const units: Readonly<Record<string, bigint>> = {
  memory: 100n * 2n ** 20n,
  storage: 10n * 2n ** 30n,
  'ephemeral-storage': 10n * 2n ** 30n,
}

/** What a pod that has ended comes to, as upstream counts: a container counts with its requests, else its limits, else 100m and
 *  100Mi, in whole seconds, and a part of a core as a core. What a pod has for all of its containers counts once, for the first
 *  of them that asks for nothing itself. */
export function resourcesDurationOf({ spec, status }: Pod): ResourcesDuration {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const sum: ResourcesDuration = {}
  let shared: Amounts | undefined = amountsOf(spec?.resources)
  for (const { name, resources } of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    const seconds = secondsOf(statuses.find(is => is.name === name))
    const own = amountsOf(resources)
    const amounts = { ...assumed, ...own }
    if (shared !== undefined && Object.keys(own).length === 0) {
      Object.assign(amounts, shared)
      shared = undefined
    }
    for (const [resource, amount] of Object.entries(amounts)) {
      const whole = Quantity.parse(String(amount)).scaledValue(0)
      sum[resource] = (sum[resource] ?? 0) + Number((whole * BigInt(seconds)) / (units[resource] ?? 1n))
    }
  }
  return sum
}

/** Adds to a sum, or begins one. Returns the sum. */
export function addResources(sum: ResourcesDuration = {}, more: Readonly<ResourcesDuration>): ResourcesDuration {
  for (const resource in more) sum[resource] = (sum[resource] ?? 0) + (more[resource] ?? 0)
  return sum
}

const amountsOf = (resources: Container['resources']): Amounts => ({ ...resources?.limits, ...resources?.requests })

/** How long a container ran. One that never started, or still runs, does not count. */
function secondsOf(status: ContainerStatus | undefined): number {
  const { startedAt, finishedAt } = status?.state?.terminated ?? {}
  const began = Date.parse(startedAt ?? '')
  const seconds = Math.trunc((Date.parse(finishedAt ?? '') - began) / 1000)
  return began > 0 && seconds > 0 ? seconds : 0
}
