import type { Artifact } from './artifact.ts'
import type {
  Arguments,
  IntOrString,
  LifecycleHook,
  Metrics,
  Parameter,
  PodMetadata,
  RetryStrategy,
  Synchronization,
  Volume,
} from './workflow.ts'

/** One thing that a workflow can do. Exactly one of the fields `container` … `plugin` says what. */
export interface Template {
  name?: string
  inputs?: Inputs
  outputs?: OutputSpec

  container?: Container
  script?: Script
  steps?: WorkflowStep[][]
  dag?: DagTemplate
  resource?: ResourceTemplate
  suspend?: SuspendTemplate
  http?: HttpTemplate
  containerSet?: ContainerSetTemplate
  /** Refused by name. */
  data?: Record<string, unknown>
  /** Refused by name. */
  plugin?: Record<string, unknown>

  metadata?: PodMetadata
  daemon?: boolean
  parallelism?: number
  failFast?: boolean
  /** Seconds, or a text with variables in it. Only on leaf templates. */
  activeDeadlineSeconds?: IntOrString
  /** A duration such as `30s`; also bounds the time of a retry node's attempts together. */
  timeout?: string
  /** A duration: how long the pod may stay Pending. */
  pendingTimeout?: string
  retryStrategy?: RetryStrategy
  synchronization?: Synchronization
  memoize?: Memoize
  onExit?: string
  hooks?: Record<string, LifecycleHook>
  metrics?: Metrics
  priority?: number
  priorityClassName?: string
  archiveLocation?: { archiveLogs?: boolean; [field: string]: unknown }

  serviceAccountName?: string
  automountServiceAccountToken?: boolean
  executor?: { serviceAccountName?: string }
  volumes?: Volume[]
  sidecars?: UserContainer[]
  initContainers?: UserContainer[]
  podSpecPatch?: string
  nodeSelector?: Record<string, string>
  affinity?: Record<string, unknown>
  podResources?: Record<string, unknown>
  resourceClaims?: Record<string, unknown>[]
  tolerations?: Record<string, unknown>[]
  hostAliases?: Record<string, unknown>[]
  schedulerName?: string
  securityContext?: Record<string, unknown>
  annotations?: Record<string, string>
  [field: string]: unknown
}

export type TemplateType = 'container' | 'script' | 'steps' | 'dag' | 'resource' | 'suspend' | 'http' | 'containerSet'

export interface TemplateRef {
  name?: string
  template?: string
  clusterScope?: boolean
}

export interface Inputs {
  parameters?: Parameter[]
  artifacts?: Artifact[]
}

export interface OutputSpec {
  parameters?: Parameter[]
  artifacts?: Artifact[]
}

/** A container of a pod, as Kubernetes has it; what is not named here is passed through. */
export interface Container {
  name?: string
  image?: string
  command?: string[]
  args?: string[]
  env?: Record<string, unknown>[]
  workingDir?: string
  [field: string]: unknown
}

export interface UserContainer extends Container {
  name: string
  mirrorVolumeMounts?: boolean
}

export interface Script extends Container {
  source: string
}

export interface ContainerSetTemplate {
  containers: ContainerNode[]
  volumeMounts?: Record<string, unknown>[]
  retryStrategy?: { retries?: IntOrString; duration?: string }
}

export interface ContainerNode extends Container {
  name: string
  dependencies?: string[]
}

/** What a step of `steps` and a task of `dag` have in common: a call of a template. */
export interface Call {
  name: string
  template?: string
  templateRef?: TemplateRef
  inline?: Template
  arguments?: Arguments
  when?: string
  withItems?: unknown[]
  withParam?: string
  withSequence?: Sequence
  continueOn?: ContinueOn
  onExit?: string
  hooks?: Record<string, LifecycleHook>
}

export interface WorkflowStep extends Call {}

export interface DagTask extends Call {
  dependencies?: string[]
  depends?: string
}

export interface DagTemplate {
  tasks: DagTask[]
  /** Names of the tasks that have to be run, apart by blanks; all leaves when left out. */
  target?: string
  /** True when left out. */
  failFast?: boolean
}

export interface Sequence {
  count?: IntOrString
  start?: IntOrString
  end?: IntOrString
  format?: string
}

export interface ContinueOn {
  error?: boolean
  failed?: boolean
}

export interface SuspendTemplate {
  /** Seconds, or a duration. */
  duration?: IntOrString
}

export interface ResourceTemplate {
  action: string
  manifest?: string
  manifestFrom?: { artifact: Artifact }
  mergeStrategy?: string
  setOwnerReference?: boolean
  successCondition?: string
  failureCondition?: string
  flags?: string[]
}

export interface HttpTemplate {
  url: string
  method?: string
  headers?: HttpHeader[]
  body?: string
  bodyFrom?: { bytes?: string }
  timeoutSeconds?: number
  insecureSkipVerify?: boolean
  successCondition?: string
}

export interface HttpHeader {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } }
}

export interface Memoize {
  key: string
  maxAge?: string
  cache: { configMap: { name: string; key?: string } }
}
