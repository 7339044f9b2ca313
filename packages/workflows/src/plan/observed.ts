import type { Artifact, Outputs } from '../spec/workflow.ts'

/** What is known of the world about one run. Facts that were not looked up yet are left out. Everything is keyed by node id unless
 *  said otherwise. */
export interface Observed {
  /** Pods of Pod nodes. A pod that does not exist (yet) has no entry; one that is gone without its outcome is `Gone`. */
  pods?: Readonly<Record<string, ObservedPod>>
  /** Results of resource and http templates, which run inside the engine. No entry: not started, or lost by a restart; the
   *  action is then asked for again. */
  tasks?: Readonly<Record<string, ObservedTask>>
  /** What people did with suspended nodes (resume, `argo node set`). Kept by the rim until the node shows it. */
  resumes?: Readonly<Record<string, Resume>>
  /** Locks by holder: a node's id, or the Workflow's name for its own lock. */
  locks?: Readonly<Record<string, ObservedLock>>
  /** Answers to `readMemo`. */
  memos?: Readonly<Record<string, ObservedMemo>>
  /** Answers to `readConfigMap`, by name. Null: there is none. */
  configMaps?: Readonly<Record<string, ObservedConfigMap | null>>
  /** Claims made of volumeClaimTemplates, by claim name. */
  volumeClaims?: Readonly<Record<string, ObservedClaim>>
}

export interface ObservedPod {
  name: string
  /** Pending and Running as Kubernetes has them. Succeeded, Failed: it ended AND `outcome` was read in full. Error: the pod could
   *  not be made or run (refused by the API server, no such image, evicted, node lost); `outcome.message` says it in words.
   *  Gone: somebody deleted it before its outcome was read. */
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error' | 'Gone'
  /** While Pending: it could not be started as it is, and nothing of the step has happened: a pod is asked for again, and the
   *  rim replaces this one. */
  isUnstarted?: boolean
  /** With that: no pod is asked for before then, in milliseconds since the epoch. */
  notBefore?: number
  /** While Running: it has ended, and what it left is being read. */
  isBeingRead?: boolean
  /** With an outcome: containers that are not the step's own still run in it, and nobody ends them. */
  isLingering?: boolean
  /** While Pending: why, e.g. `ErrImageNeverPull: …`. */
  message?: string
  /** All containers are ready: a daemon step goes on from here. */
  ready?: boolean
  podIP?: string
  nodeName?: string
  startedAt?: string
  /** The pod's labels, for podGC's labelSelector. */
  labels?: Readonly<Record<string, string>>
  outcome?: StepOutcome
  /** Containers of a containerSet, by name. */
  containers?: Readonly<Record<string, ObservedContainer>>
}

/** A container of a set ends with this code when one that it waits for has failed, as with upstream's emissary. */
export const DEPENDENCY_FAILED = 64

export interface ObservedContainer {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error'
  exitCode?: number
  message?: string
  startedAt?: string
  finishedAt?: string
}

/** How a step ended, and what it left. */
export interface StepOutcome {
  /** RFC 3339. */
  finishedAt?: string
  exitCode?: number
  /** In words; for a failed container what upstream says: `main: Error (exit code 1)`, with its last words where known. */
  message?: string
  /** A passing trouble (eviction, connection): `OnTransientError` retries it. */
  transient?: boolean
  /** What the main container printed, without the final newline. Only set when the template's result was captured. */
  result?: string
  /** Contents of output parameters that have a path, jsonPath or jqFilter, by parameter name. A missing one was not there. */
  parameters?: Readonly<Record<string, string>>
  /** Why an output parameter could not be read, by name. */
  missing?: Readonly<Record<string, string>>
  /** Output parameters that were there and could not be read: a default is not for them. */
  unreadable?: readonly string[]
  /** For how long its pod has had its resources, in seconds. */
  resourcesDuration?: Readonly<Record<string, number>>
  /** Output artifacts that were stored, with their location. A missing one was not there. */
  artifacts?: readonly Artifact[]
}

export interface ObservedTask {
  phase: 'Running' | 'Succeeded' | 'Failed' | 'Error'
  outcome?: StepOutcome
  /** Of http templates. `successCondition` is decided by the planner. */
  response?: HttpResponse
}

export interface HttpResponse {
  statusCode: number
  headers: Readonly<Record<string, readonly string[]>>
  body: string
}

/** A person's word on a suspended node. */
export interface Resume {
  phase: 'Succeeded' | 'Failed' | 'Error' | 'Skipped'
  message?: string
  outputs?: Readonly<Record<string, string>>
}

export interface ObservedLock {
  held: boolean
  /** Name of the lock that is waited for (`NS/Mutex/NAME`, `NS/ConfigMap/NAME/KEY`) and who has it. */
  waitingFor?: string
  holders?: readonly string[]
  /** The lock cannot be had at all, e.g. the semaphore's ConfigMap is missing: the node ends with Error. */
  error?: string
}

export interface ObservedMemo {
  /** The entry that was found, whatever its age. */
  entry?: { nodeID: string; outputs?: Outputs; creationTimestamp: string }
  /** The cache cannot be used (wrong label, entry that is no JSON): the node ends with Error. */
  error?: string
}

export interface ObservedClaim {
  exists: boolean
  /** Why it could not be made. */
  error?: string
  /** With that: there was no room for it. It is asked for again then, in milliseconds since the epoch. */
  notBefore?: number
}

export interface ObservedConfigMap {
  data?: Readonly<Record<string, string>>
  labels?: Readonly<Record<string, string>>
}
