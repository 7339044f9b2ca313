import {
  closeSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, posix } from 'node:path'
import type { Duplex } from 'node:stream'
import { delay, systemClock } from '@tiphys/env'
import type { SupervisorNetwork } from '../../network/supervisor-network.ts'
import { type Accounts, identify } from './accounts.ts'
import { entryArguments, isSetUpInside } from './container-entry.ts'
import { type ContainerMount, ownFolder, type RootTemplate, rootScript, tableOf } from './container-root.ts'
import { PROGRAMS_FOLDER } from './image-programs.ts'
import { type LaunchRequest, launchArguments, launchScript } from './launch.ts'
import { mountOf, parseMounts } from './machine-view.ts'
import { openBeneath } from './open-beneath.ts'
import type { Pipes } from './output-pipes.ts'
import { createPodFolders } from './pod-folders.ts'
import { environmentOf, type Pods, type PodsProcess } from './pods.ts'
import { coversTools, findSetUpTools } from './set-up-tools.ts'
import { quote } from './shell.ts'
import { childrenOf, SAY_PID, type SupervisedProcess, sendSignal, supervise } from './supervised-process.ts'
import type { SandboxRequest, StartRequest } from './supervisor-protocol.ts'

export interface IsolatedPodsOptions {
  template: RootTemplate
  accounts: Accounts
  pipes: Pipes
  network: SupervisorNetwork
  /** A path to the machine's network namespace, where it may be entered. */
  machineNetwork: string | undefined
}

interface IsolatedSandbox {
  folder: string
  hostname: string
  ip: string | undefined
  /** What enters the namespaces that its containers share. */
  enter: readonly string[]
  /** The first process of the shared process namespace. */
  pause: SupervisedProcess | undefined
  processes: Set<PodsProcess>
}

