import type { NodeStatus, Workflow, WorkflowSpec, WorkflowStatus, WorkflowTemplate } from '../spec/workflow.ts'
import type { Action } from './action.ts'
import type { Observed } from './observed.ts'

export type * from './action.ts'
export type * from './observed.ts'

/** The WorkflowTemplates and ClusterWorkflowTemplates that the run may see, already read. `undefined` means that there is no
 *  such object now. What a run has used once is in its status, and is not asked for again. */
export interface TemplateSource {
  get(kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate', name: string): WorkflowTemplate | undefined
}

export interface PlanInput {
  /** As stored: the status has the nodes in full (the rim decodes `compressedNodes`). */
  workflow: Workflow
  templates: TemplateSource
  observed: Observed
  /** Milliseconds since the epoch. */
  now: number
  /** What every Workflow gets where it says nothing itself (upstream's `workflowDefaults`). Read when a run starts. */
  defaults?: WorkflowSpec
  /** The engine has no room for another run (parallelism of the engine or the namespace): a run that has not started stays
   *  Pending with this message. */
  hold?: string
}

/**
 * What comes next.
 *
 * The caller stores `status` (when `changed`) and then carries out `actions`; pods it may make before (`late-storing.ts`). Both may be
 * repeated: a plan from the stored status with the same observations has the same status and the same actions, and an action that
 * was carried out disappears as soon as its effect is observed. An action is never asked for unless its node is in `status`.
 */
export interface Plan {
  /** The next status, complete. Equal to the stored one by identity when nothing changed. */
  status: WorkflowStatus
  changed: boolean
  actions: readonly Action[]
  /** When time alone would change the plan (a backoff, a timeout, a suspend's end). Not set when nothing waits for time. */
  wakeAt?: number
  /** Labels and annotations that the Workflow object has to have, beside its own: phase, completed, workflowMetadata. */
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
  /** Nodes whose phase this plan changed, or that it made, in order: what to record and to tell. Last come those that ended
   *  before and have children only now; their phase is the one they had. */
  transitions: readonly Transition[]
}

export interface Transition {
  node: NodeStatus
  /** Undefined for a new node. */
  from: NodeStatus['phase'] | undefined
}

export { plan } from './planner.ts'
