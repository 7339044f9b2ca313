/** What this node knows of a pod that it runs. Times are milliseconds since the epoch. */
export interface ObservedPod {
  sandbox: SandboxState
  containers: ReadonlyMap<string, ObservedContainer>
  /** When this node took the pod up. */
  acceptedAt: number
  /** Why the pod ends, when that is not for its containers to say. */
  verdict?: Verdict
  /** Since when it is being ended. */
  endingSince?: number
  /** It is gone from the API, and nobody waits for its last status. */
  isGone: boolean
}

/** What the containers of a pod share: network, name, volumes. */
export type SandboxState =
  | { state: 'none' }
  | { state: 'preparing' } // volumes and network are being made
  | { state: 'waiting'; until: number } // something is missing; it is tried again
  | { state: 'ready'; ips: readonly string[] }
  | { state: 'removing'; ips: readonly string[] }
  | { state: 'removed'; ips: readonly string[] }

export interface Verdict {
  reason: string
  message: string
  /** How long containers may take to end, where this is not for the pod to say. */
  graceMs?: number
}

export interface ObservedContainer {
  activity: Activity
  /** How often it was started again. */
  restartCount: number
  imageId: string
  /** Why a stand-in runs instead of the real program. */
  simulated?: string
  /** None of its runs has printed anything. Left out where this node has not seen all of them. */
  isSilent?: true
  /** How the run before the one in `activity` ended. */
  lastTermination?: Termination
  backoff?: CrashBackoff
}

export type Activity =
  | { state: 'unstarted' }
  | { state: 'starting'; after?: Termination }
  | { state: 'blocked'; reason: string; message: string; until: number; after?: Termination } // could not be made
  | Running
  | { state: 'exited'; termination: Termination }

export interface Running {
  state: 'running'
  id: string
  startedAt: number
  /** Its startup probe succeeded, or it has none. */
  isStarted: boolean
  isReady: boolean
  /** Which probe, or hook, says that it has to be restarted. */
  unhealthy?: 'liveness' | 'startup' | 'postStart'
  /** It has been told to end, and when it is killed. */
  stopping?: { killAt: number }
}

export interface Termination {
  id: string
  exitCode: number
  signal?: number
  reason: string
  message?: string
  startedAt: number
  finishedAt: number
}

/** How long a container waits after its next end before it starts again. */
export interface CrashBackoff {
  delayMs: number
  /** When it last grew. */
  since: number
}
