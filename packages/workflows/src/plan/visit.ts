import { typeFieldsOf } from '../spec/merge.ts'
import { GraphError } from '../spec/task-graph.ts'
import { scopeText, TemplateMissing } from '../spec/template-library.ts'
import type { NodeStatus, NodeType, Template, TemplateType } from '../spec/workflow.ts'
import { durationOf } from '../variables/duration-text.ts'
import { joinScopes, type Scope, Variables } from '../variables/scope.ts'
import { replaceText, VariableError } from '../variables/substitution.ts'
import { WhenError } from '../variables/when.ts'
import type { Attempt, Call, Visit } from './call.ts'
import { visitDag } from './dag.ts'
import { inputScope, resolveInputs } from './inputs.ts'
import { waitForLock } from './lock-wait.ts'
import { checkMemo } from './memo.ts'
import { podName } from './node-id.ts'
import { isEnded } from './phase.ts'
import { visitPod } from './pod-node.ts'
import { visitRetry } from './retry-node.ts'
import { type NodeChanges, NodeFault, type Run } from './run.ts'
import { visitSteps } from './steps.ts'
import { visitSuspend } from './suspend-node.ts'
import { visitTask } from './task-node.ts'

/** Templates that call each other deeper than this are taken for endless. */
const maxDepth = 100

/** Brings one node as far as it can come by now: makes it, watches it, ends it. */
export function visit(run: Run, call: Call): Visit {
  const existing = run.named(call.nodeName)
  if (existing !== undefined && isEnded(existing.phase)) return { node: existing }
  if (existing === undefined && run.isFrozen) return {}
  try {
    if (call.depth >= maxDepth) throw new NodeFault(tooDeep(call))
    return visitOpen(run, call, existing)
  } catch (error) {
    return faulted(run, call.nodeName, call, call.flag, error)
  }
}

function tooDeep({ step, boundary }: Call): string {
  const kind = step?.kind === 'tasks' ? 'task' : 'step'
  const place = step && boundary ? ` at the ${kind} ${step.base} of template ${boundary.template.name ?? ''}` : ''
  return `Maximum recursion depth exceeded${place}: more than ${maxDepth} templates call each other there; give the call a when that ends it`
}

function visitOpen(run: Run, call: Call, found: NodeStatus | undefined): Visit {
  let existing = found
  const { template, context: inside } = run.library.resolve(call.holder, call.context)
  const type = templateType(template)
  const strategy = template.retryStrategy ?? run.spec.retryStrategy
  const locals = localVariables(run, call, template, type, strategy !== undefined)
  // A node that is done again with new parameters has lost its inputs.
  const needsInputs = existing === undefined || (existing.inputs === undefined && template.inputs !== undefined)
  const args = needsInputs ? call.arguments() : undefined
  if (needsInputs && args === undefined) return {}
  const inputs =
    args === undefined ? existing?.inputs : resolveInputs(run, template, args, joinScopes(locals, run.globals))
  if (needsInputs && inputs === undefined) return {}
  if (existing !== undefined && needsInputs && !isEmpty(inputs)) existing = run.update(existing, { inputs })
  const scope = joinScopes(inputScope(inputs), locals, run.globals)
  if (existing === undefined && !hasRoom(run, call)) {
    run.isBlocked = true
    return {}
  }
  if (existing?.phase === 'Pending') {
    const late = timedOut(run, existing, template, scope)
    if (late !== undefined) return { node: run.mark(existing, 'Failed', late) }
  }
  const shape: NodeChanges & { name: string } = {
    ...nodeShape(call),
    inputs: isEmpty(inputs) ? undefined : inputs,
    ...displayName(run, template, scope),
  }
  const nodeType = strategy === undefined ? nodeTypeOf(type) : 'Retry'
  const locked = waitForLock(run, call, template, scope, existing, { ...shape, type: nodeType })
  if (locked.wait !== undefined) return { node: locked.wait }
  const memo = checkMemo(run, template, scope, locked.node, {
    ...shape,
    name: call.nodeName,
    type: nodeType,
    phase: 'Pending',
  })
  if (memo.done !== undefined) return { node: memo.done }
  const attempt: Attempt = {
    call,
    nodeName: call.nodeName,
    node: memo.node,
    template,
    inside,
    inputs,
    scope,
    flag: call.flag,
    memo: memo.status,
    executionDeadline: undefined,
    avoidedHosts: [],
  }
  const visited =
    strategy === undefined
      ? dispatch(run, attempt)
      : visitRetry(run, attempt, strategy, changed => dispatch(run, { ...attempt, ...changed }))
  if (visited.node === undefined || shape.displayName === undefined) return visited
  return { ...visited, node: run.update(visited.node, { displayName: shape.displayName }) }
}

/** One try at a template of any type. What goes wrong ends the try's own node. */
function dispatch(run: Run, attempt: Attempt): Visit {
  try {
    const node = dispatchers[templateType(attempt.template)](run, attempt)
    return node === undefined ? {} : { node }
  } catch (error) {
    return faulted(run, attempt.nodeName, attempt.call, attempt.flag, error)
  }
}

