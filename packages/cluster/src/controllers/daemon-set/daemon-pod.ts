import type { Affinity, ControllerRevision, DaemonSet, Node, Pod, Toleration } from '@tiphys/kube/kinds'
import { isTolerated, isWanted, keepsAway } from '../../scheduler/node-matching.ts'
import { podFromTemplate } from '../pods/pod-template.ts'

export const HASH_LABEL = 'controller-revision-hash'
const GENERATION_LABEL = 'pod-template-generation'
const GENERATION = 'deprecated.daemonset.template.generation'

/** Troubles of a node that its daemons stay through. */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]
const OF_HOST_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** The pod of a DaemonSet for one node, pinned to it for the scheduler. */
export function podForNode(set: DaemonSet, revision: ControllerRevision, node: string): Pod {
  const pod = podFromTemplate(set.spec?.template, set)
  const generation = templateGeneration(set)
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
        [HASH_LABEL]: hashOf(revision),
      },
    },
    spec: { ...pod.spec, tolerations: tolerationsOf(set), affinity: pinnedTo(node, pod.spec.affinity) },
  }
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[HASH_LABEL] ?? ''

/** It was made from the set's present template. */
export function isUpToDate({ metadata: { labels = {} } }: Pod, set: DaemonSet, revision: ControllerRevision): boolean {
  const generation = templateGeneration(set)
  if (generation !== undefined && labels[GENERATION_LABEL] === generation) return true
  return hashOf(revision) !== '' && labels[HASH_LABEL] === hashOf(revision)
}

function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[GENERATION]
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(Number(text)) : undefined
}

/** The node that a pod runs on or is pinned to. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields)
  const pin = fields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')
  return pin?.values?.length === 1 ? pin.values[0] : undefined
}

/** Whether a node should have a pod of the set: `run` if it has none yet, `stay` for one that is there. */
export function fits(set: DaemonSet, node: Node): { run: boolean; stay: boolean } {
  const template = set.spec?.template
  const { name } = node.metadata
  const nodeName = template?.spec?.nodeName ?? ''
  const pod = { spec: template?.spec, metadata: {} } as Pod
  if ((nodeName !== '' && nodeName !== name) || !isWanted(pod, node)) return { run: false, stay: false }
  const tolerations = tolerationsOf(set)
  const resented = (node.spec?.taints ?? []).filter(taint => keepsAway(taint) && !isTolerated(taint, tolerations))
  return { run: resented.length === 0, stay: resented.every(({ effect }) => effect !== 'NoExecute') }
}

function tolerationsOf({ spec }: DaemonSet): Toleration[] {
  const { tolerations = [], hostNetwork } = spec?.template.spec ?? {}
  const added = hostNetwork ? [...TOLERATIONS, OF_HOST_NETWORK] : TOLERATIONS
  const isReplaced = (given: Toleration) => added.some(toleration => isSameToleration(toleration, given))
  const missing = added.filter(toleration => !tolerations.some(given => isSameToleration(toleration, given)))
  // Without the time limit that it may have been given.
  const kept = tolerations.map(given => (isReplaced(given) ? withoutLimit(given) : given))
  return [...kept, ...missing]
}

const isSameToleration = (a: Toleration, b: Toleration) =>
  a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '')

function withoutLimit(toleration: Toleration): Toleration {
  const { tolerationSeconds: _, ...unlimited } = toleration
  return unlimited
}

const pinnedTo = (node: string, affinity: Affinity | undefined): Affinity => ({
  ...affinity,
  nodeAffinity: {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
})

/** Pods on a node before those that wait for it, older ones first. */
export function compareDaemons(a: Pod, b: Pod): number {
  const isScheduled = ({ spec }: Pod) => (spec?.nodeName ? 1 : 0)
  return (
    isScheduled(b) - isScheduled(a) ||
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name ?? '', b.metadata.name ?? '')
  )
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
