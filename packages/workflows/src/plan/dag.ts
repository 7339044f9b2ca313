import { type GraphTask, goodEnds, identifier, type TaskGraph, taskGraph } from '../spec/task-graph.ts'
import { scopeText } from '../spec/template-library.ts'
import type { Call, NodePhase, NodeStatus } from '../spec/workflow.ts'
import type { LoopItem } from '../variables/json-items.ts'
import { joinScopes, Variables } from '../variables/scope.ts'
import { replaceText } from '../variables/substitution.ts'
import type { Attempt } from './call.ts'
import { type Callee, type Callees, CallScope } from './call-scope.ts'
import { type Parent, visitChild } from './child-call.ts'
import { beginComposite, fail, failFastMessage, failsFast, succeed } from './composite.ts'
import { hasHooks, hooksOfLoop, visitHooks } from './hooks.ts'
import { isLoop, roundsOf } from './loop.ts'
import { attach, outboundOf } from './outbound.ts'
import { isCompleted, isEnded, isFailure, isFulfilled } from './phase.ts'
import { NodeFault, type Run } from './run.ts'
import { mayExecute, stoppedMessage } from './stop.ts'
import { faultMessage } from './visit.ts'

/** Tasks that wait for each other. */
export function visitDag(run: Run, attempt: Attempt): NodeStatus {
  const { template } = attempt
  const path = `templates.${template.name ?? ''}.dag`
  const node = beginComposite(run, attempt, 'DAG')
  const dag = template.dag ?? { tasks: [] }
  const target = replaceText(dag.target ?? '', attempt.scope, { ...run.env, path: `${path}.target` })
  const graph = taskGraph(dag, path, target)
  const callees = new TaskCallees(run, attempt.nodeName, graph)
  const scope = joinScopes(new CallScope(run, 'tasks', callees, attempt.inside), attempt.scope)
  const parent: Parent = {
    attempt,
    boundary: { id: node.id, template, avoidedHosts: attempt.avoidedHosts },
    kind: 'tasks',
    scope,
  }
  const visits = new DagVisit(run, parent, graph, path)
  for (const task of graph.order) visits.visit(task)
  const current = run.node(node.id) as NodeStatus
  if (isEnded(current.phase)) return current
  const ends = graph.targets.flatMap(({ spec }) => outboundOf(run, run.id(`${attempt.nodeName}.${spec.name}`)))
  if (failsFast(run, attempt, current)) return fail(run, current, 'Failed', failFastMessage, ends)
  const judged = visits.phase(dag.failFast !== false)
  // As upstream: whatever has become of its tasks, a dag that was stopped has failed.
  const phase = judged === 'Succeeded' && !mayExecute(run, attempt.call.isExit) ? 'Failed' : judged
  if (phase === 'Running') return current
  const outbound = [...new Set(ends)].filter(id => run.node(id) !== undefined)
  return isFailure(phase)
    ? fail(run, current, phase, visits.fault ?? visits.failureMessage() ?? stoppedMessage(run), outbound)
    : succeed(run, attempt, current, scope, outbound)
}

interface TaskPlace {
  readonly nodeName: string
  readonly id: string
}

const maxPlaces = 16
const places = new WeakMap<TaskGraph, Map<string, ReadonlyMap<string, TaskPlace>>>()

/** Where the nodes of the tasks are, made once for a dag: a dag is planned as often as it has tasks. */
function placesOf(run: Run, graph: TaskGraph, dagName: string): ReadonlyMap<string, TaskPlace> {
  let known = places.get(graph)
  if (known === undefined) places.set(graph, (known = new Map()))
  const key = `${run.name}/${dagName}`
  let found = known.get(key)
  if (found === undefined) {
    found = new Map(
      [...graph.tasks.keys()].map(name => {
        const nodeName = `${dagName}.${name}`
        return [name, { nodeName, id: run.id(nodeName) }]
      }),
    )
    // A template that many runs share is forgotten again, not collected for.
    if (known.size >= maxPlaces) known.clear()
    known.set(key, found)
  }
  return found
}

/** One pass over the tasks of a dag, in the order of their dependencies. */
class DagVisit {
  readonly #run: Run
  readonly #parent: Parent
  readonly #graph: TaskGraph
  readonly #path: string
  readonly #places: ReadonlyMap<string, TaskPlace>
  /** Tasks whose hooks or rounds are not over. */
  readonly #busy = new Set<string>()
  /** What a hook failed with. */
  fault: string | undefined

  constructor(run: Run, parent: Parent, graph: TaskGraph, path: string) {
    this.#run = run
    this.#parent = parent
    this.#graph = graph
    this.#path = path
    this.#places = placesOf(run, graph, parent.attempt.nodeName)
  }

