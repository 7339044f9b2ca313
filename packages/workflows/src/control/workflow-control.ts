import type { Env } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { DispatchedEvent, WorkflowEvent } from './event-dispatch.ts'

/** What people, commands and triggers do with runs.
 *
 *  - Every call acts through the client that is given: with its rights and no others.
 *  - What is made with a `name` is made once: when it is there already and was made by the same action
 *    (`tiphys.dev/action`), it is answered; otherwise the API's "already exists" is thrown.
 *  - What cannot be done is an `ApiError` or a `Failure`. */
export interface WorkflowControl {
  submit(client: Client, workflow: KubeObject): Promise<KubeObject>
  /** A Workflow from a WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow; it is made in `namespace`. */
  submitFrom(client: Client, from: WorkflowSource, options: SubmitOptions): Promise<KubeObject>
  /** A new Workflow like one that is over. `memoized`: steps that succeeded are not done again. */
  resubmit(client: Client, ref: WorkflowRef, options: SubmitOptions & { memoized?: boolean }): Promise<KubeObject>
  /** Goes on with a Workflow that failed, from the steps that failed. */
  retry(client: Client, ref: WorkflowRef, options?: RetryOptions): Promise<KubeObject>
  /** Goes on with a Workflow that is suspended; suspended steps get the outputs that are given. */
  resume(client: Client, ref: WorkflowRef, options?: ResumeOptions): Promise<KubeObject>
  suspend(client: Client, ref: WorkflowRef, options?: NoteOptions): Promise<KubeObject>
  /** Ends it; exit handlers run. With a selector: ends the suspended steps that it selects. */
  stop(client: Client, ref: WorkflowRef, options?: StopOptions): Promise<KubeObject>
  /** Gives an event to the WorkflowEventBindings of its namespace; answers those that had a part in it. */
  dispatch(client: Client, event: WorkflowEvent): Promise<DispatchedEvent[]>
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
  /** Set on the Workflow by the request that does it. */
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

export interface WorkflowControlOptions {
  env: Env
  /** Of the engine that runs what is submitted: WorkflowEventBindings that are labelled for another are left alone. */
  instanceId?: string
  /** Where the engine keeps what is too large for a Workflow; without it such runs cannot be retried or resubmitted. */
  artifacts?: ArtifactStore
}
