import type { NodeStatus } from '../spec/workflow.ts'
import type { Scope } from '../variables/scope.ts'
import type { Attempt } from './call.ts'
import { saveMemo } from './memo.ts'
import { compositeOutputs, exportGlobals } from './outputs.ts'
import { isEnded } from './phase.ts'
import type { Run } from './run.ts'
import { nodeShape } from './visit.ts'

/** The node of a steps or dag template, made when it is not there yet. */
export function beginComposite(run: Run, attempt: Attempt, type: 'Steps' | 'DAG'): NodeStatus {
  const { node, inputs } = attempt
  if (node === undefined) {
    return run.create({
      ...nodeShape(attempt.call),
      name: attempt.nodeName,
      type,
      phase: 'Running',
      nodeFlag: attempt.flag,
      memoizationStatus: attempt.memo,
      inputs: inputs !== undefined && Object.keys(inputs).length > 0 ? inputs : undefined,
    })
  }
  return node.phase === 'Pending' ? run.mark(node, 'Running', '') : node
}

/** A template with failFast begins nothing after a failure, and fails when what runs is over. */
export function failsFast(run: Run, { template }: Attempt, node: NodeStatus): boolean {
  return template.failFast === true && run.failedChildren(node.id) > 0 && run.activeChildren(node.id) === 0
}

export const failFastMessage = 'template has failed or errored children and failFast enabled'

/** All went well: the outputs are taken together. Throws NodeFault when one is not there. */
export function succeed(
  run: Run,
  attempt: Attempt,
  node: NodeStatus,
  scope: Scope,
  outboundNodes: readonly string[],
): NodeStatus {
  const outputs = compositeOutputs(run, attempt.template, scope)
  const done = run.update(node, { phase: 'Succeeded', outputs, outboundNodes: [...outboundNodes], message: undefined })
  exportGlobals(run, outputs)
  saveMemo(run, done)
  return endDaemons(run, done)
}

export function fail(
  run: Run,
  node: NodeStatus,
  phase: 'Failed' | 'Error',
  message: string | undefined,
  outboundNodes: readonly string[],
): NodeStatus {
  return endDaemons(run, run.update(node, { phase, message, outboundNodes: [...outboundNodes] }))
}

/** Daemons live as long as the template that they are a step of. */
function endDaemons(run: Run, boundary: NodeStatus): NodeStatus {
  for (const node of run.daemons()) {
    if (node.boundaryID !== boundary.id || isEnded(node.phase)) continue
    run.update(node, { phase: 'Succeeded', daemoned: undefined })
  }
  return boundary
}
