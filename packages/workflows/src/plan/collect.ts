import { labelSelectorFrom } from '@tiphys/kube'
import type { PodGc } from '../spec/workflow.ts'
import { durationOf } from '../variables/duration-text.ts'
import { isEnded, isFinal } from './phase.ts'
import type { Run } from './run.ts'

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
  const isMeant = selectionOf(podGC)
  for (const [nodeId, pod] of Object.entries(run.observed.pods ?? {})) {
    if (pod.phase === 'Pending' || pod.phase === 'Running' || pod.phase === 'Gone') continue
    const node = run.node(nodeId)
    if (node === undefined || !isEnded(node.phase)) continue
    if (strategy === 'OnPodSuccess' && node.phase !== 'Succeeded') continue
    if (!isMeant(pod.labels ?? {})) continue
    const since = strategy.startsWith('OnPod') ? node.finishedAt : run.status.finishedAt
    yield { nodeId, podName: pod.name, at: Date.parse(since ?? '') + delay }
  }
}

function selectionOf({ labelSelector }: PodGc): (labels: Readonly<Record<string, string>>) => boolean {
  if (labelSelector === undefined || labelSelector === null) return () => true
  try {
    const selector = labelSelectorFrom(labelSelector)
    return labels => selector.matches(labels)
  } catch {
    // Validation has said so; nothing has run, and nothing is removed.
    return () => false
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
