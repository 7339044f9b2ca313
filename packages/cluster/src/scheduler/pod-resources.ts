import type { Container, Pod } from '@tiphys/kube/kinds'
import { type Amounts, addAmounts, amountsOf, raiseAmounts } from './resource-amounts.ts'

/** What a container that asks for nothing counts as when nodes are compared. */
const ASSUMED_CPU = 100
const ASSUMED_MEMORY = 200 * 1024 * 1024
const POD_LEVEL = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/** What a pod needs of its node: the sum of its containers and sidecars, or more while its init containers run, and the
 *  overhead of its runtime class. */
export function podRequests(pod: Pod): Amounts {
  return sumOfPod(pod, ({ resources }) => amountsOf(resources?.requests))
}

/** The same, where a container that asks for no CPU or memory counts as a small one: many pods without requests should not
 *  look like none. */
export function podWeight(pod: Pod): { cpu: number; memory: number } {
  const sum = sumOfPod(pod, ({ resources }) => {
    const requests = amountsOf(resources?.requests)
    if (!requests.has('cpu')) requests.set('cpu', ASSUMED_CPU)
    if (!requests.has('memory')) requests.set('memory', ASSUMED_MEMORY)
    return requests
  })
  return { cpu: sum.get('cpu') ?? 0, memory: sum.get('memory') ?? 0 }
}

function sumOfPod({ spec }: Pod, requestsOf: (container: Container) => Amounts): Amounts {
  const sum = new Map<string, number>()
  for (const container of spec?.containers ?? []) addAmounts(sum, requestsOf(container))
  const sidecars = new Map<string, number>()
  const startup = new Map<string, number>()
  for (const container of spec?.initContainers ?? []) {
    const requests = requestsOf(container)
    if (container.restartPolicy === 'Always') {
      addAmounts(sum, requests)
      addAmounts(sidecars, requests)
      raiseAmounts(startup, sidecars)
    } else {
      const during = new Map(sidecars)
      addAmounts(during, requests)
      raiseAmounts(startup, during)
    }
  }
  raiseAmounts(sum, startup)
  for (const [name, amount] of amountsOf(spec?.resources?.requests)) if (POD_LEVEL(name)) sum.set(name, amount)
  addAmounts(sum, amountsOf(spec?.overhead))
  return sum
}

/** The ports of the machine that a pod takes, as `protocol/port` with the address they are taken on. */
export interface HostPort {
  port: string
  address: string
}

export function hostPorts({ spec }: Pod): HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ port: `${protocol ?? 'TCP'}/${hostPort}`, address: hostIP || '0.0.0.0' }] : [],
    ),
  )
}

export const isSamePort = (a: HostPort, b: HostPort) =>
  a.port === b.port && (a.address === b.address || a.address === '0.0.0.0' || b.address === '0.0.0.0')
