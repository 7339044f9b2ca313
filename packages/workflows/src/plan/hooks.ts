import type { Call as CallSpec } from '../spec/template.ts'
import type { TemplateContext } from '../spec/template-library.ts'
import type { LifecycleHook, NodeStatus } from '../spec/workflow.ts'
import { nodeVariables } from '../variables/node-variables.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import type { Boundary, Call } from './call.ts'
import { resolveArguments } from './inputs.ts'
import { isCompleted, isFulfilled } from './phase.ts'
import { attemptsOf } from './retry-node.ts'
import { NodeFault, type Run } from './run.ts'
import { mayExecute } from './stop.ts'
import { visit } from './visit.ts'

/** Where the hooks of a step or task belong. */
export interface HookPlace {
  readonly kind: 'steps' | 'tasks'
  readonly boundary: Boundary
  readonly context: TemplateContext
  readonly scope: Scope
  readonly isExit: boolean
  readonly depth: number
  readonly path: string
}

export interface HookState {
  readonly isDone: boolean
  /** What a hook's own call ended with. */
  readonly fault?: string
}

const done: HookState = { isDone: true }

export const hasHooks = ({ hooks, onExit }: CallSpec) =>
  (onExit !== undefined && onExit !== '') || (hooks !== undefined && Object.keys(hooks).length > 0)

/** Runs the hooks of a step whose conditions hold, and its exit handler when it has ended. Throws NodeFault. */
export function visitHooks(run: Run, spec: CallSpec, node: NodeStatus, place: HookPlace): HookState {
  if (!hasHooks(spec)) return done
  const scope = ownScope(run, spec, node, place)
  let isDone = true
  for (const [name, hook] of Object.entries(spec.hooks ?? {})) {
    if (name === 'exit') continue
    const nodeName = `${node.name}.hooks.${name}`
    if (hook.expression === undefined || hook.expression === '')
      throw new NodeFault(`${place.path}.hooks.${name}: expression is required`)
    const isWanted =
      run.named(nodeName) !== undefined ||
      run.condition(hook.expression, scope, `${place.path}.hooks.${name}.expression`)
    if (!isWanted) continue
    const state = visitHook(run, nodeName, hook, node, { ...place, scope, path: `${place.path}.hooks.${name}` })
    if (state.fault !== undefined) return state
    isDone &&= state.isDone
  }
  if (!isCompleted(node.phase)) return { isDone }
  const exit = exitHook(spec)
  if (exit === undefined || !mayExecute(run, true)) return { isDone }
  const nodeName = `${node.name}.onExit`
  const path = `${place.path}.${spec.hooks?.exit === undefined ? 'onExit' : 'hooks.exit'}`
  const isWanted =
    run.named(nodeName) !== undefined ||
    (exit.expression ?? '') === '' ||
    run.condition(exit.expression as string, scope, `${path}.expression`)
  if (!isWanted) return { isDone }
  const state = visitHook(run, nodeName, exit, node, { ...place, scope, path, isExit: true })
  return state.fault === undefined ? { isDone: isDone && state.isDone } : state
}

export function exitHook({
  hooks,
  onExit,
}: {
  hooks?: Record<string, LifecycleHook>
  onExit?: string
}): LifecycleHook | undefined {
  return hooks?.exit ?? (onExit === undefined || onExit === '' ? undefined : { template: onExit })
}

function visitHook(run: Run, nodeName: string, hook: LifecycleHook, parent: NodeStatus, place: HookPlace): HookState {
  const call: Call = {
    nodeName,
    holder: {
      ...(hook.template === undefined ? {} : { template: hook.template }),
      ...(hook.templateRef === undefined ? {} : { templateRef: hook.templateRef }),
    },
    context: place.context,
    arguments: () => resolveArguments(run, hook.arguments, place.scope, `${place.path}.arguments`),
    boundary: place.boundary,
    isExit: place.isExit,
    flag: { hooked: true },
    step: undefined,
    depth: place.depth + 1,
  }
  const { node, fault } = visit(run, call)
  if (node !== undefined) run.addChild(parent.id, node.id)
  return { isDone: isFulfilled(node), ...(fault === undefined ? {} : { fault }) }
}

/** A hook sees its own step as it is now, also while it runs. */
function ownScope(run: Run, spec: CallSpec, node: NodeStatus, { kind, scope }: HookPlace): Scope {
  const prefix = `${kind}.${spec.name}`
  const last = node.type === 'Retry' ? (attemptsOf(run, node).at(-1) ?? node) : node
  const variables = new Variables()
  const own = nodeVariables(last)
  for (const part of ['id', 'startedAt', 'finishedAt', 'ip', 'hostNodeName', 'exitCode', 'outputs']) {
    for (const [name, value] of own.under(part)) {
      if (typeof value === 'string') variables.set(`${prefix}.${name}`, value)
      else if (value !== null) variables.setArtifact(`${prefix}.${name}`, value)
    }
  }
  variables.set(`${prefix}.status`, node.phase)
  return joinScopes(variables, scope)
}