  #nodeName(task: GraphTask): string {
    return this.#places.get(task.spec.name)?.nodeName ?? ''
  }

  node(name: string): NodeStatus | undefined {
    const place = this.#places.get(name)
    if (place === undefined) return undefined
    const node = this.#run.node(place.id)
    return node === undefined || node.name === place.nodeName ? node : this.#run.named(place.nodeName)
  }

  visit(task: GraphTask): void {
    const run = this.#run
    const { spec } = task
    const nodeName = this.#nodeName(task)
    const existing = this.node(spec.name)
    if (existing !== undefined && isEnded(existing.phase) && !hasHooks(spec)) return
    if (existing === undefined) {
      if (run.isFrozen) return
      const readiness = this.#readiness(task)
      if (readiness === 'wait') return
      if (typeof readiness !== 'string') {
        this.#createWithout(task, readiness.phase, readiness.message)
        return
      }
    }
    const path = `${this.#path}.tasks[${task.index}]`
    try {
      if (isLoop(spec)) this.#visitLoop(task, existing, path)
      else this.#visitOne(task, path)
    } catch (error) {
      const message = faultMessage(error)
      const current = run.named(nodeName)
      if (current === undefined) this.#createWithout(task, 'Error', message)
      else if (!isEnded(current.phase)) run.mark(current, 'Error', message)
      else this.fault ??= message
    }
  }

  #visitOne(task: GraphTask, path: string): void {
    const run = this.#run
    const { node } = visitChild(run, this.#parent, task.spec, undefined, this.#nodeName(task), path, child =>
      this.#attach(task, child.id),
    )
    if (node !== undefined) this.#hooks(task.spec, node, path)
  }

  #visitLoop(task: GraphTask, existing: NodeStatus | undefined, path: string): void {
    const run = this.#run
    const nodeName = this.#nodeName(task)
    if (existing !== undefined && existing.type !== 'TaskGroup') return
    if (
      existing !== undefined &&
      isEnded(existing.phase) &&
      task.spec.hooks === undefined &&
      task.spec.onExit === undefined
    )
      return
    const rounds = roundsOf(run, task.spec, this.#parent.scope, path)
    if (rounds.length === 0) {
      if (existing === undefined) this.#createWithout(task, 'Skipped', 'Skipped, empty params')
      return
    }
    let group = existing
    if (group === undefined) {
      group = run.create({ ...this.#shape(task), name: nodeName, type: 'TaskGroup', phase: 'Running' })
      this.#attach(task, group.id)
    }
    const groupId = group.id
    const hooks = hooksOfLoop(task.spec)
    let isDone = true
    let phase: NodePhase = 'Succeeded'
    for (const round of rounds) {
      const name = `${this.#parent.attempt.nodeName}.${round.name}`
      const { node } = visitChild(run, this.#parent, task.spec, round, name, path, child =>
        run.addChild(groupId, child.id),
      )
      if (node !== undefined) this.#hooks(hooks.ofRounds, node, path, round.item)
      if (!isFulfilled(node)) isDone = false
      else if (isFailure(node.phase)) phase = phase === 'Error' ? 'Error' : node.phase
    }
    const current = run.node(groupId) as NodeStatus
    const isOver = isDone && !isEnded(current.phase) && !this.#busy.has(task.spec.name)
    this.#hooks(hooks.ofGroup, isOver ? run.mark(current, phase) : current, path)
  }

  #hooks(spec: Call, node: NodeStatus, path: string, item?: LoopItem): void {
    const { attempt, boundary, kind, scope } = this.#parent
    const state = visitHooks(this.#run, spec, node, {
      kind,
      boundary,
      context: attempt.inside,
      scope,
      isExit: attempt.call.isExit,
      depth: attempt.call.depth,
      path,
      item,
    })
    if (!state.isDone) this.#busy.add(spec.name)
    if (state.fault !== undefined) throw new NodeFault(state.fault)
  }

  /** A node that stands for a task that does not run. */
  #createWithout(task: GraphTask, phase: NodePhase, message: string): void {
    const node = this.#run.create({ ...this.#shape(task), name: this.#nodeName(task), type: 'Skipped', phase, message })
    this.#attach(task, node.id)
  }

  #shape({ spec }: GraphTask) {
    return {
      templateName: spec.template,
      templateRef: spec.templateRef,
      templateScope: scopeText(this.#parent.attempt.inside),
      boundaryID: this.#parent.boundary.id,
    }
  }

  #attach({ dependencies }: GraphTask, id: string): void {
    if (dependencies.length === 0) this.#run.addChild(this.#parent.boundary.id, id)
    else
      attach(
        this.#run,
        dependencies.map(name => this.node(name)?.id ?? ''),
        id,
      )
  }

  #readiness(task: GraphTask): 'wait' | 'go' | { phase: NodePhase; message: string } {
    for (const name of task.dependencies) {
      if (!isFulfilled(this.node(name)) || this.#busy.has(name)) return 'wait'
    }
    const omitted = { phase: 'Omitted', message: 'omitted: depends condition not met' } as const
    if (task.depends === undefined) {
      const isGood = (name: string) => {
        const results = this.#results(this.node(name) as NodeStatus)
        return goodEnds(this.#graph.tasks.get(name)?.spec).some(end => results[end])
      }
      return task.dependencies.every(isGood) ? 'go' : omitted
    }
    const environment = Object.fromEntries(
      task.dependencies.map(name => [identifier(name), this.#results(this.node(name) as NodeStatus)]),
    )
    try {
      return this.#run.condition(
        task.depends,
        new Variables(),
        `${this.#path}.tasks[${task.index}].depends`,
        environment,
      )
        ? 'go'
        : omitted
    } catch (error) {
      return { phase: 'Error', message: faultMessage(error) }
    }
  }

  #results(node: NodeStatus): Record<string, boolean> {
    const rounds = node.type === 'TaskGroup' ? (node.children ?? []).map(id => this.#run.node(id)?.phase) : []
    return {
      Succeeded: node.phase === 'Succeeded',
      Failed: node.phase === 'Failed',
      Errored: node.phase === 'Error',
      Skipped: node.phase === 'Skipped',
      Omitted: node.phase === 'Omitted',
      Daemoned: node.daemoned === true && node.phase !== 'Pending',
      AnySucceeded: rounds.includes('Succeeded'),
      AllFailed: rounds.length > 0 && rounds.every(phase => phase === 'Failed'),
    }
  }

  /** What the tasks amount to. A task that did not run counts as those before it: a failure goes through to the targets. */
  phase(failFast: boolean): NodePhase {
    const branches = new Map<string, NodePhase | undefined>()
    let isBusy = this.#busy.size > 0
    for (const task of this.#graph.order) {
      const node = this.node(task.spec.name)
      if (node !== undefined && !isFulfilled(node)) isBusy = true
      branches.set(task.spec.name, this.#branch(task, node, branches))
    }
    if (this.fault !== undefined && !isBusy) return 'Error'
    if (isBusy) return 'Running'
    let result: NodePhase = 'Succeeded'
    for (const { spec } of this.#graph.targets) {
      const branch = branches.get(spec.name)
      if (branch === undefined) {
        result = 'Running'
        if (!failFast) return result
      } else if (isFailure(branch) && !continuesOn(spec, branch)) {
        if (failFast) return branch
        result = branch
      }
    }
    return result
  }

  /** The task that the dag has failed with, and why. One that others could go on after is none. */
  failureMessage(): string | undefined {
    const culprits = new Map<string, NodeStatus | undefined>()
    for (const { spec, dependencies } of this.#graph.order) {
      const node = this.node(spec.name)
      // What did not run has its failure from what came before it.
      if (node === undefined || !isCompleted(node.phase))
        culprits.set(
          spec.name,
          dependencies.map(name => culprits.get(name)).find(found => found !== undefined),
        )
      else if (isFailure(node.phase)) culprits.set(spec.name, node)
    }
    for (const { spec } of this.#graph.targets) {
      const culprit = culprits.get(spec.name)
      if (culprit === undefined || continuesOn(spec, culprit.phase)) continue
      const { name, phase, message } = culprit
      const task = name.slice(this.#parent.attempt.nodeName.length + 1)
      return `task ${task} ${phase === 'Failed' ? 'failed' : 'errored'}${message === undefined ? '' : `: ${message}`}`
    }
    return undefined
  }

  #branch(
    task: GraphTask,
    node: NodeStatus | undefined,
    branches: ReadonlyMap<string, NodePhase | undefined>,
  ): NodePhase | undefined {
    if (node === undefined) return undefined
    if (isCompleted(node.phase)) return node.phase
    return task.dependencies.map(name => branches.get(name)).find(isFailure) ?? 'Succeeded'
  }
}

const continuesOn = ({ continueOn }: Call, phase: NodePhase) =>
  (phase === 'Failed' ? continueOn?.failed : continueOn?.error) === true

class TaskCallees implements Callees {
  readonly #run: Run
  readonly #nodeName: string
  readonly #graph: TaskGraph

  constructor(run: Run, nodeName: string, graph: TaskGraph) {
    this.#run = run
    this.#nodeName = nodeName
    this.#graph = graph
  }

  names(): Iterable<string> {
    return this.#graph.tasks.keys()
  }

  find(name: string): Callee | undefined {
    const spec = this.#graph.tasks.get(name)?.spec
    const node = this.#run.named(`${this.#nodeName}.${name}`)
    if (spec === undefined || node === undefined) return undefined
    return { spec, node, rounds: () => (node.type === 'TaskGroup' ? this.#rounds(node) : undefined) }
  }

  #rounds(node: NodeStatus): NodeStatus[] {
    return (node.children ?? []).flatMap(id => {
      const child = this.#run.node(id)
      return child !== undefined && child.name.startsWith(`${node.name}(`) ? [child] : []
    })
  }
}
