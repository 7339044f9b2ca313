import type { Client, KubeObject } from '@tiphys/kube'

/** What triggers need of a workflow engine. It is implemented elsewhere, and equal by structure.
 *
 *  - Every call acts through the client that is given: with the rights of the Sensor's ServiceAccount and no others.
 *  - What is made with a `name` is made once: when it is there already, the one that is there is answered, or the API's
 *    "already exists" is thrown. Whether it is the same action's work is the caller's to see from its annotations.
 *  - What cannot be done is an `ApiError` or a `Failure`. */
export interface WorkflowControl {
  /** Creates the Workflow. */
  submit(client: Client, workflow: KubeObject): Promise<KubeObject>
  /** A Workflow from a WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow; it is made in `namespace`. */
  submitFrom(client: Client, from: WorkflowSource, options: SubmitOptions): Promise<KubeObject>
  /** A new Workflow like one that is over. `memoized`: steps that succeeded are not done again. */
  resubmit(client: Client, ref: WorkflowRef, options: SubmitOptions & { memoized?: boolean }): Promise<KubeObject>
  /** Goes on with a Workflow that failed, from the steps that failed. */
  retry(client: Client, ref: WorkflowRef, options?: RetryOptions): Promise<KubeObject>
  resume(client: Client, ref: WorkflowRef, options?: ResumeOptions): Promise<KubeObject>
  suspend(client: Client, ref: WorkflowRef, options?: NoteOptions): Promise<KubeObject>
  /** Ends it; exit handlers run. */
  stop(client: Client, ref: WorkflowRef, options?: StopOptions): Promise<KubeObject>
  /** Ends it at once. */
  terminate(client: Client, ref: WorkflowRef, options?: NoteOptions): Promise<KubeObject>
}

export interface WorkflowRef {
  namespace: string
  name: string
}

export interface WorkflowSource extends WorkflowRef {
  kind: string
}

export interface SubmitOptions {
  name?: string
  generateName?: string
  parameters?: Record<string, string>
  labels?: Record<string, string>
  annotations?: Record<string, string>
  serviceAccountName?: string
  entrypoint?: string
  priority?: number
}

export interface NoteOptions {
  /** Set on the Workflow by the request that does it, so that a repeat is recognised. An implementation that cannot leaves
   *  them out; the caller then sets them afterwards. */
  annotations?: Record<string, string>
}

export interface RetryOptions extends NoteOptions {
  nodeFieldSelector?: string
  restartSuccessful?: boolean
  parameters?: Record<string, string>
}

export interface ResumeOptions extends NoteOptions {
  nodeFieldSelector?: string
  outputs?: Record<string, string>
  /** Fails when nothing waits, or nothing that waits asks for an output that is given. */
  mustWait?: boolean
}

export interface StopOptions extends NoteOptions {
  message?: string
  nodeFieldSelector?: string
}
