export type { ArtifactStore } from './artifacts/artifact-store.ts'
export { createFileArtifacts } from './artifacts/file-artifacts.ts'
export { type ArtifactFile, openArtifact } from './artifacts/open-artifact.ts'
export { createS3Artifacts, type S3ArtifactsOptions } from './artifacts/s3-artifacts.ts'
export { createWorkflowControl } from './control/create-workflow-control.ts'
export type { DispatchedEvent, WorkflowEvent } from './control/event-dispatch.ts'
export type {
  NoteOptions,
  ResumeOptions,
  RetryOptions,
  StopOptions,
  SubmitOptions,
  WorkflowControl,
  WorkflowControlOptions,
  WorkflowRef,
  WorkflowSource,
} from './control/workflow-control.ts'
export { nextStart } from './cron/cron-plan.ts'
export type { WorkflowEngineOptions } from './engine/engine-context.ts'
export { startWorkflows, type WorkflowEngine } from './engine/workflow-engine.ts'
export { workflowDefinitions } from './kinds/definitions.ts'
export { plan } from './plan/plan.ts'
export { pastedValues } from './spec/pasted-values.ts'
export { checkTriggeredWorkflow, triggeredWorkflows } from './spec/triggered-workflows.ts'
export { checkWorkflowObject, type Problem as WorkflowProblem } from './spec/validate.ts'
export type { Workflow } from './spec/workflow.ts'
