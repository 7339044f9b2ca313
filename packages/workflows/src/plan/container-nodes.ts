import type { NodeStatus } from '../spec/workflow.ts'
import type { Attempt } from './call.ts'
import type { ObservedContainer, ObservedPod } from './observed.ts'
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
    if (!isEnded(node.phase)) assessContainer(run, node, observed?.containers?.[name], pod)
  }
}

function assessContainer(run: Run, node: NodeStatus, state: ObservedContainer | undefined, pod: NodeStatus): void {
  if (state !== undefined && (state.phase === 'Succeeded' || state.phase === 'Failed')) {
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