/** Pods whose containers have namespaces of their own on a copy of the machine's root. */
export function createIsolatedPods(options: IsolatedPodsOptions): Pods {
  const { template, accounts, pipes, network } = options
  const sandboxes = new Map<string, IsolatedSandbox>()
  const folders = createPodFolders(`${template.state}/pods`)
  const tools = template.isSingleUser ? undefined : findSetUpTools()
  const sandboxOf = (name: string): IsolatedSandbox => {
    const sandbox = sandboxes.get(name)
    if (sandbox === undefined) throw new Error(`there is no sandbox ${name}`)
    return sandbox
  }

  const createSandbox = async (request: SandboxRequest): Promise<{ ip: string | undefined }> => {
    const usesMachineNetwork = request.hostNetwork && options.machineNetwork !== undefined
    const pod = usesMachineNetwork ? undefined : await network.addPod(request.sandbox)
    const folder = await folders.take()
    const netns = pod?.netns ?? options.machineNetwork ?? ''
    const shared = [`--net=${netns}`, `--uts=${folder}/uts`, `--ipc=${folder}/ipc`]
    let pause: SupervisedProcess | undefined
    if (request.shareProcessNamespace) {
      pause = await startPause(pipes, folder, shared)
      shared.push(`--pid=${folder}/pid`)
    }
    const enter = ['nsenter', ...shared]
    const { hostname, sandbox } = request
    sandboxes.set(sandbox, { folder, hostname, ip: pod?.ip, enter, pause, processes: new Set() })
    return { ip: pod?.ip }
  }

  const removeSandbox = async (name: string): Promise<void> => {
    const sandbox = sandboxes.get(name)
    if (sandbox === undefined) return
    sandboxes.delete(name)
    const { processes, pause, folder } = sandbox
    await Promise.all([...processes].map(process => process.signal('SIGKILL')))
    if (pause !== undefined) sendSignal(await pause.launched, 'SIGKILL')
    await Promise.all([...processes].map(process => process.supervised.exited))
    await pause?.exited
    const mounted = ['uts', 'ipc', 'shm', ...(pause === undefined ? [] : ['pid'])]
    await Promise.all([folders.remove(folder, mounted), network.removePod(name)])
  }

  const start = async (request: StartRequest): Promise<PodsProcess> => {
    const sandbox = sandboxOf(request.sandbox)
    const identity = identify(accounts, request)
    const launch: LaunchRequest = {
      ...request,
      identity,
      env: environmentOf(request, { hostname: sandbox.hostname, home: identity.home, programs: PROGRAMS_FOLDER }),
      isSingleUser: template.isSingleUser,
    }
    const covering = tools && request.mounts.find(({ target }) => coversTools(tools, resolveTarget(target)))
    // In a user namespace root is nobody, whatever it runs; who is privileged may do everything anyway.
    if (covering && !request.privileged) throw new Error(refusalOf(covering.target))
    const sources = openSources(request.mounts)
    const { script, tables } = rootScript(template, {
      id: request.process,
      mounts: containerMounts(request.mounts, sources),
      programs: request.programs ?? [],
      privileged: request.privileged,
      readOnly: request.readOnlyRootFilesystem,
      sharedMemory: `${sandbox.folder}/shm`,
    })
    mkdirSync(ownFolder(template, request.process), { recursive: true })
    tables.forEach((text, index) => writeFileSync(tableOf(template, request.process, index), text))
    const hasOwnProcesses = sandbox.pause === undefined
    const supervised = await supervise(pipes, {
      enter: [...sandbox.enter, 'unshare', '--mount', ...(hasOwnProcesses ? ['--pid'] : [])],
      isForked: hasOwnProcesses,
      script: [
        SAY_PID,
        joinCgroups(request.cgroups),
        nameScript(sandbox.hostname),
        `{ ${script}; } 2>&3 || exit 128`,
        launchScript(launch),
      ].join('\n'),
      arguments: launchArguments(launch),
      stdin: request.stdin,
    })
    const closeSources = () => {
      for (const descriptor of sources.values()) closeSync(descriptor)
    }
    supervised.launched.then(closeSources, closeSources)
    const process = isolatedProcess(supervised, launch, request.cgroups)
    sandbox.processes.add(process)
    // The pod may have been removed meanwhile.
    if (sandboxes.get(request.sandbox) !== sandbox) void process.signal('SIGKILL')
    void supervised.exited.then(() => {
      sandbox.processes.delete(process)
      if (sandbox.pause !== undefined) void endOutput(supervised, request.cgroups)
      rmSync(ownFolder(template, request.process), { recursive: true, force: true })
      tables.forEach((_, index) => {
        rmSync(tableOf(template, request.process, index), { force: true })
      })
    })
    return process
  }

  const isolatedProcess = (
    supervised: SupervisedProcess,
    launch: LaunchRequest,
    cgroups: readonly string[],
  ): PodsProcess => {
    const pid = supervised.launched.catch(() => 0)
    const signal = async (name: string) => sendSignal(await pid, name)
    return {
      supervised,
      signal,
      terminal: async () => (launch.tty ? terminalOf(() => pid) : undefined),
      usage: async () => usageOfNamespace(await pid),
      async exec({ argv, stdin, tty }) {
        const inside: LaunchRequest = { ...launch, argv, tty, env: tty ? withTerm(launch.env) : launch.env }
        const enter = [...entryArguments(await pid, inside), '/bin/sh', '-c', launchScript(inside), 'sh']
        const executed = await supervise(pipes, {
          enter: [],
          script: [SAY_PID, joinCgroups(cgroups), 'exec "$@"'].join('\n'),
          arguments: [...enter, ...launchArguments(inside, { isPrivileged: isSetUpInside(inside) })],
          stdin,
        })
        const program = async () => childrenOf(await executed.launched)[0] ?? 0
        return {
          supervised: executed,
          signal: async name => sendSignal(await program(), name),
          terminal: async () => (tty ? terminalOf(program) : undefined),
          usage: async () => undefined,
          exec: async () => {
            throw new Error('nothing can be started in a program that is not a container')
          },
        }
      },
    }
  }

  return {
    createSandbox,
    removeSandbox,
    start,
    dial: (name, port, host): Promise<Duplex> => {
      const { ip } = sandboxOf(name)
      if (ip === undefined) throw new Error('the pod is in the network of the machine')
      const isLoopback = host !== undefined && (host === 'localhost' || host.startsWith('127.'))
      return isLoopback ? network.dialLoopback(name, port) : network.dial(host ?? ip, port)
    },
  }
}

const refusalOf = (target: string) =>
  `a volume at ${target} would decide what root runs on this machine while it sets up the container: mount it elsewhere, or run Tiphys as an ordinary user`

/** Root can do it without another program. A pod that shows the machine's name runs all the same. */
function nameScript(hostname: string): string {
  const name = quote(hostname)
  return `{ { echo ${name} >/proc/sys/kernel/hostname; } 2>/dev/null || hostname ${name}; } 2>/dev/null`
}

