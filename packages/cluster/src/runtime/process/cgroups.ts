import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Control groups of this process' containers. */
export interface Cgroups {
  readonly limitations: readonly string[]
  /** Undefined when the kernel refuses. */
  create(id: string, limits: Limits): Cgroup | undefined
  /** Removes the folders of all containers, which must have ended. */
  remove(): void
}

export interface Limits {
  memoryBytes?: number
  cpuMillis?: number
}

export interface Cgroup {
  /** Whoever writes `0` to `cgroup.procs` in each of them is in it. */
  readonly folders: readonly string[]
  ranOutOfMemory(): boolean
  usage(): { cpuNanoseconds: bigint; memoryBytes: number } | undefined
  remove(): void
}

type Controller = 'memory' | 'cpu' | 'cpuacct' | 'pids'

/** Where containers' groups go: one folder for all controllers (version 2), or one for each (version 1). */
interface Hierarchy {
  version: 1 | 2
  folders: ReadonlyMap<Controller, string>
}

const CPU_PERIOD_US = 100_000

/** Undefined where no control group can be written to. */
export function createCgroups({ maxProcesses }: { maxProcesses: number }): Cgroups | undefined {
  const name = ownName()
  const hierarchy = name === undefined ? undefined : findHierarchy(name)
  if (hierarchy === undefined) return undefined
  const wanted: Controller[] = ['memory', 'cpu', 'pids']
  const missing = wanted.filter(controller => !hierarchy.folders.has(controller))
  return {
    limitations: missing.map(
      controller => `limits of ${controller} are not enforced: its control groups are not ours to use`,
    ),
    create: (id, limits) => createCgroup(hierarchy, id, limits, maxProcesses),
    remove: () => {
      for (const folder of new Set(hierarchy.folders.values())) removeTree(folder)
    },
  }
}

function createCgroup(
  { version, folders }: Hierarchy,
  id: string,
  limits: Limits,
  maxProcesses: number,
): Cgroup | undefined {
  const own = new Map([...folders].map(([controller, folder]) => [controller, join(folder, id)]))
  const places = [...new Set(own.values())]
  try {
    for (const place of places) mkdirSync(place)
  } catch {
    return undefined
  }
  const set = (controller: Controller, file: string, value: string | number) => {
    const folder = own.get(controller)
    if (folder !== undefined) writeIfPossible(join(folder, file), String(value))
  }
  const get = (controller: Controller, file: string) => {
    const folder = own.get(controller)
    return folder === undefined ? undefined : readIfPossible(join(folder, file))
  }
  const { memoryBytes, cpuMillis } = limits
  if (version === 2) {
    set('pids', 'pids.max', maxProcesses)
    if (memoryBytes !== undefined) {
      set('memory', 'memory.max', memoryBytes)
      set('memory', 'memory.swap.max', 0)
      set('memory', 'memory.oom.group', 1)
    }
    if (cpuMillis !== undefined) set('cpu', 'cpu.max', `${cpuQuota(cpuMillis)} ${CPU_PERIOD_US}`)
  } else {
    set('pids', 'pids.max', maxProcesses)
    if (memoryBytes !== undefined) {
      set('memory', 'memory.limit_in_bytes', memoryBytes)
      set('memory', 'memory.memsw.limit_in_bytes', memoryBytes)
    }
    if (cpuMillis !== undefined) {
      set('cpu', 'cpu.cfs_period_us', CPU_PERIOD_US)
      set('cpu', 'cpu.cfs_quota_us', cpuQuota(cpuMillis))
    }
  }
  return {
    folders: places,
    ranOutOfMemory: () =>
      (statistic(get('memory', version === 2 ? 'memory.events' : 'memory.oom_control'), 'oom_kill') ?? 0n) > 0n,
    usage: () => (version === 2 ? usageV2(get) : usageV1(get)),
    remove: () => {
      for (const place of places) removeTree(place)
    },
  }
}

type Get = (controller: Controller, file: string) => string | undefined

function usageV2(get: Get) {
  const cpu = statistic(get('cpu', 'cpu.stat'), 'usage_usec')
  const memory = get('memory', 'memory.current')
  if (cpu === undefined || memory === undefined) return undefined
  return { cpuNanoseconds: cpu * 1000n, memoryBytes: workingSet(memory, get('memory', 'memory.stat'), 'inactive_file') }
}

function usageV1(get: Get) {
  const cpu = get('cpuacct', 'cpuacct.usage')
  const memory = get('memory', 'memory.usage_in_bytes')
  if (cpu === undefined || memory === undefined) return undefined
  const memoryBytes = workingSet(memory, get('memory', 'memory.stat'), 'total_inactive_file')
  return { cpuNanoseconds: BigInt(cpu.trim()), memoryBytes }
}

