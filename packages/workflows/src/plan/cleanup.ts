import type { NodeStatus } from '../spec/workflow.ts'
import { podsToCollect } from './collect.ts'
import { nodeOfHolder, noteLocks } from './lock-wait.ts'
import { isEnded, isFinal } from './phase.ts'
import type { Run } from './run.ts'
import { stoppedMessage } from './stop.ts'

/** What is left over from nodes that have ended: their locks are given back, their pods and requests ended, and pods removed
 *  as podGC says. */
export function cleanUp(run: Run): void {
  const isOver = isFinal(run.status.phase)
  for (const holder of Object.keys(run.observed.locks ?? {})) {
    const id = nodeOfHolder(run, holder)
    if (isOver || (id !== undefined && isGone(run.node(id)))) {
      run.ask({ do: 'releaseLock', holder })
      noteLocks(run, holder, [], 'none')
    }
  }
  for (const [nodeId, pod] of Object.entries(run.observed.pods ?? {})) {
    // One that has ended by itself is left to podGC, also while it is read again after a restart.
    const isUp = pod.phase === 'Pending' || pod.phase === 'Running' || pod.isLingering === true
    if (!isUp || pod.isBeingRead === true) continue
    const node = run.node(nodeId)
    if (isOver || isGone(node)) {
      run.ask({
        do: 'stopPod',
        nodeId,
        podName: pod.name,
        why: whyStopped(run, node),
        now: run.shutdown === 'Terminate',
      })
    }
  }
  for (const [nodeId, task] of Object.entries(run.observed.tasks ?? {})) {
    if (task.phase !== 'Running') continue
    const node = run.node(nodeId)
    if (isOver || isGone(node)) run.ask({ do: 'cancelTask', nodeId, why: whyStopped(run, node) })
  }
  for (const { nodeId, podName, at } of podsToCollect(run)) {
    if (at <= run.now) run.ask({ do: 'deletePod', nodeId, podName })
    else run.wake(at)
  }
}

const isGone = (node: NodeStatus | undefined) => node === undefined || isEnded(node.phase)

function whyStopped(run: Run, node: NodeStatus | undefined): string {
  if (run.shutdown !== '') return stoppedMessage(run)
  return node?.message ?? 'the step is over'
}
