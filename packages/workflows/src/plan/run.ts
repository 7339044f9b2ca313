import { asError, type Random, seededRandom } from '@tiphys/env'
import type { ExprObject, ExprValue } from '@tiphys/expressions/expr'
import {
  type TemplateContext,
  type TemplateHolder,
  TemplateLibrary,
  TemplateMissing,
} from '../spec/template-library.ts'
import type {
  NodePhase,
  NodeStatus,
  Parameter,
  Template,
  Volume,
  Workflow,
  WorkflowSpec,
  WorkflowStatus,
} from '../spec/workflow.ts'
import { rfc3339 } from '../variables/creation-time.ts'
import { type ExpressionEnv, evaluateCondition, evaluateExpression, expressionText } from '../variables/expression.ts'
import type { Scope } from '../variables/scope.ts'
import { replaceInExpression, substitute } from '../variables/substitution.ts'
import type { Action } from './action.ts'
import { fnv32a, nodeId } from './node-id.ts'
import type { Observed } from './observed.ts'
import { isEnded } from './phase.ts'
import type { PlanInput, Transition } from './plan.ts'
import type { MetadataAdditions } from './workflow-arguments.ts'

/** What makes a node end with Error: the message is for the person who reads it. */
export class NodeFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'NodeFault'
  }
}

/** Fields of a node that change; undefined removes one. */
export type NodeChanges = { [Field in keyof NodeStatus]?: NodeStatus[Field] | undefined }

export type NewNode = NodeChanges & Pick<NodeStatus, 'name' | 'type' | 'phase'>

/** The working state of one plan. Stored nodes are never changed: a changed one is a new object, and only those are
 *  written back. */
export class Run {
  readonly workflow: Workflow
  readonly name: string
  readonly namespace: string
  readonly spec: WorkflowSpec
  readonly observed: Observed
  readonly now: number
  /** `now` as statuses have it. */
  readonly time: string
  readonly env: ExpressionEnv
  readonly library: TemplateLibrary
  readonly transitions: Transition[] = []
  /** Global variables; set once they are known. */
  globals!: Scope
  /** The Workflow's arguments with their values. */
  parameters: readonly Parameter[] = []
  /** Labels of the Workflow that were computed now. */
  labels: Readonly<Record<string, string>> = {}
  /** What `workflowMetadata` adds to the Workflow, as far as it is known. */
  metadata: MetadataAdditions = { labels: {}, annotations: {} }
  /** What `workflow.status` says: how the main part of the run stands. */
  mainStatus: string | undefined
  /** The Workflow is suspended: what runs is watched, nothing is started. */
  readonly isFrozen: boolean
  readonly shutdown: '' | 'Stop' | 'Terminate'
  /** When the whole run has to be over. */
  deadline: number | undefined
  wakeAt: number | undefined
  /** Something could not begin for want of room. */
  isBlocked = false
  readonly #actions = new Map<string, Action>()
  /** Lists of children that this plan has made, and may append to. */
  readonly #owned = new Map<string, string[]>()
  #status: WorkflowStatus
  readonly #stored: ReadonlyMap<string, NodeStatus>
  readonly #changed = new Map<string, NodeStatus>()
  readonly #children = new Map<string, Set<string>>()
  #active: ActiveCounts | undefined

