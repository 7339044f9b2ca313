import { withoutHosts } from '../pods/other-hosts.ts'
import type { NodeStatus, Template, WorkflowSpec } from '../spec/workflow.ts'
import { joinScopes } from '../variables/scope.ts'
import { substitute } from '../variables/substitution.ts'
import type { Attempt } from './call.ts'
import { visitContainers } from './container-nodes.ts'
import { resolveLeaf } from './inputs.ts'
import { saveMemo } from './memo.ts'
import { podName } from './node-id.ts'
import type { ObservedPod, StepOutcome } from './observed.ts'
import { exportGlobals, outputsOf } from './outputs.ts'
import { isEnded } from './phase.ts'
import { usesResult } from './result-use.ts'
import { NodeFault, type Run } from './run.ts'
import { refusalOf, wasToldToEnd } from './stop.ts'
import { nodeShape, templateNameOf, timeLimit } from './visit.ts'

/** A step that runs in a pod of its own. Undefined: there is no room for another pod. */
export function visitPod(run: Run, attempt: Attempt): NodeStatus | undefined {
  const { call, template, inputs } = attempt
  let { node } = attempt
  if (node === undefined) {
    const { parallelism } = run.spec
    if (parallelism !== undefined && run.activePods() >= parallelism) {
      run.isBlocked = true
      return undefined
    }
    node = run.create({
      ...nodeShape(call),
      name: attempt.nodeName,
      type: 'Pod',
      phase: 'Pending',
      nodeFlag: attempt.flag,
      memoizationStatus: attempt.memo,
      inputs: inputs !== undefined && Object.keys(inputs).length > 0 ? inputs : undefined,
    })
  }
  const pod = run.observed.pods?.[node.id]
  const name = podName(run.name, attempt.nodeName, templateNameOf(call, template), node.id)
  if (pod === undefined) {
    const refusal = refusalOf(run, call.isExit)
    if (refusal !== undefined) return run.mark(node, 'Failed', refusal)
    // A node that was seen running has a pod, also when it is not known yet after a restart.
    if (node.phase === 'Pending') askForPod(run, attempt, node, name)
  } else if (pod.isUnstarted === true && refusalOf(run, call.isExit) === undefined) {
    // Where it was to run is forgotten: whoever comes after a crash then knows that another pod may be made.
    node = run.update(node, { phase: 'Pending', message: pod.message, hostNodeName: undefined })
    if (pod.notBefore === undefined || run.now >= pod.notBefore) askForPod(run, attempt, node, name)
    else run.wake(pod.notBefore)
  } else {
    node = assess(run, attempt, node, pod)
  }
  if (template.containerSet !== undefined) visitContainers(run, attempt, node, pod)
  return node
}

function askForPod(run: Run, attempt: Attempt, node: NodeStatus, name: string): void {
  const { call, template, inputs, scope } = attempt
  const resolved = resolveLeaf(run, template, inputs, scope)
  const deadline = deadlineSeconds(run, attempt, resolved, node)
  const shared = run.shared(scope)
  run.ask({
    do: 'createPod',
    nodeId: node.id,
    nodeName: attempt.nodeName,
    podName: name,
    template: elsewhere(attempt, withPlacement(run, resolved, call.boundary?.template), shared),
    volumes: run.volumes(call.around === undefined ? scope : joinScopes(scope, call.around)),
    shared,
    ...(deadline === undefined ? {} : { deadline }),
    daemon: template.daemon === true,
    needsResult: call.step !== undefined && usesResult(call.boundary?.template, call.step.kind, call.step.base),
  })
}

/** Where a pod may run is said by its template, else by the template around, as upstream has it, else by the Workflow. */
function withPlacement(run: Run, template: Template, around: Template | undefined): Template {
  const taken = (['nodeSelector', 'affinity', 'tolerations'] as const).filter(
    field => isUnset(template[field]) && !isUnset(around?.[field]),
  )
  if (taken.length === 0) return template
  const fields = Object.fromEntries(taken.map(field => [field, around?.[field]]))
  const path = `templates.${around?.name ?? ''}`
  return { ...template, ...substitute(fields, run.globals, { ...run.env, path, lenient: true }) }
}

const isUnset = (value: object | undefined | null) =>
  value === undefined || value === null || Object.keys(value).length === 0

/** As upstream: away from where its own attempts have failed, or else those of the template around. */
function elsewhere({ avoidedHosts, call, flag }: Attempt, template: Template, shared: Partial<WorkflowSpec>): Template {
  const hosts = flag?.retried === true ? avoidedHosts : (call.boundary?.avoidedHosts ?? [])
  if (hosts.length === 0) return template
  return { ...template, affinity: withoutHosts(template.affinity ?? shared.affinity, hosts) }
}

/** Seconds that the pod may run: the least of all limits. */
function deadlineSeconds(run: Run, attempt: Attempt, resolved: Template, node: NodeStatus): number | undefined {
  const { template, scope } = attempt
  const limits: number[] = []
  if (resolved.activeDeadlineSeconds !== undefined) {
    const seconds = Number(resolved.activeDeadlineSeconds)
    if (!Number.isFinite(seconds)) {
      throw new NodeFault(
        `templates.${template.name ?? ''}.activeDeadlineSeconds: ${resolved.activeDeadlineSeconds} is no number`,
      )
    }
    limits.push(seconds)
  }
  const ends: number[] = []
  if (template.timeout !== undefined && template.timeout !== '') {
    ends.push(
      Date.parse(node.startedAt ?? '') +
        timeLimit(run, template.timeout, scope, `templates.${template.name ?? ''}.timeout`),
    )
  }
  if (attempt.executionDeadline !== undefined) ends.push(attempt.executionDeadline)
  if (run.deadline !== undefined && !attempt.call.isExit) ends.push(run.deadline)
  for (const end of ends) limits.push(Math.max(1, Math.ceil((end - run.now) / 1000)))
  return limits.length === 0 ? undefined : Math.min(...limits)
}

