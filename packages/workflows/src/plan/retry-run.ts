import { TerminalFailure } from '@tiphys/env'
import { ANNOTATION } from '../pods/labels.ts'
import { mergeOver } from '../spec/merge.ts'
import type { NodeStatus, Workflow, WorkflowSpec, WorkflowStatus } from '../spec/workflow.ts'
import { rfc3339 } from '../variables/creation-time.ts'
import { nodeId, podName } from './node-id.ts'
import { isEnded, isFailure } from './phase.ts'

export interface RetryRunOptions {
  /** Milliseconds since the epoch. */
  now: number
  /** Steps that are done again although they succeeded. */
  restart?(node: NodeStatus): boolean
  /** New values of the Workflow's arguments. */
  parameters?: Readonly<Record<string, string>>
}

export interface RetriedRun {
  /** The Workflow, ready to go on: to be stored after the pods in `deletePods` are gone, since theirs are the names of the new
   *  ones. */
  workflow: Workflow
  deletePods: readonly { nodeId: string; podName: string }[]
  /** The attempt that failed, as it was: nodes that are done again. What is kept of it is kept from here. */
  removed: readonly NodeStatus[]
}

/** Goes on with a finished run from the steps that failed. What succeeded is kept. Throws TerminalFailure when it cannot be
 *  retried. */
export function retryRun(workflow: Workflow, { now, restart, parameters }: RetryRunOptions): RetriedRun {
  const { phase } = workflow.status ?? {}
  if (phase !== 'Failed' && phase !== 'Error' && !(phase === 'Succeeded' && restart !== undefined)) {
    const todo =
      phase === 'Succeeded'
        ? 'Select the steps to restart (restartSuccessful with a node selector)'
        : 'Wait until it is over'
    throw new TerminalFailure('workflows-cannot-retry', {
      what: `Workflow ${workflow.metadata.name ?? ''} is in phase ${phase || 'Pending'} and cannot be retried`,
      todo,
    })
  }
  const nodes = workflow.status?.nodes ?? {}
  const { doomed, reopened } = partition(workflow.metadata.name ?? '', nodes, restart)
  const kept: Record<string, NodeStatus> = {}
  for (const [id, node] of Object.entries(nodes)) {
    if (!doomed.has(id))
      kept[id] = trimmed(reopened.has(id) ? reset(node, now, parameters !== undefined) : node, doomed)
  }
  const removed = Object.values(nodes).filter(({ id }) => doomed.has(id))
  return {
    workflow: restarted(workflow, kept, now, parameters),
    deletePods: removed
      .filter(({ type }) => type === 'Pod')
      .map(node => ({ nodeId: node.id, podName: podOf(workflow, node) })),
    removed,
  }
}

const podOf = ({ metadata }: Workflow, node: NodeStatus) =>
  podName(metadata.name ?? '', node.name, node.templateRef?.template ?? node.templateName ?? '', node.id)

/** Which nodes are done again, and which ones around them have to be open for that. */
function partition(
  workflowName: string,
  nodes: Readonly<Record<string, NodeStatus>>,
  restart: ((node: NodeStatus) => boolean) | undefined,
) {
  const doomed = new Set<string>()
  const all = Object.values(nodes)
  const retries = retriesOf(nodes)
  const doom = (id: string) => {
    if (doomed.has(id)) return
    doomed.add(id)
    for (const child of nodes[id]?.children ?? []) doom(child)
  }
  for (const node of all) {
    const isExit = node.name === `${workflowName}.onExit` || node.name.startsWith(`${workflowName}.onExit`)
    if (isExit || restart?.(node) === true) doom(node.id)
    else if (isFailedStep(node) && !isHistory(node, nodes, retries)) doom(retries.get(node.id)?.id ?? node.id)
  }
  // What lies inside of something that is done again goes with it.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const node of all) {
      if (doomed.has(node.id) || node.boundaryID === undefined || !doomed.has(node.boundaryID)) continue
      doom(node.id)
      isGrowing = true
    }
  }
  const root = nodes[workflowName]?.type
  if (root === 'Steps' || root === 'DAG') doomed.delete(workflowName)
  return { doomed, reopened: reopenedBy(doomed, nodes, retries) }
}

const composites = new Set(['Steps', 'StepGroup', 'DAG', 'TaskGroup', 'Retry'])

const isFailedStep = ({ type, phase }: NodeStatus) => isFailure(phase) && !composites.has(type)

type Nodes = Readonly<Record<string, NodeStatus>>
type Retries = ReadonlyMap<string, NodeStatus>

/** The node of the retries that an attempt belongs to. Its attempts are done again together: the retries start anew. */
function retriesOf(nodes: Nodes): Retries {
  const isAttempt = (id: string) => nodes[id]?.nodeFlag?.retried === true
  return new Map(
    Object.values(nodes).flatMap(node =>
      node.type === 'Retry' ? (node.children ?? []).filter(isAttempt).map(id => [id, node] as const) : [],
    ),
  )
}

