import type { KubeObject, ObjectMeta } from '@tiphys/kube'
import type { Metrics } from './metrics.ts'
import type { WorkflowStatus } from './status.ts'
import type { Template, TemplateRef } from './template.ts'

export type * from './artifact.ts'
export type * from './metrics.ts'
export type * from './status.ts'
export type * from './template.ts'

/** A number or its text, as manifests have it: `limit: 3`, `limit: "{{inputs.parameters.n}}"`. */
export type IntOrString = number | string

export interface Workflow extends KubeObject {
  metadata: ObjectMeta
  spec: WorkflowSpec
  status?: WorkflowStatus
}

/** A WorkflowTemplate or a ClusterWorkflowTemplate: the kind says which. */
export interface WorkflowTemplate extends KubeObject {
  metadata: ObjectMeta
  spec: WorkflowSpec
}

export interface WorkflowSpec {
  entrypoint?: string
  templates?: Template[]
  arguments?: Arguments
  workflowTemplateRef?: WorkflowTemplateRef
  templateDefaults?: Template
  onExit?: string
  hooks?: Record<string, LifecycleHook>
  shutdown?: '' | 'Stop' | 'Terminate'
  suspend?: boolean
  parallelism?: number
  priority?: number
  activeDeadlineSeconds?: number
  synchronization?: Synchronization
  ttlStrategy?: TtlStrategy
  podGC?: PodGc
  volumeClaimGC?: { strategy?: 'OnWorkflowCompletion' | 'OnWorkflowSuccess' }
  volumes?: Volume[]
  volumeClaimTemplates?: KubeObject[]
  serviceAccountName?: string
  automountServiceAccountToken?: boolean
  executor?: { serviceAccountName?: string }
  workflowMetadata?: WorkflowMetadata
  podMetadata?: PodMetadata
  podSpecPatch?: string
  /** Removed upstream in v4; read for v3's manifests. */
  podPriority?: number
  podPriorityClassName?: string
  podDisruptionBudget?: Record<string, unknown>
  nodeSelector?: Record<string, string>
  affinity?: Record<string, unknown>
  podResources?: Record<string, unknown>
  resourceClaims?: Record<string, unknown>[]
  tolerations?: Record<string, unknown>[]
  imagePullSecrets?: { name: string }[]
  hostNetwork?: boolean
  hostAliases?: Record<string, unknown>[]
  dnsPolicy?: string
  dnsConfig?: Record<string, unknown>
  schedulerName?: string
  securityContext?: Record<string, unknown>
  retryStrategy?: RetryStrategy
  artifactRepositoryRef?: { configMap?: string; key?: string }
  artifactGC?: Record<string, unknown>
  archiveLogs?: boolean
  metrics?: Metrics
  [field: string]: unknown
}

export interface WorkflowTemplateRef {
  name?: string
  clusterScope?: boolean
}

/** Labels and annotations that the Workflow object gets when it starts. */
export interface WorkflowMetadata {
  labels?: Record<string, string>
  annotations?: Record<string, string>
  labelsFrom?: Record<string, { expression: string }>
}

export interface PodMetadata {
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

export interface TtlStrategy {
  secondsAfterCompletion?: number
  secondsAfterSuccess?: number
  secondsAfterFailure?: number
}

export interface PodGc {
  strategy?: '' | 'OnPodCompletion' | 'OnPodSuccess' | 'OnWorkflowCompletion' | 'OnWorkflowSuccess'
  labelSelector?: Record<string, unknown>
  deleteDelayDuration?: string
}

export interface Volume {
  name: string
  [source: string]: unknown
}

export interface Arguments {
  parameters?: Parameter[]
  artifacts?: import('./artifact.ts').Artifact[]
}

export interface Parameter {
  name: string
  /** JSON scalars are accepted and read as their text, as upstream's AnyString does. */
  value?: string | number | boolean | null
  default?: string | number | boolean | null
  enum?: (string | number | boolean)[]
  description?: string
  /** Exports the output as `workflow.outputs.parameters.NAME`. */
  globalName?: string
  valueFrom?: ValueFrom
}

export interface ValueFrom {
  path?: string
  jsonPath?: string
  jqFilter?: string
  event?: string
  parameter?: string
  supplied?: Record<string, never>
  configMapKeyRef?: KeyRef
  default?: string | number | boolean | null
  expression?: string
}

export interface KeyRef {
  name: string
  key: string
  namespace?: string
  optional?: boolean
}

/** Locks. `mutex` and `semaphore` are v3's forms, `mutexes` and `semaphores` v4's; both are read. */
export interface Synchronization {
  mutex?: Mutex
  mutexes?: Mutex[]
  semaphore?: Semaphore
  semaphores?: Semaphore[]
}

export interface Mutex {
  name: string
  namespace?: string
  database?: boolean
}

export interface Semaphore {
  configMapKeyRef?: KeyRef
  namespace?: string
  database?: Record<string, unknown>
}

export interface RetryStrategy {
  limit?: IntOrString
  retryPolicy?: 'Always' | 'OnFailure' | 'OnError' | 'OnTransientError'
  backoff?: Backoff
  expression?: string
  affinity?: Record<string, unknown>
}

export interface Backoff {
  duration?: string
  factor?: IntOrString
  maxDuration?: string
  cap?: string
}

export interface LifecycleHook {
  template?: string
  templateRef?: TemplateRef
  arguments?: Arguments
  expression?: string
}

export interface CronWorkflow extends KubeObject {
  metadata: ObjectMeta
  spec: CronWorkflowSpec
  status?: CronWorkflowStatus
}

export interface CronWorkflowSpec {
  workflowSpec: WorkflowSpec
  workflowMetadata?: ObjectMeta
  /** v3's form of `schedules`. */
  schedule?: string
  schedules?: string[]
  timezone?: string
  suspend?: boolean
  concurrencyPolicy?: '' | 'Allow' | 'Forbid' | 'Replace'
  startingDeadlineSeconds?: number
  successfulJobsHistoryLimit?: number
  failedJobsHistoryLimit?: number
  /** govaluate after substitution, or `{{=…}}`, over `cronworkflow.*`. */
  when?: string
  /** `condition` is v3's name of `expression`. */
  stopStrategy?: { expression?: string; condition?: string }
}

export interface CronWorkflowStatus {
  active?: Record<string, unknown>[]
  lastScheduledTime?: string
  conditions?: Record<string, unknown>[]
  succeeded?: number
  failed?: number
  phase?: 'Active' | 'Stopped'
}
