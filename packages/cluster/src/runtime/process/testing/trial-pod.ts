import { systemRandom, uuid } from '@tiphys/env'
import type {
  ContainerConfig,
  ContainerExit,
  PodRuntime,
  RunningContainer,
  Sandbox,
  SandboxConfig,
} from '../../pod-runtime.ts'

/** For tests: a pod, with little to say for each container. */
export interface TrialPod {
  sandbox: Sandbox
  start(argv: readonly string[] | string, config?: Partial<ContainerConfig>): Promise<TrialContainer>
  /** Runs to the end. */
  run(argv: readonly string[] | string, config?: Partial<ContainerConfig>): Promise<TrialResult>
}

export interface TrialContainer {
  container: RunningContainer
  stdout(): string
  stderr(): string
}

export interface TrialResult extends ContainerExit {
  stdout: string
  stderr: string
}

export async function trialPod(runtime: PodRuntime, config: Partial<SandboxConfig> = {}): Promise<TrialPod> {
  const sandbox = await runtime.createSandbox({
    uid: uuid(systemRandom),
    namespace: 'default',
    name: 'trial',
    hostname: 'trial',
    hostNetwork: false,
    shareProcessNamespace: false,
    annotations: {},
    restartPolicy: 'Never',
    ...config,
  })
  const start: TrialPod['start'] = async (command, overrides = {}) => {
    const argv = typeof command === 'string' ? ['sh', '-c', command] : command
    const output = { stdout: '', stderr: '' }
    const container = await sandbox.start({
      name: 'main',
      restartCount: 0,
      image: { imageId: 'trial', argv, env: {}, workingDir: undefined, user: undefined },
      env: [],
      workingDir: undefined,
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
      output: (stream, chunk) => {
        output[stream] += Buffer.from(chunk).toString()
      },
      ...overrides,
    })
    return { container, stdout: () => output.stdout, stderr: () => output.stderr }
  }
  return {
    sandbox,
    start,
    async run(argv, overrides) {
      const { container, stdout, stderr } = await start(argv, overrides)
      const exit = await container.exited
      return { ...exit, stdout: stdout(), stderr: stderr() }
    },
  }
}