/** What another attempt came after, and a failure that the run went on after. */
function isHistory(node: NodeStatus, nodes: Nodes, retries: Retries): boolean {
  return (
    isOfEarlierAttempt(node, nodes, retries) ||
    (isFollowedBySuccess(node, nodes, retries) && !isReason(node, nodes, retries))
  )
}

function isOfEarlierAttempt(node: NodeStatus, nodes: Nodes, retries: Retries): boolean {
  for (let current: NodeStatus | undefined = node; current; current = nodes[current.boundaryID ?? '']) {
    const last = retries.get(current.id)?.children?.findLast(id => retries.has(id))
    if (last !== undefined && last !== current.id) return true
  }
  return false
}

/** Where what comes after a node is attached: to itself, or to the hooks of the retries that it is the last attempt of. */
function endsOf(node: NodeStatus, nodes: Nodes, retries: Retries): NodeStatus[] {
  const hooks = (retries.get(node.id)?.children ?? []).flatMap(id => {
    const child = nodes[id]
    return child?.nodeFlag?.hooked === true && child.nodeFlag.retried !== true ? [child] : []
  })
  return [node, ...hooks]
}

function isFollowedBySuccess(node: NodeStatus, nodes: Nodes, retries: Retries): boolean {
  const open = new Set(endsOf(node, nodes, retries))
  for (const current of open) {
    const isHook = current.nodeFlag?.hooked === true
    for (const id of current.children ?? []) {
      const child = nodes[id]
      // What is inside of a hook does not come after its step.
      if (child === undefined || (isHook && child.boundaryID === current.id)) continue
      if (child.phase === 'Succeeded' && child.nodeFlag?.hooked !== true) return true
      open.add(child)
    }
  }
  return false
}

/** Whether all around a step has failed because of it, although something came after it: of a dag whose task has failed, some
 *  tasks may have been made for that, and others were left out. */
function isReason(node: NodeStatus, nodes: Nodes, retries: Retries): boolean {
  const ends = endsOf(node, nodes, retries)
  for (let around = nodes[node.boundaryID ?? '']; around; around = nodes[around.boundaryID ?? '']) {
    const next = ends.flatMap(end => followersIn(around, end, nodes))
    const isEnd = next.length === 0 || (around.type === 'DAG' && areLeftOut(next, around, nodes))
    if (!isFailure(around.phase) || !isEnd) return false
    ends.push(...endsOf(around, nodes, retries))
  }
  return true
}

const followersIn = (around: NodeStatus, { children = [] }: NodeStatus, nodes: Nodes): NodeStatus[] =>
  children.flatMap(id => {
    const child = nodes[id]
    return child?.boundaryID === around.id && child.nodeFlag?.hooked !== true ? [child] : []
  })

/** Whether some of these tasks did not run, and nothing after them did. */
function areLeftOut(tasks: readonly NodeStatus[], around: NodeStatus, nodes: Nodes): boolean {
  const open = new Set(tasks)
  for (const task of open) {
    if (task.phase !== 'Omitted' && task.phase !== 'Skipped') continue
    const next = followersIn(around, task, nodes)
    if (next.length === 0) return true
    for (const follower of next) open.add(follower)
  }
  return false
}

/** Everything around what is done again, and whatever failed without a step of its own having failed. */
function reopenedBy(doomed: ReadonlySet<string>, nodes: Nodes, retries: Retries): Set<string> {
  const parents = new Map<string, string[]>()
  for (const { id, type, children = [] } of Object.values(nodes)) {
    if (type !== 'StepGroup' && type !== 'TaskGroup' && type !== 'Retry') continue
    for (const child of children) parents.set(child, [...(parents.get(child) ?? []), id])
  }
  const reopened = new Set<string>()
  const open = (id: string | undefined) => {
    if (id === undefined || reopened.has(id) || doomed.has(id) || nodes[id] === undefined) return
    reopened.add(id)
    around(id)
  }
  const around = (id: string) => {
    open(nodes[id]?.boundaryID)
    for (const parent of parents.get(id) ?? []) open(parent)
  }
  for (const id of doomed) around(id)
  for (const node of Object.values(nodes)) {
    const isOpen = composites.has(node.type) && isFailure(node.phase)
    if (isOpen && !isOfEarlierAttempt(node, nodes, retries)) open(node.id)
  }
  return reopened
}

function reset(node: NodeStatus, now: number, hasNewParameters: boolean): NodeStatus {
  const { message: _, outputs: _outputs, outboundNodes: _outbound, inputs, ...rest } = node
  const isStep = !composites.has(node.type)
  const restarted: NodeStatus = { ...rest, phase: 'Running', startedAt: rfc3339(now), finishedAt: null }
  return hasNewParameters && !isStep ? restarted : { ...restarted, ...(inputs === undefined ? {} : { inputs }) }
}

function trimmed(node: NodeStatus, doomed: ReadonlySet<string>): NodeStatus {
  const without = (ids: readonly string[] | undefined) => ids?.filter(id => !doomed.has(id))
  const { children, outboundNodes } = node
  return {
    ...node,
    ...(children === undefined ? {} : { children: without(children) as string[] }),
    ...(outboundNodes === undefined ? {} : { outboundNodes: without(outboundNodes) as string[] }),
  }
}

