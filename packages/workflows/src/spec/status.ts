import type { Artifact } from './artifact.ts'
import type { Inputs, Template, TemplateRef } from './template.ts'
import type { Parameter, Volume, WorkflowSpec } from './workflow.ts'

export type WorkflowPhase = '' | 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error'

export type NodePhase = '' | 'Pending' | 'Running' | 'Succeeded' | 'Skipped' | 'Failed' | 'Error' | 'Omitted'

export type NodeType =
  | 'Pod'
  | 'Container'
  | 'Steps'
  | 'StepGroup'
  | 'DAG'
  | 'TaskGroup'
  | 'Retry'
  | 'Skipped'
  | 'Suspend'
  | 'HTTP'

/** The state of a run, laid out as upstream lays it out. Everything that planning needs after a crash is in here. */
export interface WorkflowStatus {
  phase?: WorkflowPhase
  message?: string
  startedAt?: string | null
  finishedAt?: string | null
  /** `done/total` of the steps that do work. */
  progress?: string
  /** For how long its pods have had their resources, in seconds by the resource. */
  resourcesDuration?: Record<string, number>
  /** By id. Upstream's compressed form (`compressedNodes`) is decoded and encoded at the rim; the planner knows only this. */
  nodes?: Record<string, NodeStatus>
  compressedNodes?: string
  /** Where the nodes are when the object has no room for them. */
  offloadNodeStatusVersion?: string
  /** Values that are in the artifact store, by their place in the status. */
  storedValues?: Record<string, { key: string; bytes: number }>
  /** Templates of other objects that this run uses, as they were at their first use: `SCOPE/RESOURCE/TEMPLATE`. */
  storedTemplates?: Record<string, Template>
  /** What `workflowTemplateRef` gave, merged with the Workflow's own spec and the defaults, as it was at the start. */
  storedWorkflowTemplateSpec?: WorkflowSpec
  persistentVolumeClaims?: Volume[]
  /** Global outputs: those with `globalName`. */
  outputs?: Outputs
  conditions?: WorkflowCondition[]
  synchronization?: SynchronizationStatus
  taskResultsCompletionStatus?: Record<string, boolean>
  [field: string]: unknown
}

export interface WorkflowCondition {
  type: string
  status: string
  message?: string
}

export interface Outputs {
  parameters?: Parameter[]
  artifacts?: Artifact[]
  /** What the main container printed. */
  result?: string
  exitCode?: string
}

export interface NodeStatus {
  id: string
  name: string
  displayName: string
  type: NodeType
  phase: NodePhase
  templateName?: string
  templateRef?: TemplateRef
  /** `local/…`, `namespaced/WORKFLOWTEMPLATE` or `cluster/CLUSTERWORKFLOWTEMPLATE`: where the template was found. */
  templateScope?: string
  /** The node of the steps or dag template that this node is inside of. */
  boundaryID?: string
  message?: string
  startedAt?: string | null
  finishedAt?: string | null
  progress?: string
  podIP?: string
  daemoned?: boolean
  hostNodeName?: string
  inputs?: Inputs
  outputs?: Outputs
  children?: string[]
  /** Where the nodes that follow a finished steps or dag node are attached. */
  outboundNodes?: string[]
  /** For how long its pods have had their resources, in seconds by the resource, when it has ended. */
  resourcesDuration?: Record<string, number>
  memoizationStatus?: MemoizationStatus
  synchronizationStatus?: { waiting?: string }
  nodeFlag?: { hooked?: boolean; retried?: boolean }
  /** How an approval gate's outputs came; upstream's `failHosts` and `estimatedDuration` are not written. */
  [field: string]: unknown
}

export interface MemoizationStatus {
  hit: boolean
  key: string
  cacheName: string
}

export interface SynchronizationStatus {
  semaphore?: LockStatus
  mutex?: LockStatus
}

export interface LockStatus {
  holding?: { semaphore?: string; mutex?: string; holder?: string; holders?: string[] }[]
  waiting?: { semaphore?: string; mutex?: string; holder?: string; holders?: string[] }[]
}
