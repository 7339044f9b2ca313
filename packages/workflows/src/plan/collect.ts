import { labelSelectorFrom } from '@tiphys/kube'
import type { PodGc, Workflow } from '../spec/workflow.ts'
import { durationOf } from '../variables/duration-text.ts'
import { isEnded, isFinal } from './phase.ts'
import type { Run } from './run.ts'

/** When a finished Workflow is to be deleted, by its ttlStrategy; undefined: it stays. */
export function expiresAt(workflow: Workflow): number | undefined {
  const { status } = workflow
  if (status === undefined || !isFinal(status.phase) || !status.finishedAt) return undefined
  const ttl = (status.storedWorkflowTemplateSpec ?? workflow.spec).ttlStrategy
  if (ttl === undefined || ttl === null) return undefined
  const ofOutcome = status.phase === 'Succeeded' ? ttl.secondsAfterSuccess : ttl.secondsAfterFailure
  const seconds = ofOutcome ?? ttl.secondsAfterCompletion
  return seconds === undefined ? undefined : Date.parse(status.finishedAt) + seconds * 1000
}

export interface CollectedPod {
  nodeId: string
  podName: string
  /** When it may go. */
  at: number
}

const defaultDelay = 5_000

/** Pods that are not needed any more, by podGC. */
export function* podsToCollect(run: Run): Generator<CollectedPod> {
  const { podGC } = run.spec
  const strategy = podGC?.strategy
  if (podGC === undefined || podGC === null || strategy === undefined || strategy === '') return
  const isOver = isFinal(run.status.phase)
  if (strategy === 'OnWorkflowCompletion' && !isOver) return
  if (strategy === 'OnWorkflowSuccess' && run.status.phase !== 'Succeeded') return
  const delay = delayOf(podGC)
  const selector = podGC.labelSelector === undefined ? undefined : labelSelectorFrom(podGC.labelSelector)
  for (const [nodeId, pod] of Object.entries(run.observed.pods ?? {})) {
    if (pod.phase === 'Pending' || pod.phase === 'Running' || pod.phase === 'Gone') continue
    const node = run.node(nodeId)
    if (node === undefined || !isEnded(node.phase)) continue
    if (strategy === 'OnPodSuccess' && node.phase !== 'Succeeded') continue
    if (selector !== undefined && !selector.matches(pod.labels ?? {})) continue
    const since = strategy.startsWith('OnPod') ? node.finishedAt : run.status.finishedAt
    yield { nodeId, podName: pod.name, at: Date.parse(since ?? '') + delay }
  }
}

function delayOf({ deleteDelayDuration }: PodGc): number {
  if (deleteDelayDuration === undefined || deleteDelayDuration === '') return defaultDelay
  try {
    return durationOf(deleteDelayDuration)
  } catch {
    // Validation has said so; a pod that stays a little is better than a run that stops.
    return defaultDelay
  }
}