function restarted(
  workflow: Workflow,
  nodes: Record<string, NodeStatus>,
  now: number,
  parameters: Readonly<Record<string, string>> | undefined,
): Workflow {
  const { shutdown: _, ...spec } = workflow.spec
  const { [ANNOTATION.stopMessage]: _said, ...annotations } = workflow.metadata.annotations ?? {}
  const {
    message: _message,
    synchronization: _sync,
    storedWorkflowTemplateSpec: stored,
    ...status
  } = workflow.status ?? {}
  const next: WorkflowStatus = {
    ...status,
    nodes,
    phase: 'Running',
    startedAt: rfc3339(now),
    finishedAt: null,
    conditions: [{ type: 'Completed', status: 'False' }],
    ...(stored === undefined ? {} : { storedWorkflowTemplateSpec: withParameters(stored, parameters) }),
  }
  return {
    ...workflow,
    metadata: {
      ...workflow.metadata,
      labels: {
        ...workflow.metadata.labels,
        'workflows.argoproj.io/completed': 'false',
        'workflows.argoproj.io/phase': 'Running',
      },
      annotations: {
        ...annotations,
        [ANNOTATION.retries]: String(Number(annotations[ANNOTATION.retries] ?? 0) + 1),
      },
    },
    spec: withParameters(spec, parameters),
    status: next,
  }
}

function withParameters(spec: WorkflowSpec, parameters: Readonly<Record<string, string>> | undefined): WorkflowSpec {
  if (parameters === undefined) return spec
  const list = Object.entries(parameters).map(([name, value]) => ({ name, value }))
  return mergeOver(spec, { arguments: { parameters: list } })
}

export interface ResubmitOptions {
  now: number
  name: string
  parameters?: Readonly<Record<string, string>>
  /** Steps that succeeded are taken over and not done again. */
  memoized?: boolean
}

const ownLabels = new Set([
  'workflows.argoproj.io/phase',
  'workflows.argoproj.io/completed',
  'workflows.argoproj.io/workflow-archiving-status',
  'workflows.argoproj.io/creator',
])

/** A new Workflow like one that is over. Throws TerminalFailure. */
export function resubmitRun(
  workflow: Workflow,
  { now, name, parameters, memoized = false }: ResubmitOptions,
): Workflow {
  const old = workflow.metadata.name ?? ''
  const { shutdown: _, suspend: _suspend, ...spec } = workflow.spec
  const labels = Object.fromEntries(
    Object.entries(workflow.metadata.labels ?? {}).filter(([key]) => !ownLabels.has(key)),
  )
  const {
    namespace,
    annotations: { [ANNOTATION.retries]: _retries, [ANNOTATION.stopMessage]: _said, ...annotations } = {},
    ownerReferences,
  } = workflow.metadata
  const fresh: Workflow = {
    apiVersion: workflow.apiVersion,
    kind: workflow.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, 'workflows.argoproj.io/resubmitted-from-workflow': old },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: withParameters(spec, parameters),
  }
  if (!memoized) return fresh
  const { workflow: retried } = retryRun(workflow, { now, ...(parameters === undefined ? {} : { parameters }) })
  const { status = {} } = retried
  const time = rfc3339(now)
  const renamed = (text: string) => (text.startsWith(old) ? name + text.slice(old.length) : text)
  const ids = new Map(Object.values(status.nodes ?? {}).map(node => [node.id, nodeId(name, renamed(node.name))]))
  const nodes: Record<string, NodeStatus> = {}
  for (const node of Object.values(status.nodes ?? {})) {
    const id = ids.get(node.id) as string
    const isTaken = isEnded(node.phase) && !composites.has(node.type)
    nodes[id] = {
      ...node,
      id,
      name: renamed(node.name),
      displayName: node.displayName === node.name ? renamed(node.displayName) : node.displayName,
      ...(node.boundaryID === undefined ? {} : { boundaryID: ids.get(node.boundaryID) ?? node.boundaryID }),
      ...(node.children === undefined ? {} : { children: node.children.map(child => ids.get(child) ?? child) }),
      ...(node.outboundNodes === undefined
        ? {}
        : { outboundNodes: node.outboundNodes.map(child => ids.get(child) ?? child) }),
      ...(isTaken && node.type === 'Pod' ? { type: 'Skipped' as const, message: `original pod: ${node.id}` } : {}),
      startedAt: time,
      finishedAt: isEnded(node.phase) ? time : null,
    }
  }
  const { storedTemplates, storedWorkflowTemplateSpec } = status
  return {
    ...fresh,
    status: {
      phase: '',
      nodes,
      conditions: [{ type: 'Completed', status: 'False' }],
      ...(storedTemplates === undefined ? {} : { storedTemplates }),
      ...(storedWorkflowTemplateSpec === undefined ? {} : { storedWorkflowTemplateSpec }),
      ...(status.outputs === undefined ? {} : { outputs: status.outputs }),
    },
  }
}