/** Without what the kernel can drop at once, as the kubelet counts. */
function workingSet(current: string, stat: string | undefined, inactive: string): number {
  return Math.max(0, Number(current) - Number(statistic(stat, inactive) ?? 0n))
}

function statistic(text: string | undefined, key: string): bigint | undefined {
  const found = new RegExp(`^${key} (\\d+)$`, 'm').exec(text ?? '')?.[1]
  return found === undefined ? undefined : BigInt(found)
}

const cpuQuota = (millis: number): number => Math.max(1000, Math.round((millis * CPU_PERIOD_US) / 1000))

/** Tells whose folders these are: this process', in its process namespace, since its start. */
function ownName(): string | undefined {
  const namespace = processNamespace()
  const started = startOf(process.pid)
  return namespace === undefined || started === undefined ? undefined : `tiphys-${namespace}-${process.pid}-${started}`
}

function processNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
  } catch {
    return undefined
  }
}

function startOf(pid: number): string | undefined {
  return readIfPossible(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')[19]
}

function findHierarchy(name: string): Hierarchy | undefined {
  const own = parseOwnGroups(readIfPossible('/proc/self/cgroup') ?? '')
  const mounts = cgroupMounts(readIfPossible('/proc/self/mountinfo') ?? '')
  const version1 = new Map<Controller, string>()
  for (const controller of ['memory', 'cpu', 'cpuacct', 'pids'] as const) {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller))
    const path = own.get(controller)
    if (mount === undefined || path === undefined) continue
    const folder = claim(join(mount.point, relativeTo(mount.root, path)), name)
    if (folder !== undefined) version1.set(controller, folder)
  }
  if (version1.size > 0) return { version: 1, folders: version1 }
  const unified = mounts.find(({ isUnified }) => isUnified)
  const path = own.get('')
  return unified === undefined || path === undefined
    ? undefined
    : findUnified(unified.point, join(unified.point, relativeTo(unified.root, path)), name)
}

/** Controllers can be used where they are on for children, which a group that has processes itself cannot switch on: the
 *  nearest group above this process' own that can. */
function findUnified(mountPoint: string, ownFolder: string, name: string): Hierarchy | undefined {
  for (let folder = ownFolder; folder.startsWith(mountPoint); folder = dirname(folder)) {
    writeIfPossible(join(folder, 'cgroup.subtree_control'), '+memory +cpu +pids')
    const active = (readIfPossible(join(folder, 'cgroup.subtree_control')) ?? '').trim().split(' ')
    if (!active.includes('memory')) continue
    const claimed = claim(folder, name)
    if (claimed === undefined) continue
    writeIfPossible(join(claimed, 'cgroup.subtree_control'), active.map(controller => `+${controller}`).join(' '))
    const usable = (['memory', 'cpu', 'pids'] as const).filter(controller => active.includes(controller))
    return { version: 2, folders: new Map(usable.map(controller => [controller, claimed])) }
  }
  return undefined
}

/** Makes the folder for this process' containers and clears away those of processes that are gone. */
function claim(folder: string, name: string): string | undefined {
  removeStale(folder, name)
  const own = join(folder, name)
  try {
    mkdirSync(own, { recursive: true })
    return own
  } catch {
    return undefined
  }
}

function removeStale(folder: string, ownName: string): void {
  const [, namespace] = ownName.split('-')
  for (const entry of listIfPossible(folder)) {
    const [, of, pid, started] = /^tiphys-(\d+)-(\d+)-(\d+)$/.exec(entry) ?? []
    if (of === namespace && startOf(Number(pid)) !== started) removeTree(join(folder, entry))
  }
}

function removeTree(folder: string): void {
  for (const entry of listIfPossible(folder)) {
    const child = join(folder, entry)
    if (existsSync(join(child, 'cgroup.procs'))) removeTree(child)
  }
  try {
    rmdirSync(folder)
  } catch {
    // Something is still ending in it; the next runtime that starts clears it away.
  }
}

function parseOwnGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, , controllers = '', path] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? []
    if (path !== undefined) for (const controller of controllers.split(',')) groups.set(controller, path)
  }
  return groups
}

function cgroupMounts(mountinfo: string) {
  return mountinfo.split('\n').flatMap(line => {
    const [left = '', right = ''] = line.split(' - ')
    const [, , , root = '/', point = ''] = left.split(' ')
    const [fileSystem, , options = ''] = right.split(' ')
    if (fileSystem === 'cgroup2') return [{ point, root, controllers: [] as string[], isUnified: true }]
    return fileSystem === 'cgroup' ? [{ point, root, controllers: options.split(','), isUnified: false }] : []
  })
}

/** In a container only a part of the hierarchy may be mounted. */
const relativeTo = (root: string, path: string): string =>
  path.startsWith(root) && root !== '/' ? path.slice(root.length) : path

function readIfPossible(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function writeIfPossible(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}

function listIfPossible(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
