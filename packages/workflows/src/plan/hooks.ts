import { type ExitHook, exitHook, isGivenNothing } from '../spec/exit-hook.ts'
import type { Call as CallSpec } from '../spec/template.ts'
import type { TemplateContext } from '../spec/template-library.ts'
import type { LifecycleHook, NodeStatus } from '../spec/workflow.ts'
import type { LoopItem } from '../variables/json-items.ts'
import { nodeVariables } from '../variables/node-variables.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import type { Boundary, Call } from './call.ts'
import { knownHolder, namedHolder } from './child-call.ts'
import { type ResolvedArguments, resolveArguments } from './inputs.ts'
import { withItem } from './loop.ts'
import { couldNotBegin, isCompleted, isFailure, isFulfilled } from './phase.ts'
import { attemptsOf } from './retry-node.ts'
import { NodeFault, type Run } from './run.ts'
import { mayExecute } from './stop.ts'
import { visit } from './visit.ts'
import { workflowArguments } from './workflow-arguments.ts'

/** Where the hooks of a step or task belong. */
export interface HookPlace {
  readonly kind: 'steps' | 'tasks'
  readonly boundary: Boundary
  readonly context: TemplateContext
  readonly scope: Scope
  readonly isExit: boolean
  readonly depth: number
  readonly path: string
  /** Of a round of a loop: what its hooks may name. */
  readonly item?: LoopItem | undefined
}

export interface HookState {
  readonly isDone: boolean
  /** Why a hook could not begin. */
  readonly fault?: string
}

const done: HookState = { isDone: true }

export const hasHooks = ({ hooks, onExit }: CallSpec) =>
  (onExit !== undefined && onExit !== '') || (hooks !== undefined && Object.keys(hooks).length > 0)

/** The hooks of a loop in a dag are those of the loop as a whole, as upstream has it. The exit handler is for each round, and so
 *  is a hook that names the item. */
export function hooksOfLoop<Spec extends CallSpec>(spec: Spec): { ofRounds: Spec; ofGroup: Omit<Spec, 'onExit'> } {
  const { onExit: _, ...silent } = spec
  const hooks = Object.entries(spec.hooks ?? {})
  const isOfRound = ([name, hook]: (typeof hooks)[number]) =>
    name === 'exit' || /\{\{=?[^}]*\bitem\b/.test(JSON.stringify(hook))
  return {
    ofRounds: { ...spec, hooks: Object.fromEntries(hooks.filter(isOfRound)) },
    ofGroup: { ...silent, hooks: Object.fromEntries(hooks.filter(hook => !isOfRound(hook))) },
  }
}

/** Runs the hooks of a step whose conditions hold, and its exit handler when it has ended. Throws NodeFault. */
export function visitHooks(run: Run, spec: CallSpec, node: NodeStatus, place: HookPlace): HookState {
  if (!hasHooks(spec)) return done
  const scope = withItem(ownScope(run, spec, node, place), place.item)
  let isDone = true
  let fault: string | undefined
  for (const [name, hook] of Object.entries(spec.hooks ?? {})) {
    if (name === 'exit') continue
    const nodeName = `${node.name}.hooks.${name}`
    if (hook.expression === undefined || hook.expression === '')
      throw new NodeFault(`${place.path}.hooks.${name}: expression is required`)
    const isWanted =
      run.named(nodeName) !== undefined ||
      run.writtenCondition(hook.expression, scope, `${place.path}.hooks.${name}.expression`)
    if (!isWanted) continue
    const path = `${place.path}.hooks.${name}`
    const args = () => resolveArguments(run, hook.arguments, scope, `${path}.arguments`, true)
    const state = visitHook(run, { nodeName, hook, args, path, scope }, node, place)
    fault ??= state.fault
    isDone &&= state.isDone
  }
  const soFar = fault === undefined ? { isDone } : { isDone, fault }
  if (!isCompleted(node.phase)) return soFar
  const exit = exitHook(spec)
  if (exit === undefined || !mayExecute(run, true)) return soFar
  const nodeName = `${node.name}.onExit`
  const path = `${place.path}.${exit.field}`
  const isWanted =
    run.named(nodeName) !== undefined ||
    (exit.expression ?? '') === '' ||
    run.writtenCondition(exit.expression as string, scope, `${path}.expression`)
  if (!isWanted) return soFar
  // As upstream: what the step did not leave is no reason to leave out what comes after it.
  const args = () => exitArguments(run, exit, scope, path, true)
  const state = visitHook(run, { nodeName, hook: exit, args, path, scope }, node, { ...place, isExit: true })
  return { ...state, ...soFar, isDone: isDone && state.isDone }
}

export const exitArguments = (
  run: Run,
  hook: ExitHook,
  scope: Scope,
  path: string,
  lenient = false,
): ResolvedArguments =>
  isGivenNothing(hook)
    ? workflowArguments(run)
    : resolveArguments(run, hook.arguments, scope, `${path}.arguments`, lenient)

interface HookCall {
  nodeName: string
  hook: LifecycleHook
  args: () => ResolvedArguments
  path: string
  scope: Scope
}

function visitHook(
  run: Run,
  { nodeName, hook, args, path, scope }: HookCall,
  parent: NodeStatus,
  place: HookPlace,
): HookState {
  const { template, templateRef } = hook
  const holder = {
    ...(template === undefined ? {} : { template }),
    ...(templateRef === undefined ? {} : { templateRef }),
  }
  const existing = run.named(nodeName)
  const call: Call = {
    nodeName,
    holder: existing === undefined ? namedHolder(run, holder, scope, path) : knownHolder(existing, holder),
    context: place.context,
    arguments: args,
    boundary: place.boundary,
    isExit: place.isExit,
    flag: { hooked: true },
    step: undefined,
    depth: place.depth + 1,
  }
  const { node } = visit(run, call)
  if (node !== undefined) run.addChild(parent.id, node.id)
  return { isDone: isFulfilled(node), ...(couldNotBegin(node) ? { fault: node.message ?? '' } : {}) }
}

/** A hook sees its own step as it is now, also while it runs. */
function ownScope(run: Run, spec: CallSpec, node: NodeStatus, { kind, scope, context }: HookPlace): Scope {
  const prefix = `${kind}.${spec.name}`
  const last = node.type === 'Retry' ? (attemptsOf(run, node).at(-1) ?? node) : node
  const variables = new Variables()
  // Outputs that a step which failed was to give are empty.
  const promised = isFailure(node.phase) ? run.templateOf(spec, context)?.outputs?.parameters : undefined
  for (const { name } of promised ?? []) variables.set(`${prefix}.outputs.parameters.${name}`, '')
  const own = nodeVariables(last)
  for (const part of ['id', 'startedAt', 'finishedAt', 'ip', 'hostNodeName', 'exitCode', 'outputs']) {
    for (const [name, value] of own.under(part)) {
      if (typeof value === 'string') variables.set(`${prefix}.${name}`, value)
      else if (value !== null) variables.setArtifact(`${prefix}.${name}`, value)
    }
  }
  variables.set(`${prefix}.status`, node.phase)
  // A round is known by its own name, too: upstream knows no other.
  if (node.displayName !== spec.name) variables.set(`${kind}.${node.displayName ?? ''}.status`, node.phase)
  return joinScopes(variables, scope)
}
