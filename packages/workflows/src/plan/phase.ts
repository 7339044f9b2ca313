import type { NodePhase, NodeStatus, WorkflowPhase } from '../spec/workflow.ts'

export const isFailure = (phase: NodePhase | undefined) => phase === 'Failed' || phase === 'Error'

/** It ran and ended. A skipped node did not. */
export const isCompleted = (phase: NodePhase | undefined) => phase === 'Succeeded' || isFailure(phase)

/** Nothing will happen to the node any more. */
export const isEnded = (phase: NodePhase | undefined) =>
  isCompleted(phase) || phase === 'Skipped' || phase === 'Omitted'

/** It could not even begin: what is wrong is in the manifest. */
export const couldNotBegin = (node: NodeStatus | undefined): node is NodeStatus =>
  node?.type === 'Skipped' && node.phase === 'Error'

/** What comes after the node may go on: it ended, or is a daemon that is ready. */
export const isFulfilled = (node: NodeStatus | undefined): node is NodeStatus =>
  node !== undefined && (isEnded(node.phase) || (node.daemoned === true && node.phase !== 'Pending'))

export const isFinal = (phase: WorkflowPhase | undefined) =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Error'
