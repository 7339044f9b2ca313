import type { Action, Plan } from '../plan/plan.ts'
import type { Template, Workflow, WorkflowStatus } from '../spec/workflow.ts'

/** A status that was acted upon and is not stored yet. */
export interface UnstoredStatus {
  status: WorkflowStatus
  /** The Workflow as it was stored when it was planned from. */
  base: Workflow
  /** When it is stored at the latest, in milliseconds since the epoch. */
  by: number
}

/** With fewer runs every change is stored before anything follows from it: nobody waits for the API then. */
const FEW_RUNS = 8
/** So far a status may be behind what was done, while many runs are under way. */
const LATEST_MS = 2000
/** A larger run gathers its changes anyhow. */
const MANY_NODES = 100

/** When a status that is planned now has to be stored, if so many runs are under way. */
export const storeBy = (now: number, runs: number): number => (runs > FEW_RUNS ? now + LATEST_MS : now)

/** Whether a plan may be acted upon before it is stored: where many runs are under way, a run that is over in a moment costs
 *  half the writes then.
 *
 *  Whoever comes after a crash plans from what is stored and finds the pods that were made since: their names follow from the
 *  run and the node, and none goes before its outcome is stored. So they come to the same plan, and make no pod twice. That
 *  holds for steps that end well and the pods of those that follow. It does not for what the engine does itself (tasks,
 *  locks, memos, claims), for what is looked up once and kept in the status (templates), for artifacts, whose place the status
 *  tells, and where an expression may depend on the moment. */
export function mayStoreLater({ spec, status: before }: Workflow, { status, actions, transitions }: Plan): boolean {
  return (
    status.phase === 'Running' &&
    status.storedTemplates === before?.storedTemplates &&
    status.storedWorkflowTemplateSpec === before?.storedWorkflowTemplateSpec &&
    status.synchronization === undefined &&
    actions.every(isPlainPod) &&
    transitions.every(({ node }) => STRUCTURE.includes(node.type) && GOOD_PHASES.includes(node.phase)) &&
    Object.keys(status.nodes ?? {}).length < MANY_NODES &&
    ![spec, status.storedTemplates, status.storedWorkflowTemplateSpec].some(dependsOnMoment)
  )
}

/** The Workflow with what was done and is not stored. A status that somebody else has changed since comes first: what was
 *  planned is planned again from there. */
export function withUnstored(workflow: Workflow, unstored: UnstoredStatus): Workflow | undefined {
  const { base, status } = unstored
  const isSame =
    workflow.metadata.resourceVersion === base.metadata.resourceVersion ||
    JSON.stringify(workflow.status) === JSON.stringify(base.status)
  return isSame ? { ...workflow, status } : undefined
}

const STRUCTURE: readonly string[] = ['Pod', 'Steps', 'StepGroup', 'DAG', 'TaskGroup', 'Retry']
const GOOD_PHASES: readonly string[] = ['Pending', 'Running', 'Succeeded']

const isPlainPod = (action: Action): boolean => action.do === 'createPod' && !hasArtifacts(action.template)

const hasArtifacts = ({ inputs, outputs }: Template): boolean =>
  (inputs?.artifacts?.length ?? 0) + (outputs?.artifacts?.length ?? 0) > 0

/** Expressions have a clock and dice, the duration of a run grows, and a step that is planned again begins again. */
function dependsOnMoment(manifest: object | undefined): boolean {
  if (manifest === undefined) return false
  const known = judged.get(manifest)
  if (known !== undefined) return known
  const depends = /\{\{=|workflow\.duration|(started|finished)At/.test(JSON.stringify(manifest))
  judged.set(manifest, depends)
  return depends
}

/** A run is planned many times, and its manifest is the same object then; nothing that was read from the cluster is changed. */
const judged = new WeakMap<object, boolean>()
