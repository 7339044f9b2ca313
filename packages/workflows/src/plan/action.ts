import type { KubeObject } from '@tiphys/kube'
import type { Outputs, Template, Volume, WorkflowSpec } from '../spec/workflow.ts'

/** Something for the driver to do. All are safe to repeat, and are repeated until their effect is observed. */
export type Action =
  | CreatePod
  | StopPod
  | DeletePod
  | RunResource
  | RunHttp
  | CancelTask
  | AcquireLock
  | ReleaseLock
  | ReadMemo
  | SaveMemo
  | ReadConfigMap
  | CreateVolumeClaim
  | DeleteVolumeClaim

/** A step that runs in a pod: container, script, containerSet. `template` is resolved: inputs have values and locations, no variable is
 *  left in it, templateDefaults are merged. */
export interface CreatePod {
  do: 'createPod'
  nodeId: string
  nodeName: string
  podName: string
  template: Template
  /** The merged spec's volumes and those of volumeClaimTemplates. */
  volumes: readonly Volume[]
  /** What the merged spec says of all pods (podMetadata, podSpecPatch, nodeSelector, serviceAccountName, …), with variables put
   *  in. */
  shared: Partial<WorkflowSpec>
  /** The pod's activeDeadlineSeconds: the least of the template's, its timeout's and the workflow's rest. */
  deadline?: number
  /** The step waits for readiness and goes on while the pod runs. */
  daemon: boolean
  /** The node's `outputs.result` is used somewhere, so that the log has to be kept as its value. */
  needsResult: boolean
}

/** Ends a running pod: by SIGTERM and the grace period, or at once. The outcome is observed as usual. */
export interface StopPod {
  do: 'stopPod'
  nodeId: string
  podName: string
  why: string
  now: boolean
}

/** Removes a pod object that is not needed any more (podGC, finished daemons). */
export interface DeletePod {
  do: 'deletePod'
  nodeId: string
  podName: string
}

/** A resource template, resolved. Success and failure conditions are the driver's, its outcome carries the outputs. */
export interface RunResource {
  do: 'runResource'
  nodeId: string
  nodeName: string
  template: Template
  /** Milliseconds since the epoch. */
  deadline?: number
}

/** An http template, resolved. The driver reports the response; the planner judges it. */
export interface RunHttp {
  do: 'runHttp'
  nodeId: string
  nodeName: string
  template: Template
  deadline?: number
}

/** Ends the resource polling or http request of a node. */
export interface CancelTask {
  do: 'cancelTask'
  nodeId: string
  why: string
}

/** Asks for all of these locks, or none. Observed as `locks[holder]`. Asked for again while it waits: the line is kept by the
 *  driver (by priority, then creation time), an entry there is renewed, not added. */
export interface AcquireLock {
  do: 'acquireLock'
  /** The node's id; the Workflow's name for its own lock, and then `NAME/template` for that of its entrypoint's template. */
  holder: string
  locks: readonly LockRequest[]
}

export type LockRequest =
  | { kind: 'Mutex'; name: string; namespace: string; database: boolean }
  | { kind: 'Semaphore'; configMap: string; key: string; namespace: string }
  | { kind: 'DatabaseSemaphore'; key: string; namespace: string }

/** Gives back, or leaves the line for, all locks of a holder. */
export interface ReleaseLock {
  do: 'releaseLock'
  holder: string
}

export interface ReadMemo {
  do: 'readMemo'
  nodeId: string
  configMap: string
  key: string
}

/** Keeps the outputs of a node for later runs. Repeated until `memos[nodeId]` shows an entry of this node. */
export interface SaveMemo {
  do: 'saveMemo'
  nodeId: string
  configMap: string
  key: string
  outputs: Outputs | undefined
}

export interface ReadConfigMap {
  do: 'readConfigMap'
  name: string
  namespace: string
}

export interface CreateVolumeClaim {
  do: 'createVolumeClaim'
  name: string
  claim: KubeObject
}

export interface DeleteVolumeClaim {
  do: 'deleteVolumeClaim'
  name: string
}
