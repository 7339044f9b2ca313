import { isEnded } from '../plan/phase.ts'
import type { Plan } from '../plan/plan.ts'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'
import { rfc3339 } from '../variables/creation-time.ts'

/** How a run ends whose Workflow was deleted: it has failed, and so has every step that was not over. Nobody
 *  can store it any more: it is there to be recorded. */
export function endOfDeleted({ metadata, status = {} }: Workflow, now: number): Plan {
  const finishedAt = metadata.deletionTimestamp ?? rfc3339(now)
  const message = `the Workflow was deleted before it ${status.phase ? 'ended' : 'began'}`
  const nodes: Record<string, NodeStatus> = { ...status.nodes }
  const transitions = Object.values(nodes).flatMap(node => {
    if (isEnded(node.phase)) return []
    const ended: NodeStatus = { ...node, phase: 'Failed', message, finishedAt }
    nodes[node.id] = ended
    return [{ node: ended, from: node.phase }]
  })
  return {
    status: { ...status, phase: 'Failed', message, finishedAt, nodes },
    changed: true,
    actions: [],
    labels: {},
    annotations: {},
    transitions,
  }
}