/** It collects the children that nobody waits for, as a first process must: the shell does, while it waits for `sleep`. */
async function startPause(pipes: Pipes, folder: string, shared: readonly string[]): Promise<SupervisedProcess> {
  const pause = await supervise(pipes, {
    enter: ['nsenter', ...shared, 'unshare', `--pid=${folder}/pid`, '--fork', '--kill-child'],
    script: `${SAY_PID}\necho ok >&3\nexec 3>&-\nwhile :; do sleep 2147483647; done`,
    arguments: [],
    stdin: false,
  })
  pause.stdout.resume()
  pause.stderr.resume()
  await pause.launched
  return pause
}

const joinCgroups = (folders: readonly string[]): string =>
  folders.map(folder => `{ echo 0 >${quote(`${folder}/cgroup.procs`)}; } 2>/dev/null`).join('\n')

const OUTPUT_GRACE_MS = 500

/** In a shared process namespace nothing ends a container's other processes with its first one, and they may hold its
 *  output open. */
async function endOutput({ stdout, stderr }: SupervisedProcess, cgroups: readonly string[]): Promise<void> {
  for (const pid of processesIn(cgroups[0])) sendSignal(pid, 'SIGKILL')
  await delay(systemClock, OUTPUT_GRACE_MS)
  stdout.destroy()
  stderr.destroy()
}

function processesIn(cgroup: string | undefined): number[] {
  try {
    return cgroup === undefined
      ? []
      : readFileSync(`${cgroup}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    // It has been removed meanwhile.
    return []
  }
}

const withTerm = (env: ReadonlyMap<string, string>) => new Map([['TERM', 'xterm'], ...env])

/** By target, what containers could exchange while it is being mounted. */
function openSources(mounts: StartRequest['mounts']): Map<string, number> {
  const opened = new Map<string, number>()
  for (const { source, target, beneath } of mounts) {
    if (beneath !== undefined) opened.set(target, openBeneath(beneath, source))
  }
  return opened
}

function containerMounts(mounts: StartRequest['mounts'], sources: ReadonlyMap<string, number>): ContainerMount[] {
  const machineMounts = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  return mounts.map(({ source, target, readOnly }) => {
    const real = realpathSync(source)
    const keep = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime'])
    const flags = (mountOf(machineMounts, real)?.options ?? []).filter(option => keep.has(option))
    const descriptor = sources.get(target)
    return {
      source: real,
      target: resolveTarget(target),
      readOnly,
      isFolder: statSync(real).isDirectory(),
      flags,
      ...(descriptor !== undefined && { expected: `/proc/${process.pid}/fd/${descriptor}` }),
    }
  })
}

/** The place that a path leads to, as far as it exists: the container's root has the machine's symbolic links. */
function resolveTarget(path: string): string {
  const clean = posix.normalize(path).replace(/(.)\/$/, '$1')
  let existing = clean
  while (existing !== '/') {
    try {
      return posix.join(realpathSync(existing), clean.slice(existing.length))
    } catch {
      // Not there: its parent may be.
      existing = dirname(existing)
    }
  }
  return clean
}

const TERMINAL_TRIES = 100

/** The terminal that `script` made for the program it started. It is there a moment after `script` is. */
async function terminalOf(program: () => Promise<number>): Promise<string | undefined> {
  for (let attempt = 0; attempt < TERMINAL_TRIES; attempt++) {
    const terminal = findTerminal(await program())
    if (terminal !== undefined) return terminal
    await delay(systemClock, 10)
  }
  return undefined
}

function findTerminal(pid: number): string | undefined {
  for (const child of childrenOf(pid)) {
    try {
      const terminal = readlinkSync(`/proc/${child}/fd/0`)
      if (terminal.startsWith('/dev/pts/')) return `/proc/${child}/root${terminal}`
    } catch {
      // It has ended meanwhile.
    }
  }
  return undefined
}

const TICKS_PER_SECOND = 100n
const PAGE = 4096

/** Where no control group counts: the sum over the processes that are in the container now. */
function usageOfNamespace(pid: number): { cpuNanoseconds: string; memoryBytes: number } | undefined {
  const pending = [pid]
  let ticks = 0n
  let pages = 0
  for (const current of pending) {
    try {
      const fields = readFileSync(`/proc/${current}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      ticks += BigInt(fields[11] ?? 0) + BigInt(fields[12] ?? 0)
      pages += Number(fields[21] ?? 0)
    } catch {
      // It has ended meanwhile.
      continue
    }
    pending.push(...childrenOf(current))
  }
  if (pages === 0) return undefined
  return { cpuNanoseconds: String((ticks * 1_000_000_000n) / TICKS_PER_SECOND), memoryBytes: pages * PAGE }
}
