import type { Node, NodeCondition, Taint } from '@tiphys/kube/kinds'

/** How long a node may be silent. */
export const SILENCE_GRACE_MS = 50_000
/** How long a node that has never said anything may be silent. */
export const STARTUP_GRACE_MS = 60_000

/** Whether a node that has been silent for so long still counts as alive. */
export const graceOf = (node: Node) => (conditionOf(node, 'Ready') ? SILENCE_GRACE_MS : STARTUP_GRACE_MS)

export const conditionOf = ({ status }: Node, type: string) => status?.conditions?.find(each => each.type === type)

const WATCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** The conditions of a node that has fallen silent: nobody knows. Undefined when they say so already. */
export function silentConditions(node: Node, now: string): NodeCondition[] | undefined {
  const conditions = [...(node.status?.conditions ?? [])]
  let isChanged = false
  for (const type of WATCHED) {
    const at = conditions.findIndex(each => each.type === type)
    const current = conditions[at]
    if (current?.status === 'Unknown') continue
    isChanged = true
    const created = node.metadata.creationTimestamp
    const unknown = current
      ? { ...current, status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
      : {
          type,
          status: 'Unknown',
          reason: 'NodeStatusNeverUpdated',
          message: 'Kubelet never posted node status.',
          ...(created ? { lastHeartbeatTime: created } : {}),
        }
    conditions.splice(at < 0 ? conditions.length : at, at < 0 ? 0 : 1, { ...unknown, lastTransitionTime: now })
  }
  return isChanged ? conditions : undefined
}

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
const TAINT_OF_CONDITION: readonly [type: string, status: string, key: string][] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
]
const KEPT_KEYS = new Set([...TAINT_OF_CONDITION.map(([, , key]) => key), UNSCHEDULABLE])

/** The taints that a node's conditions ask for, beside those that others gave it. Undefined when it has them already. */
export function conditionTaints(node: Node, now: string): Taint[] | undefined {
  const current = node.spec?.taints ?? []
  const ready = conditionOf(node, 'Ready')?.status
  const wanted = [
    ...TAINT_OF_CONDITION.filter(([type, status]) => conditionOf(node, type)?.status === status).map(([, , key]) => ({
      key,
      effect: 'NoSchedule',
    })),
    ...(node.spec?.unschedulable ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }] : []),
    ...(ready === 'False' ? [{ key: NOT_READY, effect: 'NoExecute' }] : []),
    ...(ready === 'Unknown' ? [{ key: UNREACHABLE, effect: 'NoExecute' }] : []),
  ]
  // A node that has not spoken yet keeps what it was born with.
  const isOurs = ({ key, effect }: Taint) =>
    effect === 'NoExecute' ? key === NOT_READY || key === UNREACHABLE : effect === 'NoSchedule' && KEPT_KEYS.has(key)
  const isKept = (taint: Taint) =>
    !isOurs(taint) || wanted.some(({ key, effect }) => key === taint.key && effect === taint.effect)
  const kept = current.filter(isKept)
  const added = wanted.filter(({ key, effect }) => !kept.some(each => each.key === key && each.effect === effect))
  if (added.length === 0 && kept.length === current.length) return undefined
  return [...kept, ...added.map(taint => ({ ...taint, timeAdded: now }))]
}

const COPIED_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const

/** Labels that old clients look for, where they differ from the ones they stand for. */
export function missingLabels({ metadata }: Node): Record<string, string> | undefined {
  const labels = metadata.labels ?? {}
  const missing = COPIED_LABELS.flatMap(([from, to]) => {
    const value = labels[from]
    return value !== undefined && labels[to] !== value ? [[to, value] as const] : []
  })
  return missing.length === 0 ? undefined : Object.fromEntries(missing)
}

const TTL = 'node.alpha.kubernetes.io/ttl'
const TTL_BY_NODES: readonly [nodes: number, seconds: number][] = [
  [100, 0],
  [500, 15],
  [1000, 30],
  [2000, 60],
]

/** How long a node may keep what it has read of secrets and the like: the longer, the more nodes there are. Undefined when
 *  it says so already. */
export function missingTtl({ metadata }: Node, nodes: number): Record<string, string> | undefined {
  const [, seconds] = TTL_BY_NODES.find(([most]) => nodes <= most) ?? [0, 300]
  return metadata.annotations?.[TTL] === String(seconds) ? undefined : { [TTL]: String(seconds) }
}
