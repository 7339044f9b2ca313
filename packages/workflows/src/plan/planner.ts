import { joinSpecs } from '../spec/merge.ts'
import { unkeptWishes } from '../spec/unkept-wishes.ts'
import { checkWorkflow } from '../spec/validate.ts'
import { withoutNulls } from '../spec/without-nulls.ts'
import type { WorkflowSpec, WorkflowStatus } from '../spec/workflow.ts'
import { fixedGlobals, type GlobalsInput, progressingGlobals } from '../variables/global-variables.ts'
import { joinScopes, Variables } from '../variables/scope.ts'
import { containsTags, substitute } from '../variables/substitution.ts'
import { cleanUp } from './cleanup.ts'
import { holdersText, lockName, lockRequests, noteLocks } from './lock-wait.ts'
import { isSavingMemos, noteMemoTroubles } from './memo.ts'
import { podName } from './node-id.ts'
import { isEnded, isFailure, isFinal } from './phase.ts'
import type { Plan, PlanInput, Transition } from './plan.ts'
import { noteProgress, setCondition } from './progress.ts'
import { noteResources } from './resources.ts'
import { walkOnce } from './root-walk.ts'
import { Run } from './run.ts'
import { faultMessage } from './visit.ts'
import { collectClaims, hasVolumeClaims } from './volume-claims.ts'
import { computedLabels, constantMetadata, resolvedMetadata, workflowParameters } from './workflow-arguments.ts'

/** Decides what comes next for a run. Pure: the same input gives the same plan. */
export function plan(given: PlanInput): Plan {
  const spec = withoutNulls(given.workflow.spec)
  const input = spec === given.workflow.spec ? given : { ...given, workflow: { ...given.workflow, spec } }
  const { workflow } = input
  if (isFinal(workflow.status?.phase)) return leftovers(input)
  const found = specOf(input)
  const run = new Run(input, found.spec)
  run.metadata = constantMetadata(found.spec)
  if (found.problem !== undefined) return finished(run, 'Error', found.problem)
  if (found.isNew) run.setStatus({ storedWorkflowTemplateSpec: found.spec })
  try {
    return planned(run, input)
  } catch (error) {
    return finished(run, 'Error', faultMessage(error))
  }
}

const merged = new WeakMap<WorkflowSpec, WorkflowSpec>()

/** The spec that is carried out. With a workflowTemplateRef it is stored when the run begins. */
function specOf({ workflow, templates, defaults }: PlanInput): {
  spec: WorkflowSpec
  isNew: boolean
  problem?: string
} {
  const own = workflow.spec
  const stored = workflow.status?.storedWorkflowTemplateSpec
  if (stored !== undefined) return { spec: stored, isNew: false }
  const { workflowTemplateRef: ref } = own
  if (ref === undefined || ref === null) {
    if (defaults === undefined) return { spec: own, isNew: false }
    let spec = merged.get(own)
    if (spec === undefined) merged.set(own, (spec = joinSpecs(own, undefined, defaults)))
    return { spec, isNew: false }
  }
  const kind = ref.clusterScope === true ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'
  const template = templates.get(kind, ref.name ?? '')
  if (template === undefined) {
    const problem = `spec.workflowTemplateRef: ${kind} ${ref.name ?? ''} does not exist`
    return { spec: own, isNew: false, problem }
  }
  return { spec: joinSpecs(own, withoutNulls(template.spec), defaults), isNew: true }
}