const dispatchers: Readonly<Record<TemplateType, (run: Run, attempt: Attempt) => NodeStatus | undefined>> = {
  container: visitPod,
  script: visitPod,
  containerSet: visitPod,
  resource: visitTask,
  http: visitTask,
  suspend: visitSuspend,
  steps: visitSteps,
  dag: visitDag,
}

const nodeTypes: Readonly<Record<TemplateType, NodeType>> = {
  container: 'Pod',
  script: 'Pod',
  containerSet: 'Pod',
  resource: 'Pod',
  http: 'HTTP',
  suspend: 'Suspend',
  steps: 'Steps',
  dag: 'DAG',
}

const nodeTypeOf = (type: TemplateType) => nodeTypes[type]

const unsupported: Readonly<Record<string, string>> = {
  data: 'templates of type data are not supported; list and transform the artifacts in a container or script template',
  plugin: 'templates of type plugin are not supported; use an http or container template',
}

/** Throws NodeFault. */
export function templateType(template: Template): TemplateType {
  const types = typeFieldsOf(template)
  const [type] = types
  const name = `templates.${template.name ?? ''}`
  if (types.length !== 1 || type === undefined) {
    const what = types.length === 0 ? 'has no type' : `has more than one type (${types.join(', ')})`
    throw new NodeFault(
      `${name} ${what}; set one of container, script, steps, dag, resource, suspend, http, containerSet`,
    )
  }
  if (type === 'data' || type === 'plugin') throw new NodeFault(`${name}.${type}: ${unsupported[type] ?? ''}`)
  return type
}

/** Makes the node of something that went wrong, or ends it. */
export function faulted(run: Run, nodeName: string, call: Call, flag: NodeStatus['nodeFlag'], error: unknown): Visit {
  const message = faultMessage(error)
  const existing = run.named(nodeName)
  const node =
    existing === undefined
      ? run.create({ ...nodeShape(call), name: nodeName, type: 'Skipped', phase: 'Error', message, nodeFlag: flag })
      : run.mark(existing, 'Error', message)
  return { node }
}

/** The words of an error that belongs to a node. Anything else is a defect of the planner and is thrown on. */
export function faultMessage(error: unknown): string {
  const isOurs =
    error instanceof NodeFault ||
    error instanceof VariableError ||
    error instanceof TemplateMissing ||
    error instanceof GraphError ||
    error instanceof WhenError
  if (!isOurs) throw error
  return error.message
}

/** What a node says of its place. */
export function nodeShape(call: Call) {
  return {
    name: call.nodeName,
    templateName: call.holder.template,
    templateRef: call.holder.templateRef,
    templateScope: scopeText(call.context),
    boundaryID: call.boundary?.id,
    nodeFlag: call.flag,
  }
}

function localVariables(run: Run, call: Call, template: Template, type: TemplateType, hasRetries: boolean): Variables {
  const locals = new Variables([['node.name', call.nodeName]])
  if (call.step !== undefined) locals.set(`${call.step.kind}.name`, call.step.name)
  // An attempt has a pod of its own.
  if (!hasRetries && nodeTypeOf(type) === 'Pod') {
    locals.set('pod.name', podName(run.name, call.nodeName, templateNameOf(call, template), run.id(call.nodeName)))
  }
  return locals
}

export const templateNameOf = (call: Call, template: Template) =>
  call.holder.templateRef?.template ?? call.holder.template ?? template.name ?? ''

function displayName(run: Run, template: Template, scope: Scope): { displayName?: string } {
  const text = template.annotations?.['workflows.argoproj.io/display-name']
  return text === undefined ? {} : { displayName: replaceText(text, scope, run.env) }
}

const isEmpty = (inputs: object | undefined) => inputs === undefined || Object.keys(inputs).length === 0

/** Whether the template around lets another node begin. */
function hasRoom(run: Run, { boundary }: Call): boolean {
  if (boundary === undefined) return true
  const { template, id } = boundary
  if (template.failFast === true && run.failedChildren(id) > 0) return false
  // As upstream, none is no limit. That of a whole Workflow is one: it lets nothing begin.
  const { parallelism = 0 } = template
  return parallelism <= 0 || run.activeChildren(id) < parallelism
}

/** A node that could not begin in time: for want of a lock, of room on the nodes, of an image. */
function timedOut(run: Run, node: NodeStatus, template: Template, scope: Scope): string | undefined {
  for (const field of ['timeout', 'pendingTimeout'] as const) {
    const text = template[field]
    if (text === undefined || text === '') continue
    const limit = timeLimit(run, text, scope, `templates.${template.name ?? ''}.${field}`)
    const end = Date.parse(node.startedAt ?? '') + limit
    if (run.now >= end) return `Step exceeded its deadline: it was pending longer than its ${field} of ${text}`
    run.wake(end)
  }
  return undefined
}

/** Milliseconds of a duration with variables in it. Throws NodeFault. */
export function timeLimit(run: Run, text: string, scope: Scope, path: string): number {
  try {
    return durationOf(replaceText(text, scope, { ...run.env, path }))
  } catch (error) {
    if (error instanceof VariableError) throw error
    throw new NodeFault(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
