import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { type Env, uuid } from '@tiphys/env'
import {
  type ContainerConfig,
  type ContainerExit,
  ImageFailure,
  type Mount,
  type PodRuntime,
  type RunningContainer,
  type Sandbox,
} from '../runtime/pod-runtime.ts'

/** For tests of the node: containers are plain processes of this machine, without any isolation. As nothing can be mounted,
 *  `{/path}` in a command stands for the place where what is mounted at /path really is. */
export function createPlainRuntime(env: Env): PodRuntime {
  const running = new Set<RunningContainer>()
  return {
    name: 'process',
    limitations: [],
    network: undefined,
    async createSandbox() {
      return createSandbox(env, running)
    },
    async close() {
      await Promise.all([...running].map(container => container.kill('SIGKILL')))
    },
  }
}

function createSandbox(env: Env, running: Set<RunningContainer>): Sandbox {
  const own = new Set<RunningContainer>()
  return {
    ips: ['127.0.0.1'],
    async resolveImage({ image, command = [], args = [] }) {
      if (command.length === 0) throw new ImageFailure('ErrImageNeverPull', `nothing is known of the image ${image}`)
      return { imageId: image, argv: [...command, ...args], env: {}, workingDir: undefined, user: undefined }
    },
    async start(config) {
      const container = start(env, config)
      own.add(container)
      running.add(container)
      void container.exited.then(() => running.delete(container))
      return container
    },
    dial: port =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => resolve(socket))
        socket.once('error', reject)
      }),
    async remove() {
      await Promise.all([...own].map(container => container.kill('SIGKILL')))
    },
  }
}

const placed = (argv: readonly string[], mounts: readonly Mount[]) =>
  argv.map(text =>
    text.replaceAll(/\{(\/[^}]*)\}/gu, (match, target: string) => {
      return mounts.find(mount => mount.target === target)?.source ?? match
    }),
  )

function start(env: Env, config: ContainerConfig): RunningContainer {
  const variables = Object.fromEntries(config.env.map(({ name, value }) => [name, value]))
  const options = { env: { PATH: process.env['PATH'], ...variables }, stdio: 'pipe' } as const
  const run = (argv: readonly string[]) => {
    const [program = '', ...rest] = placed(argv, config.mounts)
    return spawn(program, rest, options)
  }
  const child = run(config.image.argv)
  child.stdout.on('data', (chunk: Buffer) => void config.output('stdout', chunk))
  child.stderr.on('data', (chunk: Buffer) => void config.output('stderr', chunk))
  return {
    id: `process://${uuid(env.random)}`,
    startedAt: env.clock.now(),
    exited: new Promise<ContainerExit>(resolve => {
      const end = { isOutOfMemory: false, finishedAt: env.clock.now() }
      child.once('error', error => resolve({ ...end, exitCode: 128, startError: error.message }))
      child.once('close', (code, signal) => resolve({ ...end, exitCode: code ?? (signal === 'SIGKILL' ? 137 : 143) }))
    }),
    async kill(signal) {
      child.kill(signal as NodeJS.Signals)
    },
    async exec({ argv, output }) {
      const session = run(argv)
      session.stdout.on('data', (chunk: Buffer) => void output('stdout', chunk))
      session.stderr.on('data', (chunk: Buffer) => void output('stderr', chunk))
      return {
        stdin: session.stdin,
        exited: new Promise(resolve => session.once('close', code => resolve({ exitCode: code ?? 137 }))),
        resize: async () => {},
        async kill() {
          session.kill('SIGKILL')
        },
      }
    },
    stdin: child.stdin,
    resize: async () => {},
    usage: async () => undefined,
  }
}