/** What the pod says of the node. */
function assess(run: Run, attempt: Attempt, node: NodeStatus, pod: ObservedPod): NodeStatus {
  const { template, call } = attempt
  const host = pod.nodeName === undefined ? {} : { hostNodeName: pod.nodeName }
  if (pod.phase === 'Pending' || pod.phase === 'Running') {
    // Whoever comes too late to stop it leaves it as it was.
    if (pod.isBeingRead === true && node.phase === 'Running') return run.update(node, host)
    // A daemon lives as long as what it was started for, also then.
    const why = node.daemoned === true || pod.isBeingRead === true ? undefined : refusalOf(run, call.isExit)
    if (why !== undefined) {
      const now = run.shutdown === 'Terminate' || pod.phase === 'Pending'
      run.ask({ do: 'stopPod', nodeId: node.id, podName: pod.name, why, now })
      return run.update(node, { phase: pod.phase === 'Pending' ? 'Failed' : 'Running', message: why, ...host })
    }
    if (pod.phase === 'Pending') return run.update(node, { phase: 'Pending', message: pod.message, ...host })
    if (template.daemon !== true) return run.update(node, { phase: 'Running', message: undefined, ...host })
    if (pod.ready !== true) return run.update(node, { message: undefined, ...host })
    return run.update(node, {
      phase: 'Running',
      message: undefined,
      daemoned: true,
      ...host,
      ...(pod.podIP === undefined ? {} : { podIP: pod.podIP }),
    })
  }
  return ended(run, attempt, node, pod)
}

function ended(run: Run, attempt: Attempt, node: NodeStatus, pod: ObservedPod): NodeStatus {
  const host = pod.nodeName === undefined ? {} : { hostNodeName: pod.nodeName }
  if (wasToldToEnd(node)) {
    const told = { ...pod.outcome, ...(node.message === undefined ? {} : { message: node.message }) }
    return endWith(run, attempt, node, 'Failed', told, { daemoned: undefined, ...host })
  }
  if (pod.phase === 'Gone') {
    return run.update(node, { phase: 'Error', message: 'pod deleted', daemoned: undefined, ...host })
  }
  const outcome = pod.outcome ?? {}
  // A daemon is ended when its work is over; one that ends by itself has failed.
  const isFailedDaemon = attempt.template.daemon === true && pod.phase === 'Succeeded'
  const phase = isFailedDaemon ? 'Failed' : (pod.phase as 'Succeeded' | 'Failed' | 'Error')
  const message = isFailedDaemon ? 'the daemon ended by itself' : (outcome.message ?? stopReason(run, attempt, phase))
  return endWith(
    run,
    attempt,
    node,
    phase,
    { ...outcome, ...(message === undefined ? {} : { message }) },
    { daemoned: undefined, ...host },
  )
}

/** A daemon that ended although nobody ended it. Other steps do not look at it any more; the group that it is a step of is judged
 *  again, as upstream does. A task of a dag is what its targets come to. */
export function noteDaemonEnd(run: Run, node: NodeStatus): void {
  const pod = run.observed.pods?.[node.id]
  if (pod === undefined || pod.phase === 'Pending' || pod.phase === 'Running') return
  const { message = 'the daemon ended by itself', exitCode } = pod.outcome ?? {}
  run.update(node, {
    phase: pod.phase === 'Gone' ? 'Error' : 'Failed',
    message: pod.phase === 'Gone' ? 'pod deleted' : message,
    daemoned: undefined,
    ...(exitCode === undefined ? {} : { outputs: { ...node.outputs, exitCode: String(exitCode) } }),
  })
  for (const group of run.nodes()) {
    if (group.type !== 'StepGroup' || group.boundaryID !== node.boundaryID || group.phase !== 'Succeeded') continue
    if (group.children?.includes(node.id) === true) run.update(group, { phase: 'Running', finishedAt: null })
  }
}

function stopReason(run: Run, { call }: Attempt, phase: string): string | undefined {
  return phase === 'Succeeded' ? undefined : refusalOf(run, call.isExit)
}

/** Ends a node with what it gave. Outputs that are not there turn success into an error. */
export function endWith(
  run: Run,
  attempt: Attempt,
  node: NodeStatus,
  phase: 'Succeeded' | 'Failed' | 'Error',
  outcome: StepOutcome,
  fields: object = {},
): NodeStatus {
  const { template, scope } = attempt
  const path = `templates.${template.name ?? ''}.outputs`
  const declared =
    template.outputs === undefined
      ? template
      : { outputs: substitute(template.outputs, scope, { ...run.env, path, lenient: true }) }
  const { outputs, problems } = outputsOf(declared, outcome)
  const isIncomplete = phase === 'Succeeded' && problems.length > 0
  const message = isIncomplete ? problems.join('; ') : outcome.message
  const done = run.update(node, {
    phase: isIncomplete ? 'Error' : phase,
    message,
    ...(outputs === undefined ? {} : { outputs }),
    ...(outcome.finishedAt === undefined ? {} : { finishedAt: outcome.finishedAt }),
    ...(outcome.resourcesDuration === undefined ? {} : { resourcesDuration: { ...outcome.resourcesDuration } }),
    ...fields,
  })
  if (isEnded(done.phase)) {
    exportGlobals(run, done.outputs)
    saveMemo(run, done)
  }
  return done
}
