import type { DaemonSetStatus } from '@tiphys/kube/kinds'
import { isAvailable, isReady } from '../pods/readiness.ts'
import { statusOf } from '../status.ts'
import { groupByNode, type ObservedDaemons } from './daemon-plan.ts'
import { compareDaemons, fits, isUpToDate } from './daemon-pod.ts'

export function statusOfDaemons({
  set,
  revision,
  nodes,
  pods,
  now,
}: Omit<ObservedDaemons, 'mayReplace'>): DaemonSetStatus {
  const byNode = groupByNode(pods)
  const minReadySeconds = set.spec?.minReadySeconds ?? 0
  const oldestOn = (node: string) => byNode.get(node)?.toSorted(compareDaemons)[0]
  const names = (isWanted: boolean) =>
    nodes.filter(node => fits(set, node).run === isWanted).map(({ metadata }) => metadata.name ?? '')
  const wanted = names(true)
  const daemons = wanted.flatMap(node => oldestOn(node) ?? [])
  const available = daemons.filter(pod => isAvailable(pod, minReadySeconds, now)).length
  const { collisionCount, conditions = [] } = set.status ?? {}
  return statusOf<DaemonSetStatus>(
    {
      observedGeneration: set.metadata.generation ?? 0,
      desiredNumberScheduled: wanted.length,
      currentNumberScheduled: daemons.length,
      numberMisscheduled: names(false).filter(node => byNode.has(node)).length,
      numberReady: daemons.filter(isReady).length,
      updatedNumberScheduled: daemons.filter(pod => isUpToDate(pod, set, revision)).length,
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
      ...(collisionCount === undefined ? {} : { collisionCount }),
      conditions,
    },
    ['desiredNumberScheduled', 'currentNumberScheduled', 'numberMisscheduled', 'numberReady', 'collisionCount'],
  )
}
