import { isEnded } from '../plan/phase.ts'
import type { Plan } from '../plan/plan.ts'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'

/** How a run ends that does not go on for a reason that is not its steps': it has failed, and so has every step that was not over. */
export function failedRun({ status = {} }: Workflow, message: string, finishedAt: string): Plan {
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
