import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { identify, readAccounts } from './accounts.ts'
import { isNamed } from './image-programs.ts'
import { type LaunchRequest, launchScript } from './launch.ts'
import { createPipes, type Pipes } from './output-pipes.ts'
import { environmentOf, type Pods, type PodsProcess } from './pods.ts'
import { type SupervisedProcess, sendSignal, supervise } from './supervised-process.ts'
import type { SandboxRequest, StartRequest } from './supervisor-protocol.ts'

interface PlainSandbox {
  folder: string
  hostname: string
  processes: Set<PodsProcess>
}

/** Pods as plain processes of this machine: each container has a working folder and a process group, and nothing else of
 *  its own. Volumes are links in the working folder. */
export function createPlainPods(workDirectory: string): Pods & { endAll(): void } {
  mkdirSync(workDirectory, { recursive: true })
  const root = mkdtempSync(join(workDirectory, 'pods-'))
  const pipesFolder = join(root, '.pipes')
  mkdirSync(pipesFolder, { mode: 0o700 })
  const pipes = createPipes(pipesFolder)
  const accounts = readAccounts()
  const sandboxes = new Map<string, PlainSandbox>()

  const groups = new Set<number>()

  const plainProcess = (supervised: SupervisedProcess, launch: LaunchRequest): PodsProcess => {
    const group = supervised.launched.then(
      pid => {
        groups.add(pid)
        void supervised.exited.then(() => groups.delete(pid))
        return pid
      },
      () => 0,
    )
    return {
      supervised,
      signal: async name => {
        const pid = await group
        if (pid > 0) sendGroupSignal(pid, name)
      },
      terminal: async () => undefined,
      usage: async () => undefined,
      exec: async ({ argv, stdin }) => {
        const inside = { ...launch, argv, tty: false }
        return plainProcess(await startPlain(pipes, inside, stdin), inside)
      },
    }
  }

  const start = async (request: StartRequest): Promise<PodsProcess> => {
    const sandbox = sandboxes.get(request.sandbox)
    if (sandbox === undefined) throw new Error(`there is no sandbox ${request.sandbox}`)
    const folder = join(sandbox.folder, request.process)
    mkdirSync(folder)
    for (const { source, target } of request.mounts) {
      const place = join(folder, target)
      mkdirSync(dirname(place), { recursive: true })
      symlinkSync(source, place)
    }
    const programs = `${folder}.programs`
    for (const { name, text } of (request.programs ?? []).filter(isNamed)) {
      mkdirSync(programs, { recursive: true })
      writeFileSync(join(programs, name), text, { mode: 0o755 })
    }
    const identity = identify(accounts, { ...request, user: undefined, runAsUser: process.getuid?.() ?? 0 })
    const launch: LaunchRequest = {
      ...request,
      identity,
      env: environmentOf(request, { hostname: sandbox.hostname, home: identity.home, programs }),
      workingDir: request.workingDir === '/' ? folder : join(folder, request.workingDir),
      isSingleUser: true,
    }
    const supervised = await startPlain(pipes, launch, request.stdin)
    const started = plainProcess(supervised, launch)
    sandbox.processes.add(started)
    void supervised.exited.then(async () => {
      sandbox.processes.delete(started)
      // What it left behind in its group must not hold its output open.
      await started.signal('SIGKILL')
    })
    return started
  }

  return {
    async createSandbox({ sandbox, hostname }: SandboxRequest) {
      const folder = join(root, sandbox)
      mkdirSync(folder)
      sandboxes.set(sandbox, { folder, hostname, processes: new Set() })
      return { ip: undefined }
    },
    async removeSandbox(name) {
      const sandbox = sandboxes.get(name)
      if (sandbox === undefined) return
      sandboxes.delete(name)
      await Promise.all([...sandbox.processes].map(running => running.signal('SIGKILL')))
      await Promise.all([...sandbox.processes].map(running => running.supervised.exited))
      rmSync(sandbox.folder, { recursive: true, force: true })
    },
    start,
    dial: (_sandbox, port, host) => dialMachine(port, host),
    endAll() {
      for (const group of groups) sendGroupSignal(group, 'SIGKILL')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function startPlain(pipes: Pipes, launch: LaunchRequest, stdin: boolean): Promise<SupervisedProcess> {
  const env = [...launch.env].map(([name, value]) => `${name}=${value}`)
  return supervise(pipes, {
    enter: [],
    // A group of its own has its first process' number, which is this shell's.
    script: `echo $$ >&3\n${launchScript(launch)}`,
    arguments: ['env', '-i', ...env, ...launch.argv],
    stdin,
  })
}

function sendGroupSignal(pid: number, signal: string): void {
  try {
    process.kill(-pid, signal)
  } catch {
    sendSignal(pid, signal)
  }
}

function dialMachine(port: number, host = '127.0.0.1'): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}
