import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { asError, type Env, uuid } from '@tiphys/env'
import type {
  ContainerConfig,
  ContainerExit,
  ExecConfig,
  ExecSession,
  RunningContainer,
  Sandbox,
  SandboxConfig,
} from '../pod-runtime.ts'
import type { Cgroup, Cgroups } from './cgroups.ts'
import { programsOf } from './image-programs.ts'
import { type ImageTable, type Machine, resolveImage } from './image-table.ts'
import type { Multiplexer } from './multiplexer.ts'
import type { ExitAnswer, StartAnswer, StartRequest, SupervisorRequest, UsageAnswer } from './supervisor-protocol.ts'

export interface ProcessSandboxOptions {
  name: string
  config: SandboxConfig
  ips: readonly string[]
  isOnMachineNetwork: boolean
  link: Multiplexer
  env: Env
  images: ImageTable
  machine: Machine
  cgroups: Cgroups | undefined
}

export function createProcessSandbox(options: ProcessSandboxOptions): Sandbox {
  const { name, config, ips, link, env, images, machine } = options
  const ask = (request: SupervisorRequest) => link.call(request)
  return {
    ips,
    resolveImage: async request => resolveImage(images, machine, request, config.restartPolicy),
    start: container => startContainer(options, container),
    dial: async (port, host) => {
      if (options.isOnMachineNetwork) return dialMachine(port, host)
      return dialThrough(link, { do: 'dial', sandbox: name, port, host })
    },
    async remove() {
      // Without its supervisor the pod is gone already.
      await ask({ do: 'remove sandbox', sandbox: name }).catch(error => {
        env.log.debug('a pod could not be removed', { pod: config.name, error: asError(error) })
      })
    },
  }
}

async function startContainer(options: ProcessSandboxOptions, config: ContainerConfig): Promise<RunningContainer> {
  const { link, env } = options
  const id = uuid(env.random)
  const cgroup = options.cgroups?.create(id, config.limits)
  const running = runProcess(link, { do: 'start', ...startRequest(options, config, id, cgroup) }, id, config)
  const startedAt = env.clock.now()
  const started = await running.started
  const exited = running.exited.then((exit): ContainerExit => {
    const isOutOfMemory = exit.exitCode !== 0 && (cgroup?.ranOutOfMemory() ?? false)
    cgroup?.remove()
    const startError = started.error === undefined ? {} : { startError: started.error }
    return { ...exit, isOutOfMemory, finishedAt: env.clock.now(), ...startError }
  })
  return {
    id: `process://${id}`,
    startedAt,
    exited,
    stdin: running.stdin,
    kill: running.kill,
    resize: running.resize,
    usage: async () => {
      const counted = cgroup?.usage()
      if (counted !== undefined) return counted
      const usage = (await link.call({ do: 'usage', process: id }).catch(() => undefined)) as UsageAnswer | undefined
      return usage && { cpuNanoseconds: BigInt(usage.cpuNanoseconds), memoryBytes: usage.memoryBytes }
    },
    exec: exec => startExec(link, id, uuid(env.random), exec),
  }
}

async function startExec(link: Multiplexer, container: string, id: string, config: ExecConfig): Promise<ExecSession> {
  const { argv, stdin, tty } = config
  const running = runProcess(link, { do: 'exec', process: id, container, argv, stdin, tty }, id, config)
  const { error } = await running.started
  if (error !== undefined) throw new Error(`unable to start container process: ${error}`)
  return {
    stdin: running.stdin,
    exited: running.exited,
    resize: running.resize,
    kill: () => running.kill('SIGKILL'),
  }
}

function startRequest(
  { name, config: sandbox }: ProcessSandboxOptions,
  config: ContainerConfig,
  id: string,
  cgroup: Cgroup | undefined,
): StartRequest {
  const { image } = config
  const env = [...Object.entries(image.env), ...config.env.map(({ name: key, value }) => [key, value] as const)]
  return {
    process: id,
    sandbox: name,
    argv: image.argv,
    env: [['HOSTNAME', sandbox.hostname], ...env],
    workingDir: config.workingDir ?? image.workingDir ?? '/',
    user: image.user,
    runAsUser: config.runAsUser,
    runAsGroup: config.runAsGroup,
    supplementalGroups: config.supplementalGroups,
    privileged: config.privileged,
    allowPrivilegeEscalation: config.allowPrivilegeEscalation,
    readOnlyRootFilesystem: config.readOnlyRootFilesystem,
    capabilities: config.capabilities,
    mounts: config.mounts,
    programs: programsOf(image.commands),
    cgroups: cgroup?.folders ?? [],
    stdin: config.stdin,
    tty: config.tty,
  }
}

/** Everything about a process is asked for at once, so that nothing is missed of one that ends at once. */
function runProcess(
  link: Multiplexer,
  request: SupervisorRequest,
  process: string,
  { stdin, tty, output }: Pick<ContainerConfig, 'stdin' | 'tty' | 'output'>,
) {
  const starting = link.call(request) as Promise<StartAnswer>
  const started = starting.catch((error): StartAnswer => ({ error: asError(error).message }))
  const input = stdin ? link.open({ do: 'stdin', process }) : undefined
  // Where the program has gone, nothing more goes in; how it ended is told elsewhere.
  input?.on('error', () => {})
  const streams = (['stdout', 'stderr'] as const).map(async stream => {
    const channel = link.open({ do: stream, process })
    try {
      for await (const chunk of channel) await output(stream, chunk as Uint8Array)
    } catch {
      // It did not start, or the supervisor has ended: then the exit says so.
      channel.destroy()
    }
  })
  const waiting = link.call({ do: 'wait', process }) as Promise<ExitAnswer>
  // Killed: that is what the end of the supervisor means for all containers.
  const exit = waiting.catch((): ExitAnswer => ({ exitCode: 137 }))
  const exited = (async (): Promise<ExitAnswer> => {
    const { error } = await started
    const [answer] = await Promise.all([exit, ...streams])
    return error === undefined ? answer : { exitCode: 128 }
  })()
  const ignoringEnd = (asked: Promise<unknown>) => asked.then(() => {}).catch(() => {})
  return {
    started,
    exited,
    stdin: input,
    kill: (signal: string) => ignoringEnd(link.call({ do: 'signal', process, signal })),
    resize: async (columns: number, rows: number) => {
      if (tty) await ignoringEnd(link.call({ do: 'resize', process, columns, rows }))
    },
  }
}

function dialMachine(port: number, host = '127.0.0.1'): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** A connection that the supervisor makes. It says one byte when the connection stands. */
export function dialThrough(
  link: Multiplexer,
  request: Extract<SupervisorRequest, { do: 'dial' | 'dial address' }>,
): Promise<Duplex> {
  const stream = link.open(request)
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.once('readable', () => {
      stream.read(1)
      stream.off('error', reject)
      // Whoever has the connection learns of its end by `close`.
      stream.on('error', () => {})
      resolve(stream)
    })
  })
}
