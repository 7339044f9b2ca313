import type { StepDetail } from '@tiphys/archive'
import { dependenciesOf } from '../template/template.ts'

interface TaskSpec {
  name: string
  template?: string
  templateRef?: { name?: string; template?: string; clusterScope?: boolean }
  inline?: TemplateSpec
  dependencies?: readonly string[]
  depends?: string
}

interface TemplateSpec {
  name?: string
  steps?: readonly (readonly TaskSpec[])[]
  dag?: { tasks?: readonly TaskSpec[] }
}

interface NodeStatus {
  id: string
  displayName?: string
  type: string
  phase?: string
  templateName?: string
  templateRef?: TaskSpec['templateRef']
  templateScope?: string
  boundaryID?: string
  children?: readonly string[]
  outputs?: { parameters?: readonly SuppliedOutput[] }
}

/** An output that somebody gives when a step is resumed. */
export interface SuppliedOutput {
  name: string
  value?: string
  default?: string
  description?: string
  enum?: readonly string[]
  valueFrom?: { supplied?: object; default?: string }
}

/** What is read of a Workflow as the cluster has it. */
export interface WorkflowManifest {
  metadata?: { uid?: string }
  spec?: { templates?: readonly TemplateSpec[]; suspend?: boolean }
  status?: {
    nodes?: Readonly<Record<string, NodeStatus>>
    storedTemplates?: Readonly<Record<string, TemplateSpec>>
    storedWorkflowTemplateSpec?: { templates?: readonly TemplateSpec[] }
  }
}

/** The phase of a step that has not begun. */
export const PLANNED = 'Planned'
/** The phase of a step that did not begin before the run was over. */
export const NOT_REACHED = 'Not reached'
export const isPlanned = (phase: string): boolean => phase === PLANNED || phase === NOT_REACHED

const DEEPEST = 6
const MOST = 300

/** The steps together with those that have not begun: what the templates of the run say, without what is there already. A
 *  step that is made for every item of a list is one until the list is known. */
export function withPlanned(steps: readonly StepDetail[], workflow: WorkflowManifest, isOver: boolean): StepDetail[] {
  const planner = new Planner(workflow, isOver ? NOT_REACHED : PLANNED)
  planner.plan()
  if (planner.planned.size === 0) return [...steps]
  const linked = steps.map(step => {
    const added = planner.after.get(step.step)
    return added ? { ...step, children: [...(step.children ?? []), ...added] } : step
  })
  const known = new Set(steps.map(({ step }) => step))
  const fresh = [...planner.planned.values()].filter(({ step }) => !known.has(step))
  return [...linked, ...fresh.map(step => ({ ...step, children: planner.after.get(step.step) ?? [] }))]
}

/** What a suspended step waits for beside somebody who resumes it. */
export function suppliedOutputs(workflow: WorkflowManifest | undefined, step: string): readonly SuppliedOutput[] {
  const parameters = workflow?.status?.nodes?.[step]?.outputs?.parameters ?? []
  return parameters.filter(({ valueFrom }) => valueFrom?.supplied !== undefined)
}

class Planner {
  readonly planned = new Map<string, StepDetail>()
  /** What comes after a step, of what is planned. */
  readonly after = new Map<string, string[]>()
  readonly #nodes: readonly NodeStatus[]
  readonly #byId: Readonly<Record<string, NodeStatus>>
  readonly #local: ReadonlyMap<string, TemplateSpec>
  readonly #stored: Readonly<Record<string, TemplateSpec>>
  readonly #phase: string

  constructor({ spec, status = {} }: WorkflowManifest, phase: string) {
    this.#byId = status.nodes ?? {}
    this.#nodes = Object.values(this.#byId)
    const templates = status.storedWorkflowTemplateSpec?.templates ?? spec?.templates ?? []
    this.#local = new Map(templates.map(template => [template.name ?? '', template]))
    this.#stored = status.storedTemplates ?? {}
    this.#phase = phase
  }

