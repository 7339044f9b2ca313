import { exitHook } from '../spec/exit-hook.ts'
import type { LifecycleHook, NodeStatus, WorkflowPhase } from '../spec/workflow.ts'
import type { Call } from './call.ts'
import { exitArguments } from './hooks.ts'
import { resolveArguments } from './inputs.ts'
import { isFailure, isFulfilled } from './phase.ts'
import { noteDaemonEnd } from './pod-node.ts'
import { NodeFault, type Run } from './run.ts'
import { endMessage, mayExecute } from './stop.ts'
import { faultMessage, visit } from './visit.ts'
import { workflowArguments } from './workflow-arguments.ts'

const phases: Readonly<Record<NodeStatus['phase'], WorkflowPhase>> = {
  '': 'Running',
  Pending: 'Pending',
  Running: 'Running',
  Succeeded: 'Succeeded',
  Skipped: 'Succeeded',
  Omitted: 'Succeeded',
  Failed: 'Failed',
  Error: 'Error',
}

/** How a run ends. */
export interface End {
  phase: 'Succeeded' | 'Failed' | 'Error'
  message: string | undefined
}

/** Brings everything as far as it can come by now: the entrypoint, then the hooks, then the exit handler. Undefined: the run goes
 *  on. */
export function walkOnce(run: Run): End | undefined {
  for (const daemon of run.daemons()) noteDaemonEnd(run, daemon)
  const root = visit(run, entryCall(run)).node
  if (root === undefined) return undefined
  const daemon = root.daemoned === true && root.phase === 'Running'
  const status = daemon ? 'Succeeded' : phases[root.phase]
  run.mainStatus = isFulfilled(root) ? status : (run.status.phase ?? 'Running')
  const hooks = visitWorkflowHooks(run, root)
  if (!hooks.areDone || !isFulfilled(root)) return undefined
  const exit = visitExit(run)
  if (exit === 'wait') return undefined
  const message = isFailure(root.phase) && run.shutdown !== '' ? endMessage(run) : root.message
  if (status === 'Succeeded') {
    if (exit !== undefined && isFailure(exit.phase)) return { phase: exit.phase, message: exit.message }
    if (hooks.fault !== undefined) return { phase: 'Error', message: hooks.fault }
    return { phase: 'Succeeded', message: undefined }
  }
  return { phase: status as 'Failed' | 'Error', message }
}

function entryCall(run: Run): Call {
  return rootCall(run, run.name, { template: run.spec.entrypoint ?? '' }, () => workflowArguments(run), {
    isExit: false,
    flag: undefined,
  })
}

function rootCall(
  run: Run,
  nodeName: string,
  holder: Call['holder'],
  args: Call['arguments'],
  { isExit, flag }: Pick<Call, 'isExit' | 'flag'>,
): Call {
  return {
    nodeName,
    holder,
    context: run.library.local,
    arguments: args,
    boundary: undefined,
    isExit,
    flag,
    step: undefined,
    depth: 0,
  }
}

/** Hooks of the whole workflow, but for its exit handler. */
function visitWorkflowHooks(run: Run, root: NodeStatus): { areDone: boolean; fault?: string } {
  let areDone = true
  for (const [name, hook] of Object.entries(run.spec.hooks ?? {})) {
    if (name === 'exit') continue
    const nodeName = `${run.name}.hooks.${name}`
    const path = `spec.hooks.${name}`
    try {
      if ((hook.expression ?? '') === '') throw new NodeFault(`${path}: expression is required`)
      if (
        run.named(nodeName) === undefined &&
        !run.writtenCondition(hook.expression as string, run.globals, `${path}.expression`)
      )
        continue
      const args = () => resolveArguments(run, hook.arguments, run.globals, `${path}.arguments`)
      const { node } = visit(run, hookCall(run, nodeName, hook, args, false))
      if (node !== undefined) run.addChild(root.id, node.id)
      if (!isFulfilled(node)) areDone = false
    } catch (error) {
      return { areDone, fault: faultMessage(error) }
    }
  }
  return { areDone }
}

function hookCall(run: Run, nodeName: string, hook: LifecycleHook, args: Call['arguments'], isExit: boolean): Call {
  const { template, templateRef } = hook
  const holder = {
    ...(template === undefined ? {} : { template }),
    ...(templateRef === undefined ? {} : { templateRef }),
  }
  return rootCall(run, nodeName, holder, args, { isExit, flag: { hooked: true } })
}

/** The exit handler. Undefined: there is none. */
function visitExit(run: Run): NodeStatus | 'wait' | undefined {
  const hook = exitHook(run.spec)
  if (hook === undefined) return undefined
  const nodeName = `${run.name}.onExit`
  const existing = run.named(nodeName)
  if (existing === undefined && !mayExecute(run, true)) return undefined
  const path = `spec.${hook.field}`
  if (
    existing === undefined &&
    (hook.expression ?? '') !== '' &&
    !run.writtenCondition(hook.expression as string, run.globals, `${path}.expression`)
  ) {
    return undefined
  }
  const args = () => exitArguments(run, hook, run.globals, path)
  const { node } = visit(run, hookCall(run, nodeName, hook, args, true))
  return isFulfilled(node) ? node : 'wait'
}
