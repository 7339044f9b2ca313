import { scopeText } from '../spec/template-library.ts'
import type { NodeStatus, Template, WorkflowStep } from '../spec/workflow.ts'
import { joinScopes } from '../variables/scope.ts'
import { hasTags, replaceText } from '../variables/substitution.ts'
import type { Attempt } from './call.ts'
import { type Callee, type Callees, CallScope } from './call-scope.ts'
import { type Parent, visitChild } from './child-call.ts'
import { beginComposite, fail, failFastMessage, failsFast, succeed } from './composite.ts'
import { type HookPlace, visitHooks } from './hooks.ts'
import { isLoop, type Round, roundsOf } from './loop.ts'
import { attach, outboundOf } from './outbound.ts'
import { couldNotBegin, isEnded, isFailure, isFulfilled } from './phase.ts'
import type { Run } from './run.ts'
import { faultMessage } from './visit.ts'

/** Groups of steps, one group after the other. */
export function visitSteps(run: Run, attempt: Attempt): NodeStatus {
  const template = withStepNames(run, attempt)
  let node = beginComposite(run, attempt, 'Steps')
  const callees = new StepCallees(run, attempt.nodeName, template)
  const scope = joinScopes(new CallScope(run, 'steps', callees, attempt.inside), attempt.scope)
  const parent: Parent = {
    attempt,
    boundary: { id: node.id, template, avoidedHosts: attempt.avoidedHosts },
    kind: 'steps',
    scope,
  }
  const groups = template.steps ?? []
  let before: NodeStatus | undefined
  let broken: NodeStatus | undefined
  for (const [index, steps] of groups.entries()) {
    let group = run.named(`${attempt.nodeName}[${index}]`)
    if (group === undefined) {
      if (broken !== undefined) break
      if (run.isFrozen) return node
      group = beginGroup(run, attempt, node, before, index)
    }
    if (!isEnded(group.phase)) group = visitGroup(run, parent, steps, group, index)
    node = run.node(node.id) as NodeStatus
    if (!isEnded(group.phase)) {
      if (!failsFast(run, attempt, node)) return node
      group = run.mark(group, 'Failed', failFastMessage)
    }
    // A daemon of an earlier group has failed: what has begun since comes to its end first.
    if (isFailure(group.phase)) broken ??= group
    before = group
  }
  if (broken !== undefined) return fail(run, node, 'Failed', broken.message, groupEnds(run, before as NodeStatus))
  return succeed(run, attempt, node, scope, before === undefined ? [] : groupEnds(run, before))
}

/** The names of steps may have variables in them. */
function withStepNames(run: Run, { template, scope }: Attempt): Template {
  const groups = template.steps ?? []
  if (!groups.some(steps => steps.some(({ name }) => hasTags(name)))) return template
  const path = `templates.${template.name ?? ''}.steps`
  const steps = groups.map((group, index) =>
    group.map((spec, position) => ({
      ...spec,
      name: replaceText(spec.name, scope, { ...run.env, path: `${path}[${index}][${position}].name` }),
    })),
  )
  return { ...template, steps }
}

function beginGroup(
  run: Run,
  attempt: Attempt,
  node: NodeStatus,
  before: NodeStatus | undefined,
  index: number,
): NodeStatus {
  const group = run.create({
    name: `${attempt.nodeName}[${index}]`,
    type: 'StepGroup',
    phase: 'Running',
    templateScope: scopeText(attempt.inside),
    boundaryID: node.id,
  })
  if (before === undefined) run.addChild(node.id, group.id)
  else attach(run, groupMembers(before), group.id)
  return group
}

/** A group without steps stands for itself. */
function groupMembers(group: NodeStatus): readonly string[] {
  return group.children === undefined || group.children.length === 0 ? [group.id] : group.children
}

const groupEnds = (run: Run, group: NodeStatus) => [...new Set(groupMembers(group).flatMap(id => outboundOf(run, id)))]

/** The steps of one group, side by side. */
function visitGroup(
  run: Run,
  parent: Parent,
  steps: readonly WorkflowStep[],
  group: NodeStatus,
  index: number,
): NodeStatus {
  let isDone = true
  let failure: string | undefined
  for (const [position, spec] of steps.entries()) {
    const path = `templates.${parent.attempt.template.name ?? ''}.steps[${index}][${position}]`
    try {
      for (const round of roundsIn(run, parent, spec, group, path)) {
        const name = `${group.name}.${round?.name ?? spec.name}`
        const { node } = visitChild(run, parent, spec, round, name, path, child => run.addChild(group.id, child.id))
        if (node === undefined || !isFulfilled(node)) isDone = false
        // What was skipped has no hooks; a task of a dag has them also then.
        if (node === undefined || node.type === 'Skipped') continue
        const hooks = visitHooks(run, spec, node, { ...hookPlace(parent, path), item: round?.item })
        if (hooks.fault !== undefined) failure ??= hooks.fault
        if (!hooks.isDone) isDone = false
      }
    } catch (error) {
      failure ??= faultMessage(error)
    }
  }
  const current = run.node(group.id) as NodeStatus
  if (!isDone) return current
  if (failure !== undefined) return run.mark(current, 'Error', failure)
  return conclude(run, current, steps)
}

