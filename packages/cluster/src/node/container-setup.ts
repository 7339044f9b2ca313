import type { Container, Pod } from '@tiphys/kube/kinds'
import type {
  ContainerConfig,
  ContainerExit,
  ResolvedImage,
  RunningContainer,
  Sandbox,
} from '../runtime/pod-runtime.ts'
import type { Running } from './observed-pod.ts'
import type { ContainerRole } from './pod-containers.ts'

/** Something that a container needs is missing or wrong: the status shows `CreateContainerConfigError` with the message,
 *  and the container is tried again. */
export class SetupFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SetupFailure'
  }
}

export interface ContainerRequest {
  pod: Pod
  container: Container
  role: ContainerRole
  image: ResolvedImage
  environment: ReadonlyMap<string, string>
  restartCount: number
  ips: readonly string[]
  /** Takes what the container prints. */
  output: ContainerConfig['output']
}

/** One run of a container. */
export interface ContainerContext {
  pod: Pod
  container: Container
  sandbox: Sandbox
  running: RunningContainer
  restartCount: number
}

/** Everything around a container's run: what it is started with, what is done beside it, what it leaves behind. */
export interface ContainerSetup {
  /** Makes volumes and files that the pod's containers share. */
  preparePod(pod: Pod): Promise<void>
  /** The pod's object has changed. */
  updatePod?(pod: Pod): void
  /** The variables that the container starts with. Throws a `SetupFailure` when something that the container refers to is
   *  not there, as `configure` does. */
  environment(request: Pick<ContainerRequest, 'pod' | 'container' | 'ips'>): Promise<ReadonlyMap<string, string>>
  configure(request: ContainerRequest): Promise<ContainerConfig>
  /** Runs the postStart hook, then probes until the signal aborts. */
  afterStart?(
    context: ContainerContext,
    report: (health: Partial<Pick<Running, 'isStarted' | 'isReady' | 'unhealthy'>>) => void,
    signal: AbortSignal,
  ): void
  /** Runs the preStop hook, at most until the signal aborts. */
  beforeStop?(context: ContainerContext, signal: AbortSignal): Promise<void>
  terminationMessage(context: ContainerContext, exit: ContainerExit): string | undefined | Promise<string | undefined>
  /** Removes all that was made for the pod. */
  removePod(pod: Pod): Promise<void>
  /** Removes what was made for pods that are not here any more. */
  removeOthers?(isKnown: (uid: string) => boolean): Promise<void>
  /** Ends what goes on beside the containers. */
  stop?(): void
}

/** What the specification says, without environment and mounts. */
export function bareConfig({ container, role, image, restartCount, output }: ContainerRequest): ContainerConfig {
  return {
    name: container.name,
    role: role === 'ephemeral' ? 'main' : role,
    restartCount,
    image,
    env: [],
    workingDir: container.workingDir,
    runAsUser: undefined,
    runAsGroup: undefined,
    supplementalGroups: [],
    privileged: false,
    allowPrivilegeEscalation: true,
    readOnlyRootFilesystem: false,
    capabilities: { add: [], drop: [] },
    mounts: [],
    limits: {},
    stdin: false,
    tty: false,
    output,
  }
}
