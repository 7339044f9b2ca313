import type { Container, Job, Pod } from '@tiphys/kube/kinds'
import { podFromTemplate } from '../pods/pod-template.ts'
import { isReady, readyCondition } from '../pods/readiness.ts'
import { judgeFailure } from './failure-policy.ts'

/** Keeps a pod in the API until its Job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
const INDEX = 'batch.kubernetes.io/job-completion-index'
const FAILURES = 'batch.kubernetes.io/job-index-failure-count'
const IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count'
/** What the server's random ending leaves of a name. */
const LONGEST_PREFIX = 58

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING) ?? false

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed'

/** Undefined when the pod has none that can be read. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? ''
  return /^\+?\d+$/.test(text) ? Number(text) : undefined
}

/** Whether a pod takes the place of one that has ended only, not of one that is still ending. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined

export function isFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed') return true
  return !replacesOnlyFailed(job) && metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded'
}

export const isSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded'

export const countedFailures = (pod: Pod): number => annotatedCount(pod, FAILURES)
export const allFailures = (pod: Pod): number => countedFailures(pod) + annotatedCount(pod, IGNORED_FAILURES)

function annotatedCount({ metadata }: Pod, name: string): number {
  const count = Number(metadata.annotations?.[name] ?? '0')
  return Number.isInteger(count) && count >= 0 && count < 2 ** 31 ? count : 0
}

/** A pod of a Job without indexes. */
export function podOf(job: Job): Pod {
  const pod = podFromTemplate(job.spec?.template, job)
  pod.metadata.finalizers = [...new Set([...(pod.metadata.finalizers ?? []), TRACKING])]
  return pod
}

/** The pod of one index. With a backoff limit per index it carries on the count of failures of the pod that it replaces. */
export function podOfIndex(job: Job, index: number, replaced: Pod | undefined): Pod {
  const pod = podOf(job)
  const { name = '' } = job.metadata
  const ending = `-${index}-`
  pod.metadata.generateName = `${name.slice(0, LONGEST_PREFIX - ending.length)}${ending}`
  pod.metadata.labels = { ...pod.metadata.labels, [INDEX]: `${index}` }
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [INDEX]: `${index}`,
    ...(job.spec?.backoffLimitPerIndex !== undefined && failureAnnotations(job, replaced)),
  }
  if (pod.spec) {
    pod.spec.hostname = `${name}-${index}`
    pod.spec.containers = pod.spec.containers.map(withIndexVariable)
    if (pod.spec.initContainers) pod.spec.initContainers = pod.spec.initContainers.map(withIndexVariable)
  }
  return pod
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (!replaced) return { [FAILURES]: '0' }
  const { isCounted } = judgeFailure(job.spec?.podFailurePolicy, replaced)
  const counted = countedFailures(replaced) + (isCounted ? 1 : 0)
  const ignored = allFailures(replaced) - countedFailures(replaced) + (isCounted ? 0 : 1)
  return { [FAILURES]: `${counted}`, ...(ignored > 0 && { [IGNORED_FAILURES]: `${ignored}` }) }
}

function withIndexVariable(container: Container): Container {
  const name = 'JOB_COMPLETION_INDEX'
  if (container.env?.some(variable => variable.name === name)) return container
  const fromLabel = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } }
  return { ...container, env: [...(container.env ?? []), fromLabel] }
}

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** Active pods in the order in which they are given up: the one in the earliest stage first. */
export function inOrderOfRemoval(pods: readonly Pod[]): Pod[] {
  const isScheduled = ({ spec }: Pod) => Number((spec?.nodeName ?? '') !== '')
  const phase = ({ status }: Pod) => PHASES[status?.phase ?? ''] ?? 0
  const readySince = (pod: Pod) => Date.parse((isReady(pod) && readyCondition(pod)?.lastTransitionTime) || '') || 0
  const restarts = ({ status }: Pod) => Math.max(0, ...(status?.containerStatuses ?? []).map(c => c.restartCount))
  const created = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? '') || 0
  return pods.toSorted(
    (a, b) =>
      isScheduled(a) - isScheduled(b) ||
      phase(a) - phase(b) ||
      Number(isReady(a)) - Number(isReady(b)) ||
      readySince(b) - readySince(a) ||
      restarts(b) - restarts(a) ||
      created(b) - created(a),
  )
}
