import type { NodeStatus } from '../spec/workflow.ts'
import type { Attempt } from './call.ts'
import { DEPENDENCY_FAILED, type ObservedContainer, type ObservedPod } from './observed.ts'
import { isEnded, isFailure } from './phase.ts'
import type { Run } from './run.ts'
import { nodeShape } from './visit.ts'

/** The containers of a containerSet have nodes of their own below that of their pod. */
export function visitContainers(run: Run, attempt: Attempt, pod: NodeStatus, observed: ObservedPod | undefined): void {
  const containers = attempt.template.containerSet?.containers ?? []
  const nameOf = (name: string) => `${attempt.nodeName}.${name}`
  for (const { name } of containers) {
    if (run.named(nameOf(name)) !== undefined) continue
    run.create({
      ...nodeShape(attempt.call),
      name: nameOf(name),
      type: 'Container',
      phase: 'Pending',
      boundaryID: pod.id,
    })
  }
  for (const { name, dependencies = [] } of containers) {
    const id = run.id(nameOf(name))
    if (dependencies.length === 0) run.addChild(pod.id, id)
    for (const dependency of dependencies) run.addChild(run.id(nameOf(dependency)), id)
    const node = run.node(id) as NodeStatus
    if (isEnded(node.phase)) continue
    const state = observed?.containers?.[name]
    assessContainer(
      run,
      node,
      state?.exitCode === DEPENDENCY_FAILED ? withCause(state, dependencies, observed) : state,
      pod,
    )
  }
}

/** A container that was never started: one that it waited for has failed. */
function withCause(
  state: ObservedContainer,
  dependencies: readonly string[],
  pod: ObservedPod | undefined,
): ObservedContainer {
  const culprit = dependencies.find(name => (pod?.containers?.[name]?.exitCode ?? 0) !== 0)
  if (culprit === undefined) return state
  const code = pod?.containers?.[culprit]?.exitCode ?? 0
  return {
    ...state,
    phase: 'Error',
    message: `${state.message ?? ''}: dependency "${culprit}" exited with non-zero code: ${code}`,
  }
}

function assessContainer(run: Run, node: NodeStatus, state: ObservedContainer | undefined, pod: NodeStatus): void {
  if (state !== undefined && isEnded(state.phase)) {
    run.update(node, {
      phase: state.phase,
      message: state.message,
      ...(state.exitCode === undefined ? {} : { outputs: { exitCode: String(state.exitCode) } }),
      ...(state.startedAt === undefined ? {} : { startedAt: state.startedAt }),
      ...(state.finishedAt === undefined ? {} : { finishedAt: state.finishedAt }),
    })
  } else if (isFailure(pod.phase)) {
    run.mark(
      node,
      'Failed',
      state?.phase === 'Running'
        ? 'the pod failed while the container was running'
        : 'the pod failed before the container ran',
    )
  } else if (pod.phase === 'Succeeded') {
    run.mark(node, 'Succeeded')
  } else if (state !== undefined) {
    run.mark(node, state.phase)
  }
}
