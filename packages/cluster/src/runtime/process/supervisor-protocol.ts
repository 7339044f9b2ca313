import type { ServiceRoute } from '../pod-runtime.ts'
import type { ImageProgram } from './image-programs.ts'

/** What the runtime asks of its supervisor. `dial`, `stdout`, `stderr` and `stdin` are streams; all else are calls. */
export type SupervisorRequest =
  | { do: 'say hello' }
  | ({ do: 'set up' } & SetUpRequest)
  | ({ do: 'create sandbox' } & SandboxRequest)
  | { do: 'remove sandbox'; sandbox: string }
  | { do: 'dial'; sandbox: string; port: number; host: string | undefined }
  | { do: 'dial address'; ip: string; port: number }
  | { do: 'set services'; services: readonly ServiceRoute[] }
  | ({ do: 'start' } & StartRequest)
  | ({ do: 'exec' } & ExecRequest)
  | { do: 'wait'; process: string }
  | { do: 'signal'; process: string; signal: string }
  | { do: 'resize'; process: string; columns: number; rows: number }
  | { do: 'usage'; process: string }
  | { do: 'stdout' | 'stderr' | 'stdin'; process: string }

/** What a supervisor asks of its runtime: streams both. */
export type RuntimeRequest = { do: 'dial api' } | { do: 'forward dns' }

export interface SetUpRequest {
  /** `plain`: without namespaces. */
  mode: 'isolated' | 'plain'
  /** Everybody in the container is the one user who started all this. */
  isSingleUser: boolean
  maskedPaths: readonly string[]
  /** A descriptor of the machine's network namespace, where it may be entered. */
  machineNetwork: number | undefined
  /** How much a container may write outside its volumes. */
  writableBytes: number
  /** Where plain containers have their folders. */
  workDirectory: string | undefined
  network: { podCidr: string | undefined; serviceCidr: string | undefined; clusterDomain: string | undefined }
  forwardsDns: boolean
  /** A device in the supervisor's network that leads out of it. */
  egressDevice: string | undefined
}

export interface SetUpAnswer {
  dnsAddress: string | undefined
  limitations: readonly string[]
}

export interface SandboxRequest {
  sandbox: string
  hostname: string
  hostNetwork: boolean
  shareProcessNamespace: boolean
}

export interface SandboxAnswer {
  /** Undefined where the pod is in the machine's network. */
  ip: string | undefined
}

export interface StartRequest {
  process: string
  sandbox: string
  argv: readonly string[]
  /** In order; a later one of the same name wins. */
  env: readonly (readonly [name: string, value: string])[]
  workingDir: string
  user: string | undefined
  runAsUser: number | undefined
  runAsGroup: number | undefined
  supplementalGroups: readonly number[]
  privileged: boolean
  allowPrivilegeEscalation: boolean
  readOnlyRootFilesystem: boolean
  capabilities: { add: readonly string[]; drop: readonly string[] }
  mounts: readonly { source: string; target: string; readOnly: boolean; beneath?: string }[]
  /** What the image has beside the machine's programs. */
  programs?: readonly ImageProgram[]
  /** Folders whose `cgroup.procs` the container joins. */
  cgroups: readonly string[]
  stdin: boolean
  tty: boolean
}

export interface ExecRequest {
  process: string
  container: string
  argv: readonly string[]
  stdin: boolean
  tty: boolean
}

/** `error`: why it could not be started. */
export interface StartAnswer {
  error?: string
}

export interface ExitAnswer {
  /** 128 + the signal's number when a signal ended it. */
  exitCode: number
}

export interface UsageAnswer {
  cpuNanoseconds: string
  memoryBytes: number
}
