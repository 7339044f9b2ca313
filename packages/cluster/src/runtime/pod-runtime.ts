import type { Duplex } from 'node:stream'

/** Runs the containers of pods. It knows nothing of the Kubernetes API: the node agent translates.
 *
 *  Whatever happens to this process, nothing that a runtime started or mounted outlives it, and a new runtime starts
 *  empty. */
export interface PodRuntime {
  readonly name: 'process' | 'docker' | 'simulated'
  /** What this runtime cannot do on this machine, one sentence each, with what would help. */
  readonly limitations: readonly string[]
  /** How containers reach each other; undefined where pods share the machine's network. */
  readonly network: PodNetwork | undefined
  /** False where containers see no file of this machine: the node agent then makes no volumes, and gives them neither
   *  mounts nor environment. True unless said. */
  readonly mountsFiles?: boolean
  /** Resolves, with why, when the runtime can run nothing any more and everything that it ran has ended. It never rejects. */
  readonly broken?: Promise<string>
  /** What the containers of one pod share: its network and its name. */
  createSandbox(config: SandboxConfig): Promise<Sandbox>
  /** Ends everything that runs and frees what it used. */
  close(): Promise<void>
}

/** The network between pods. Addresses are reachable from pods alone; this process goes through `dial`. */
export interface PodNetwork {
  /** Replaces all that services lead to, and the names that lead to them. Connections that exist go on. */
  setServices(services: readonly ServiceRoute[]): void
  /** What pods have for DNS: the address to write into resolv.conf. */
  readonly dnsAddress: string
  /** A connection to an address inside the network, from outside of it. */
  dial(ip: string, port: number): Promise<Duplex>
}

/** One Service as the network needs it. */
export interface ServiceRoute {
  namespace: string
  name: string
  /** Empty for a headless service. */
  clusterIps: readonly string[]
  /** For `type: ExternalName`. */
  externalName?: string
  sessionAffinity: 'None' | 'ClientIP'
  ports: readonly ServicePortRoute[]
  /** The addresses that a headless service's name, and `hostname.service.namespace.svc`, lead to. */
  endpoints: readonly { ip: string; hostname?: string; ready: boolean }[]
  publishNotReadyAddresses: boolean
}

export interface ServicePortRoute {
  name: string
  protocol: 'TCP' | 'UDP'
  port: number
  /** Opened on the machine's loopback, where somebody outside the pods can reach it. */
  nodePort?: number
  /** Ready endpoints; `api` is the API server itself. */
  targets: readonly ({ ip: string; port: number } | 'api')[]
}

export interface SandboxConfig {
  uid: string
  namespace: string
  name: string
  hostname: string
  hostNetwork: boolean
  /** Containers see each other's processes. */
  shareProcessNamespace: boolean
  annotations: Readonly<Record<string, string>>
  labels?: Readonly<Record<string, string>>
  /** `Always` for servers; decides whether a missing program may be simulated. */
  restartPolicy: 'Always' | 'OnFailure' | 'Never'
}

export interface Sandbox {
  /** The pod's addresses, the first of which is `status.podIP`. */
  readonly ips: readonly string[]
  /** Throws an `ImageFailure` when there is nothing to run. Says what will be run otherwise. */
  resolveImage(request: ImageRequest): Promise<ResolvedImage>
  start(config: ContainerConfig): Promise<RunningContainer>
  /** A connection to a port of the pod, as something inside it would make: probes, port-forward. */
  dial(port: number, host?: string): Promise<Duplex>
  /** Kills what still runs in the pod and frees its network and files. */
  remove(): Promise<void>
}

export interface ImageRequest {
  container: string
  image: string
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  command: readonly string[] | undefined
  args: readonly string[] | undefined
  /** Where the container has volumes: a command there is the volume's, and cannot be missed beforehand. */
  mountTargets?: readonly string[]
}

/** `simulated`: there is no such program here, and a stand-in that does nothing runs instead. */
export interface ResolvedImage {
  imageId: string
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  workingDir: string | undefined
  /** A name or number, with a group after a colon if there is one. */
  user: string | undefined
  /** Programs that the image has and this machine need not have: lines of a shell script, by name or path. */
  commands?: Readonly<Record<string, readonly string[]>>
  simulated?: string
}

/** Why a container waits for its image: the reason and message that its status shows. */
export class ImageFailure extends Error {
  readonly reason: 'ErrImageNeverPull' | 'ErrImagePull' | 'InvalidImageName'

  constructor(reason: ImageFailure['reason'], message: string) {
    super(message)
    this.name = 'ImageFailure'
    this.reason = reason
  }
}

export interface ContainerConfig {
  name: string
  /** `init` runs to its end, `sidecar` is an init container that stays. `main` unless given. */
  role?: 'init' | 'sidecar' | 'main'
  /** How often it was restarted before. */
  restartCount: number
  image: ResolvedImage
  /** In order; a later one of the same name wins. */
  env: readonly { name: string; value: string }[]
  workingDir: string | undefined
  runAsUser: number | undefined
  runAsGroup: number | undefined
  supplementalGroups: readonly number[]
  privileged: boolean
  allowPrivilegeEscalation: boolean
  readOnlyRootFilesystem: boolean
  capabilities: { add: readonly string[]; drop: readonly string[] }
  /** In the order they are to be mounted. */
  mounts: readonly Mount[]
  limits: { memoryBytes?: number; cpuMillis?: number }
  stdin: boolean
  tty: boolean
  /** Takes what the container writes; a promise holds the container back until it resolves. */
  output: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void | Promise<void>
}

/** A file or folder of this machine at a place in the container. */
export interface Mount {
  source: string
  target: string
  readOnly: boolean
  /** A folder that containers write, and that the source is in. A link that somebody puts on the way from there to the
   *  source is not followed, also when it comes at the last moment: the container then does not start. */
  beneath?: string
}

export interface RunningContainer {
  /** `process://…`, unique for every start. */
  readonly id: string
  readonly startedAt: number
  /** Of a stand-in (`ResolvedImage.simulated`): its probes are not run; they succeed from `readyAt` on, or from its start
   *  when this is missing. `message` is what it would have written to its termination message file. */
  readonly pretence?: { readyAt: number; message?: string }
  /** Resolves when `output` has taken everything that it wrote, unless it was lost. Never rejects. */
  readonly exited: Promise<ContainerExit>
  /** Does nothing when it has ended. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | (string & {})): Promise<void>
  /** Starts another program in the container. */
  exec(config: ExecConfig): Promise<ExecSession>
  /** What goes in on the container's standard input, when it was started with `stdin`. */
  readonly stdin: NodeJS.WritableStream | undefined
  /** Tells the terminal's new size, when it was started with `tty`. */
  resize(columns: number, rows: number): Promise<void>
  usage(): Promise<{ cpuNanoseconds: bigint; memoryBytes: number } | undefined>
}

export interface ContainerExit {
  /** 128 + the signal's number when a signal ended it. */
  exitCode: number
  signal?: number
  isOutOfMemory: boolean
  finishedAt: number
  /** Why it never ran: the status shows it as the message of a `StartError`/`ContainerCannotRun`, exit code 128. */
  startError?: string
}

export interface ExecConfig {
  argv: readonly string[]
  stdin: boolean
  tty: boolean
  output: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void | Promise<void>
}

export interface ExecSession {
  readonly stdin: NodeJS.WritableStream | undefined
  readonly exited: Promise<{ exitCode: number }>
  resize(columns: number, rows: number): Promise<void>
  /** Ends the program, when whoever asked for it has gone. */
  kill(): Promise<void>
}