function hookPlace(parent: Parent, path: string): HookPlace {
  const { attempt, boundary, kind, scope } = parent
  return {
    kind,
    boundary,
    context: attempt.inside,
    scope,
    isExit: attempt.call.isExit,
    depth: attempt.call.depth,
    path,
  }
}

/** The rounds of a loop; a step that is none has one round without a name. */
function roundsIn(
  run: Run,
  parent: Parent,
  spec: WorkflowStep,
  group: NodeStatus,
  path: string,
): readonly (Round | undefined)[] {
  if (!isLoop(spec)) return [undefined]
  const rounds = roundsOf(run, spec, parent.scope, path)
  const name = `${group.name}.${spec.name}`
  if (rounds.length === 0 && run.named(name) === undefined) {
    const skipped = run.create({
      name,
      type: 'Skipped',
      phase: 'Skipped',
      message: 'Skipped, empty params',
      templateName: spec.template,
      templateRef: spec.templateRef,
      templateScope: group.templateScope,
      boundaryID: parent.boundary.id,
    })
    run.addChild(group.id, skipped.id)
  }
  return rounds
}

function continuesOn({ continueOn }: WorkflowStep, node: NodeStatus | undefined): boolean {
  return (
    (node?.phase === 'Error' && continueOn?.error === true) || (node?.phase === 'Failed' && continueOn?.failed === true)
  )
}

function conclude(run: Run, group: NodeStatus, steps: readonly WorkflowStep[]): NodeStatus {
  for (const id of group.children ?? []) {
    const child = run.node(id)
    if (child === undefined || !isFailure(child.phase)) continue
    // Where a step could not even begin, no continueOn helps.
    const isFault = couldNotBegin(child)
    const spec = steps.find(({ name }) => isOf(child.name, `${group.name}.${name}`))
    if (!isFault && spec !== undefined && continuesOn(spec, child)) continue
    if (!isFault) return run.mark(group, 'Failed', `child '${id}' failed`)
    return run.mark(
      group,
      'Error',
      `step group deemed errored due to child ${child.name} error: ${child.message ?? ''}`,
    )
  }
  return run.mark(group, 'Succeeded')
}

const isOf = (nodeName: string, stepName: string) => nodeName === stepName || nodeName.startsWith(`${stepName}(`)

const positions = new WeakMap<Template, Map<string, { group: number; spec: WorkflowStep }>>()

function positionsOf(template: Template): Map<string, { group: number; spec: WorkflowStep }> {
  let known = positions.get(template)
  if (known === undefined) {
    known = new Map(
      (template.steps ?? []).flatMap((steps, group) => steps.map(spec => [spec.name, { group, spec }] as const)),
    )
    positions.set(template, known)
  }
  return known
}

class StepCallees implements Callees {
  readonly #run: Run
  readonly #nodeName: string
  readonly #positions: ReturnType<typeof positionsOf>

  constructor(run: Run, nodeName: string, template: Template) {
    this.#run = run
    this.#nodeName = nodeName
    this.#positions = positionsOf(template)
  }

  names(): Iterable<string> {
    return this.#positions.keys()
  }

  find(name: string): Callee | undefined {
    const position = this.#positions.get(name)
    if (position === undefined) return undefined
    const groupName = `${this.#nodeName}[${position.group}]`
    const full = `${groupName}.${name}`
    const own = this.#run.named(full)
    if (own !== undefined) return { spec: position.spec, node: own, rounds: () => undefined }
    const group = isLoop(position.spec) ? this.#run.named(groupName) : undefined
    if (group === undefined) return undefined
    return { spec: position.spec, node: group, rounds: () => this.#rounds(group, full) }
  }

  #rounds(group: NodeStatus, full: string): NodeStatus[] {
    return (group.children ?? []).flatMap(id => {
      const child = this.#run.node(id)
      return child !== undefined && child.name.startsWith(`${full}(`) ? [child] : []
    })
  }
}