  constructor({ workflow, observed, now, templates }: PlanInput, spec: WorkflowSpec) {
    this.workflow = workflow
    this.name = workflow.metadata.name ?? ''
    this.namespace = workflow.metadata.namespace ?? ''
    this.spec = spec
    this.observed = observed
    this.now = now
    this.time = rfc3339(now)
    this.env = { now, random: lots(`${workflow.metadata.uid ?? this.name}/${now}`) }
    this.#status = workflow.status ?? {}
    this.#stored = indexed(this.#status.nodes)
    this.library = new TemplateLibrary(this.name, spec, templates, this.#status.storedTemplates)
    this.shutdown = workflow.spec.shutdown ?? ''
    this.isFrozen = workflow.spec.suspend === true && this.shutdown === ''
  }

  get status(): WorkflowStatus {
    return this.#status
  }

  /** Sets fields of the workflow's status; undefined removes one. */
  setStatus(fields: { [Field in keyof WorkflowStatus]?: WorkflowStatus[Field] | undefined }): void {
    const next: WorkflowStatus = { ...this.#status }
    let differs = false
    for (const [field, value] of Object.entries(fields)) {
      if (next[field] === value) continue
      differs = true
      if (value === undefined) delete next[field]
      else next[field] = value
    }
    if (differs) this.#status = next
  }

  /** The id of a node. Two names can have one hash: the one that comes second gets a number behind it. */
  id(nodeName: string): string {
    const first = nodeId(this.name, nodeName)
    let id = first
    for (let number = 2; ; number++) {
      const taken = this.node(id)
      if (taken === undefined || taken.name === nodeName) return id
      id = `${first}-${number}`
    }
  }

  node(id: string): NodeStatus | undefined {
    return this.#changed.get(id) ?? this.#stored.get(id)
  }

  named(nodeName: string): NodeStatus | undefined {
    return this.node(this.id(nodeName))
  }

  *nodes(): Generator<NodeStatus> {
    for (const [id, node] of this.#stored) yield this.#changed.get(id) ?? node
    for (const [id, node] of this.#changed) if (!this.#stored.has(id)) yield node
  }

  get hasChangedNodes(): boolean {
    return this.#changed.size > 0
  }

  /** The nodes by id, with all changes. */
  allNodes(): Record<string, NodeStatus> {
    const nodes = { ...this.#status.nodes, ...Object.fromEntries(this.#changed) }
    const index = new Map(this.#stored)
    for (const [id, node] of this.#changed) index.set(id, node)
    indexes.set(nodes, index)
    return nodes
  }

  create({ name, type, phase, displayName, ...rest }: NewNode): NodeStatus {
    const { time } = this
    const node = {
      id: this.id(name),
      name,
      displayName: displayName ?? this.#displayName(name, rest.boundaryID),
      type,
      phase,
      ...withoutUndefined(rest),
      startedAt: time,
      finishedAt: isEnded(phase) ? time : null,
    } as NodeStatus
    if (type === 'Pod' || type === 'Container' || type === 'HTTP' || type === 'Suspend') {
      node.progress = phase === 'Succeeded' ? '1/1' : '0/1'
    }
    this.#changed.set(node.id, node)
    this.transitions.push({ node, from: undefined })
    this.#count(node, 1)
    return node
  }

  /** Changes fields of a node. Returns the node as it is now. */
  update(node: NodeStatus, fields: NodeChanges): NodeStatus {
    const current = this.node(node.id) ?? node
    let next: NodeStatus | undefined
    for (const [field, value] of Object.entries(fields)) {
      if (current[field] === value) continue
      next ??= { ...current }
      if (value === undefined) delete next[field]
      else next[field] = value
    }
    if (next === undefined) return current
    if (next.phase !== current.phase) {
      if (isEnded(next.phase) && !next.finishedAt) next.finishedAt = this.time
      if (next.phase === 'Succeeded' && next.progress !== undefined) next.progress = '1/1'
      this.transitions.push({ node: next, from: current.phase })
    }
    this.#count(current, -1)
    this.#count(next, 1)
    this.#changed.set(next.id, next)
    return next
  }

  /** Ends or moves a node. A message that is left out stays as it is. */
  mark(node: NodeStatus, phase: NodePhase, message?: string): NodeStatus {
    return this.update(
      node,
      message === undefined ? { phase } : { phase, message: message === '' ? undefined : message },
    )
  }

  addChild(parentId: string, childId: string): void {
    const parent = this.node(parentId)
    if (parent === undefined) return
    let known = this.#children.get(parentId)
    if (known === undefined) this.#children.set(parentId, (known = new Set(parent.children)))
    if (known.has(childId)) return
    known.add(childId)
    const mutable = this.#ownChildren(parent)
    mutable.push(childId)
  }

  /** The list of a parent's children that this plan may append to. */
  #ownChildren(parent: NodeStatus): string[] {
    const owned = this.#owned.get(parent.id)
    if (owned !== undefined && parent.children === owned) return owned
    const children = [...(parent.children ?? [])]
    this.#owned.set(parent.id, children)
    this.#changed.set(parent.id, { ...parent, children })
    return children
  }

  /** Nodes that this plan has given children. */
  *parents(): Generator<NodeStatus> {
    for (const id of this.#owned.keys()) {
      const node = this.node(id)
      if (node !== undefined) yield node
    }
  }

  wake(at: number): void {
    if (at > this.now && (this.wakeAt === undefined || at < this.wakeAt)) this.wakeAt = at
  }

  /** Asks the driver for something; asked for twice, it is asked once. */
  ask(action: Action): void {
    this.#actions.set(actionKey(action), action)
  }

  get actions(): Action[] {
    return [...this.#actions.values()]
  }

  /** Daemons that are up. */
  *daemons(): Generator<NodeStatus> {
    for (const id of this.#counts().daemons) {
      const node = this.node(id)
      if (node?.daemoned === true) yield node
    }
  }

  /** The template that a step calls, when it can be found. */
  templateOf(holder: TemplateHolder, context: TemplateContext): Template | undefined {
    try {
      return this.library.resolve(holder, context).template
    } catch (error) {
      if (error instanceof TemplateMissing) return undefined
      throw error
    }
  }

  /** The volumes of all pods, with variables put in. */
  volumes(scope: Scope): readonly Volume[] {
    const own = substitute(this.spec.volumes ?? [], scope, { ...this.env, path: 'spec.volumes' })
    return [...own, ...(this.status.persistentVolumeClaims ?? [])]
  }

  /** What the spec says of all pods, with variables put in. */
  shared(scope: Scope): Partial<WorkflowSpec> {
    const fields = sharedFields.flatMap(field =>
      this.spec[field] === undefined ? [] : [[field, this.spec[field]] as const],
    )
    return substitute(Object.fromEntries(fields), scope, { ...this.env, path: 'spec' })
  }

  /** The value of an expression as it stands in a manifest. Throws NodeFault. */
  evaluate(source: string, scope: Scope, path: string): ExprValue {
    try {
      return evaluateExpression(replaceInExpression(source, scope, { ...this.env, path }), scope, this.env)
    } catch (error) {
      throw new NodeFault(`${path}: failed to evaluate ${source}: ${asError(error).message}`, { cause: error })
    }
  }

  /** The value of an expression as text; none is a fault. */
  text(source: string, scope: Scope, path: string): string {
    const value = this.evaluate(source, scope, path)
    if (value === null || value === undefined)
      throw new NodeFault(`${path}: ${source} has no value (nil); use ?? to give it one`)
    return expressionText(value)
  }

  /** The answer of a condition as it stands in a manifest. Throws NodeFault. */
  writtenCondition(source: string, scope: Scope, path: string): boolean {
    return this.condition(replaceInExpression(source, scope, { ...this.env, path }), scope, path)
  }

  /** The answer of a condition. Throws NodeFault. */
  condition(source: string, scope: Scope, path: string, extra?: ExprObject): boolean {
    try {
      return evaluateCondition(source, scope, this.env, extra)
    } catch (error) {
      throw new NodeFault(`${path}: ${asError(error).message}`, { cause: error })
    }
  }

  /** Pods that are waiting or running, of the whole run or inside of one template. */
  activePods(): number {
    return this.#counts().pods
  }

  activeChildren(boundaryId: string): number {
    return this.#counts().children.get(boundaryId) ?? 0
  }

  failedChildren(boundaryId: string): number {
    return this.#counts().failed.get(boundaryId) ?? 0
  }

  #counts(): ActiveCounts {
    if (this.#active === undefined) {
      this.#active = { pods: 0, children: new Map(), failed: new Map(), daemons: new Set() }
      for (const node of this.nodes()) this.#count(node, 1)
    }
    return this.#active
  }

  #count(node: NodeStatus, step: 1 | -1): void {
    const counts = this.#active
    if (counts !== undefined && node.daemoned === true) counts.daemons.add(node.id)
    if (counts === undefined || (node.type !== 'Pod' && node.type !== 'Steps' && node.type !== 'DAG')) return
    const isActive = node.phase === 'Pending' || node.phase === 'Running'
    if (isActive && node.type === 'Pod' && node.synchronizationStatus?.waiting === undefined) counts.pods += step
    if (node.boundaryID === undefined) return
    const counter = isActive
      ? counts.children
      : node.phase === 'Failed' || node.phase === 'Error'
        ? counts.failed
        : undefined
    counter?.set(node.boundaryID, (counter.get(node.boundaryID) ?? 0) + step)
  }

  #displayName(name: string, boundaryId: string | undefined): string {
    const boundary = boundaryId === undefined ? undefined : this.node(boundaryId)
    if (boundary === undefined || !name.startsWith(boundary.name)) return name
    return name.slice(boundary.name.length).replace(/^(\[\d+\])?\./, '')
  }
}

/** Fields of a spec that are about its pods. */
const sharedFields = [
  'serviceAccountName',
  'automountServiceAccountToken',
  'executor',
  'podMetadata',
  'podSpecPatch',
  'podPriorityClassName',
  'nodeSelector',
  'affinity',
  'podResources',
  'resourceClaims',
  'tolerations',
  'imagePullSecrets',
  'hostNetwork',
  'hostAliases',
  'dnsPolicy',
  'dnsConfig',
  'schedulerName',
  'securityContext',
  'archiveLogs',
  'artifactRepositoryRef',
] as const

const indexes = new WeakMap<object, ReadonlyMap<string, NodeStatus>>()

/** Nodes by id. A status that this planner has made brings its index along. */
function indexed(nodes: Readonly<Record<string, NodeStatus>> | undefined): ReadonlyMap<string, NodeStatus> {
  if (nodes === undefined) return new Map()
  let index = indexes.get(nodes)
  if (index === undefined) indexes.set(nodes, (index = new Map(Object.entries(nodes))))
  return index
}

interface ActiveCounts {
  pods: number
  children: Map<string, number>
  failed: Map<string, number>
  daemons: Set<string>
}

/** What an action is about: a later one of the same kind replaces it. */
function actionKey(action: Action): string {
  if ('nodeId' in action) return `${action.do}/${action.nodeId}`
  return `${action.do}/${'holder' in action ? action.holder : action.name}`
}

/** The same lots for the same plan. */
function lots(text: string): Random {
  return seededRandom(fnv32a(text))
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