function planned(run: Run, input: PlanInput): Plan {
  const isNew = run.status.phase === undefined || run.status.phase === ''
  if (isNew) {
    const problems = checkWorkflow(run.workflow, run.spec, input.templates)
    if (problems.length > 0)
      return finished(
        run,
        'Failed',
        `invalid spec: ${problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      )
  }
  try {
    if (!setGlobals(run)) return unfinished(run)
  } catch (error) {
    return finished(run, 'Failed', `failed to set global parameters: ${faultMessage(error)}`)
  }
  resolveMetadata(run)
  addLabels(run)
  const hasStarted = Boolean(run.status.startedAt)
  if (!hasStarted) {
    const refusal = run.observed.locks?.[run.name]?.error
    if (run.spec.synchronization !== undefined && refusal !== undefined) {
      return finished(run, 'Failed', `Failed to acquire the synchronization lock. ${refusal}`)
    }
    const wait = run.shutdown === '' ? (input.hold ?? waitForWorkflowLock(run)) : undefined
    if (wait !== undefined) {
      run.setStatus({ phase: 'Pending', message: wait })
      return unfinished(run)
    }
    run.setStatus({ phase: 'Running', message: undefined, startedAt: run.time, finishedAt: null })
    setCondition(run, { type: 'PodRunning', status: 'False' })
    const unkept = unkeptWishes(run.spec)
    if (unkept !== undefined) setCondition(run, { type: 'SpecWarning', status: 'True', message: unkept })
  }
  setDeadline(run)
  if (!hasVolumeClaims(run)) return unfinished(run)
  return walk(run)
}

/** Variables of the whole run. False: something has to be read first. Throws NodeFault. */
function setGlobals(run: Run): boolean {
  const shown = shownBy(run)
  const bare = fixedGlobals({ ...shown, parameters: [] })
  const parameters = workflowParameters(run, bare)
  if (parameters === undefined) return false
  run.parameters = parameters
  const fixed = parameters.length === 0 ? bare : fixedGlobals({ ...shown, parameters })
  run.globals = joinScopes(progressingGlobals(progressOf(run)), fixed)
  return true
}

/** Variables in `workflowMetadata`; others may name what it says. Throws NodeFault. */
function resolveMetadata(run: Run): void {
  if (!containsTags(run.spec.workflowMetadata)) return
  const { parameters } = run
  run.metadata = resolvedMetadata(run, fixedGlobals({ ...shownBy(run), parameters }))
  run.globals = joinScopes(progressingGlobals(progressOf(run)), fixedGlobals({ ...shownBy(run), parameters }))
}

/** The Workflow, with the labels and annotations that it is to have. */
function shownBy({ workflow, spec, metadata }: Run): Omit<GlobalsInput, 'parameters'> {
  const { labels, annotations } = workflow.metadata
  return {
    workflow,
    spec,
    labels: { ...labels, ...metadata.labels },
    annotations: { ...annotations, ...metadata.annotations },
  }
}

/** labelsFrom is computed when the run begins, and stays. Throws NodeFault, VariableError. */
function addLabels(run: Run): void {
  const wanted = Object.keys(run.spec.workflowMetadata?.labelsFrom ?? {})
  const labels = run.workflow.metadata.labels ?? {}
  if (wanted.every(name => labels[name] !== undefined)) return
  run.labels = computedLabels(run)
  const seen = Object.entries(run.labels).map(([name, value]) => [`workflow.labels.${name}`, value] as const)
  run.globals = joinScopes(new Variables(seen), run.globals)
}

function progressOf(run: Run) {
  const seconds = () => {
    const { startedAt, finishedAt } = run.status
    if (!startedAt) return 0
    return ((finishedAt ? Date.parse(finishedAt) : run.now) - Date.parse(startedAt)) / 1000
  }
  return {
    status: () => run.mainStatus ?? run.status.phase ?? '',
    durationSeconds: seconds,
    outputs: () => run.status.outputs,
    *failures() {
      for (const node of run.nodes()) {
        if (!isFailure(node.phase)) continue
        const templateName = node.templateRef?.template ?? node.templateName ?? ''
        yield { node, templateName, podName: podName(run.name, node.name, templateName, node.id) }
      }
    },
  }
}

/** Why the run cannot begin yet; undefined when it has its locks, or needs none. Throws NodeFault. */
function waitForWorkflowLock(run: Run): string | undefined {
  if (run.spec.synchronization === undefined) return undefined
  const sync = substitute(run.spec.synchronization, run.globals, { ...run.env, path: 'spec.synchronization' })
  const locks = lockRequests(sync, run.namespace)
  const [first] = locks
  if (first === undefined) return undefined
  const state = run.observed.locks?.[run.name]
  noteLocks(run, run.name, locks, state?.held === true ? 'holding' : 'waiting')
  if (state?.held === true) return undefined
  run.ask({ do: 'acquireLock', holder: run.name, locks })
  return `Waiting for ${state?.waitingFor ?? lockName(first)} lock.${holdersText(state?.holders)}`
}

function setDeadline(run: Run): void {
  const seconds = run.workflow.spec.activeDeadlineSeconds ?? run.spec.activeDeadlineSeconds
  if (seconds === undefined || seconds === null || !run.status.startedAt) return
  run.deadline = Date.parse(run.status.startedAt) + Number(seconds) * 1000
  run.wake(run.deadline)
}

/** More rounds than this do not happen: every one but the last has brought something forward. */
const maxRounds = 100

function walk(run: Run): Plan {
  for (let round = 0; ; round++) {
    const before = run.transitions.length
    run.isBlocked = false
    const end = walkOnce(run)
    if (end !== undefined) return isSavingMemos(run) ? unfinished(run) : finished(run, end.phase, end.message)
    // What was held back may go on when something else has ended.
    if (!run.isBlocked || run.transitions.length === before || round >= maxRounds) return unfinished(run)
  }
}

/** A run that ended: its phase, and everything that is left to be done for it. */
function finished(run: Run, phase: 'Succeeded' | 'Failed' | 'Error', message: string | undefined): Plan {
  for (const daemon of run.daemons()) run.update(daemon, { phase: 'Succeeded', daemoned: undefined })
  const root = run.node(run.name)
  if (root !== undefined && !isEnded(root.phase)) run.mark(root, phase === 'Succeeded' ? 'Succeeded' : 'Error', message)
  for (const node of run.nodes()) {
    if (!isEnded(node.phase)) run.mark(node, 'Failed', 'the workflow ended before this step did')
  }
  run.setStatus({
    phase,
    message: message === undefined || message === '' ? undefined : message,
    startedAt: run.status.startedAt ?? run.time,
    finishedAt: run.time,
  })
  setCondition(run, { type: 'PodRunning', status: 'False' })
  setCondition(run, { type: 'Completed', status: 'True' })
  collectClaims(run)
  return concluded(run)
}

function unfinished(run: Run): Plan {
  if (run.transitions.length > 0) {
    const isRunning = [...run.nodes()].some(({ type, phase }) => type === 'Pod' && phase === 'Running')
    setCondition(run, { type: 'PodRunning', status: isRunning ? 'True' : 'False' })
  }
  return concluded(run)
}

/** A run that was over before: nothing of its status changes but what is being cleaned up. */
function leftovers(input: PlanInput): Plan {
  const { spec } = specOf(input)
  const run = new Run(input, spec)
  run.metadata = constantMetadata(spec)
  run.globals = new Variables()
  collectClaims(run)
  return concluded(run)
}

function concluded(run: Run): Plan {
  cleanUp(run)
  noteMemoTroubles(run)
  if (run.transitions.length > 0) {
    noteProgress(run)
    noteResources(run)
  }
  const status = statusOf(run)
  const phase = status.phase ?? ''
  return {
    status,
    changed: status !== run.workflow.status,
    actions: run.actions,
    ...(run.wakeAt === undefined ? {} : { wakeAt: run.wakeAt }),
    labels: {
      ...run.metadata.labels,
      ...run.labels,
      ...(phase === '' ? {} : { 'workflows.argoproj.io/phase': phase }),
      'workflows.argoproj.io/completed': String(isFinal(phase)),
      ...templateLabel(run),
    },
    annotations: { ...run.metadata.annotations, 'workflows.argoproj.io/pod-name-format': 'v2' },
    transitions: transitionsOf(run),
  }
}

/** What comes after a node is often known only when the plan is complete, and sometimes long after the node has ended. */
function transitionsOf(run: Run): readonly Transition[] {
  const told = new Set<string>()
  const transitions = run.transitions.map(({ node, from }) => {
    told.add(node.id)
    const { children, resourcesDuration } = run.node(node.id) ?? node
    if (children === node.children && resourcesDuration === node.resourcesDuration) return { node, from }
    return { node: { ...node, ...(children && { children }), ...(resourcesDuration && { resourcesDuration }) }, from }
  })
  for (const node of run.parents()) {
    if (!told.has(node.id) && isEnded(node.phase)) transitions.push({ node, from: node.phase })
  }
  return transitions
}

function templateLabel({ workflow }: Run): Record<string, string> {
  const ref = workflow.spec.workflowTemplateRef
  if (ref?.name === undefined) return {}
  const kind = ref.clusterScope === true ? 'cluster-workflow-template' : 'workflow-template'
  return { [`workflows.argoproj.io/${kind}`]: ref.name }
}

function statusOf(run: Run): WorkflowStatus {
  const added = Object.keys(run.library.added).length > 0
  if (added) run.setStatus({ storedTemplates: { ...run.status.storedTemplates, ...run.library.added } })
  if (run.hasChangedNodes) run.setStatus({ nodes: run.allNodes() })
  return run.status
}