  plan(): void {
    for (const node of this.#nodes) {
      if (node.type !== 'DAG' && node.type !== 'Steps') continue
      const { templateName: template, templateRef } = node
      const { found, scope } = this.#find(
        { name: '', ...(templateRef ? { templateRef } : template !== undefined && { template }) },
        node.templateScope ?? 'local',
      )
      const inner = this.#nodes.filter(({ boundaryID }) => boundaryID === node.id)
      if (found?.dag?.tasks) this.#planDag(node, found.dag.tasks, inner, scope)
      else if (found?.steps) this.#planSteps(node, found.steps, inner, scope)
    }
  }

  #planDag(node: NodeStatus, tasks: readonly TaskSpec[], inner: readonly NodeStatus[], scope: string): void {
    const ends = new Map<string, string[]>()
    for (const task of inOrder(tasks)) {
      const there = inner.filter(each => isOf(each, task))
      const before = dependenciesOf(task).flatMap(name => ends.get(name) ?? [])
      ends.set(
        task.name,
        there.length > 0
          ? there.flatMap(each => this.#endsOf(each))
          : this.#expand(`${node.id}/${task.name}`, task, before.length > 0 ? before : [node.id], scope, 0),
      )
    }
  }

  #planSteps(
    node: NodeStatus,
    groups: readonly (readonly TaskSpec[])[],
    inner: readonly NodeStatus[],
    scope: string,
  ): void {
    let before: string[] = [node.id]
    for (const [i, group] of groups.entries()) {
      const holder = inner.find(({ type, displayName }) => type === 'StepGroup' && displayName === `[${i}]`)
      before = holder
        ? this.#endsOf(holder)
        : group.flatMap(task => this.#expand(`${node.id}/${i}/${task.name}`, task, before, scope, 0))
    }
  }

  /** Draws a task that has not begun, with what is in it. Returns what ends it. */
  #expand(id: string, task: TaskSpec, before: readonly string[], scope: string, depth: number): string[] {
    if (this.planned.size >= MOST) return [...before]
    const { found, scope: inside } = this.#find(task, scope)
    const isGroup = depth < DEEPEST && (found?.steps !== undefined || found?.dag !== undefined)
    for (const each of before) this.after.set(each, [...(this.after.get(each) ?? []), id])
    const type = isGroup ? (found.dag ? 'DAG' : 'Steps') : 'Pod'
    this.planned.set(id, {
      step: id,
      name: task.name,
      displayName: task.name,
      type,
      phase: this.#phase,
      attempt: 1,
      at: 0,
      changedAt: 0,
      logs: [],
    })
    if (!isGroup) return [id]
    if (found.steps)
      return found.steps.reduce<string[]>(
        (last, group, i) =>
          group.flatMap(each => this.#expand(`${id}/${i}/${each.name}`, each, last, inside, depth + 1)),
        [id],
      )
    const ends = new Map<string, string[]>()
    const waited = new Set<string>()
    for (const each of inOrder(found.dag?.tasks ?? [])) {
      const needed = dependenciesOf(each)
      for (const name of needed) waited.add(name)
      const last = needed.flatMap(name => ends.get(name) ?? [])
      ends.set(each.name, this.#expand(`${id}/${each.name}`, each, last.length > 0 ? last : [id], inside, depth + 1))
    }
    const last = [...ends].filter(([name]) => !waited.has(name)).flatMap(([, end]) => end)
    return last.length > 0 ? last : [id]
  }

  #find(
    { template, templateRef, inline }: TaskSpec,
    scope: string,
  ): { found: TemplateSpec | undefined; scope: string } {
    if (inline) return { found: inline, scope }
    if (templateRef) {
      const inside = `${templateRef.clusterScope ? 'cluster' : 'namespaced'}/${templateRef.name ?? ''}`
      return { found: this.#stored[`${inside}/${templateRef.template ?? ''}`], scope: inside }
    }
    if (scope.startsWith('local')) return { found: this.#local.get(template ?? ''), scope }
    return { found: this.#stored[`${scope}/${template ?? ''}`], scope }
  }

  /** The steps that something else comes after, of one that has begun. */
  #endsOf(node: NodeStatus, depth = 0): string[] {
    const children = (node.children ?? []).map(id => this.#byId[id]).filter(each => each !== undefined)
    const last = children.at(-1)
    if (depth > 50) return [node.id]
    if (node.type === 'Retry') return last ? this.#endsOf(last, depth + 1) : [node.id]
    if (node.type === 'TaskGroup' || node.type === 'StepGroup')
      return children.length > 0 ? children.flatMap(each => this.#endsOf(each, depth + 1)) : [node.id]
    if (node.type !== 'DAG' && node.type !== 'Steps') return [node.id]
    const inner = this.#nodes.filter(({ boundaryID }) => boundaryID === node.id)
    const ids = new Set(inner.map(({ id }) => id))
    const leaves = inner.filter(each => !(each.children ?? []).some(id => ids.has(id)))
    return leaves.length > 0 ? leaves.flatMap(each => this.#endsOf(each, depth + 1)) : [node.id]
  }
}

/** Of a list there is one for every item: `name(0:a)`. */
const isOf = ({ displayName = '' }: NodeStatus, { name }: TaskSpec) =>
  displayName === name || displayName.startsWith(`${name}(`)

/** Each task after those that it depends on; a circle, which the engine refuses, is left as it stands. */
function inOrder(tasks: readonly TaskSpec[]): readonly TaskSpec[] {
  const done = new Set<string>()
  const ordered: TaskSpec[] = []
  const left = [...tasks]
  while (left.length > 0) {
    const at = left.findIndex(task =>
      dependenciesOf(task).every(name => done.has(name) || !tasks.some(each => each.name === name)),
    )
    const [task] = left.splice(Math.max(0, at), 1)
    if (!task) break
    done.add(task.name)
    ordered.push(task)
  }
  return ordered
}
