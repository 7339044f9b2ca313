import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** What the name of a test that needs these programs ends with; empty when they are here. Only for tests. */
export function whyMissing(...programs: string[]): string {
  const missing = programs.filter(program => !FOLDERS.some(folder => existsSync(`${folder}/${program}`)))
  if (missing.length === 0) return ''
  return ` (skipped: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed)`
}

/** What the name of a test that needs pods with namespaces of their own ends with. */
export function whyNoNamespaces(): string {
  const { status } = spawnSync('unshare', ['--user', '--map-root-user', '--mount', '--net', '--pid', '--fork', 'true'])
  return status === 0 ? '' : ' (skipped: this machine allows no namespaces)'
}

export const isRoot = process.getuid?.() === 0

const readIfThere = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

export const processes = (): number[] =>
  readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []))

export const commandLine = (pid: number): string =>
  (readIfThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').replaceAll('\0', ' ').trim()

export function familyOf(pid: number): number[] {
  const children = readIfThere(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? ''
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(familyOf)]
}

const KINDS = ['mnt', 'net', 'pid', 'user', 'ipc', 'uts']

/** The namespaces of a process that this one is not in. */
export function ownNamespaces(pid: number): string[] {
  const of = (id: number | 'self') =>
    KINDS.flatMap(kind => readIfThere(() => readlinkSync(`/proc/${id}/ns/${kind}`)) ?? [])
  const shared = of('self')
  return of(pid).filter(namespace => !shared.includes(namespace))
}

/** Keeps the namespaces of processes until what it returns is called: the number of one that is gone is given to the next,
 *  which may be another test's. */
export function holdNamespaces(pids: readonly number[]): () => void {
  const held = pids.flatMap(pid =>
    KINDS.flatMap(kind => readIfThere(() => openSync(`/proc/${pid}/ns/${kind}`, 'r')) ?? []),
  )
  return () => held.forEach(closeSync)
}

/** Of what is the machine's own, what could only be from containers. */
export function tracesOnMachine() {
  const links = spawnSync('ip', ['-o', 'link'], { encoding: 'utf8' }).stdout
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return {
    links: links.match(/ (tiphys|pod)\w*[:@]/g) ?? [],
    mounts: mounts.filter(mount => /tiphys|upper-\d|nsfs| \/dev\/shm\//.test(mount)),
    folders: readdirSync('/dev/shm').filter(name => /tiphys|views|containers|pods/.test(name)),
  }
}

/** The control groups that `pid`'s runtime made. */
export function controlGroupsOf(pid: number): string[] {
  const roots = [
    '/sys/fs/cgroup',
    ...(readIfThere(() => readdirSync('/sys/fs/cgroup')) ?? []).map(name => `/sys/fs/cgroup/${name}`),
  ]
  return roots.flatMap(root => groupsIn(root).filter(name => new RegExp(`/tiphys-\\d+-${pid}-`).test(name)))
}

function groupsIn(folder: string, depth = 3): string[] {
  const names = readIfThere(() => readdirSync(folder, { withFileTypes: true })) ?? []
  const folders = names.filter(entry => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
  return depth === 0 ? folders : folders.flatMap(path => [path, ...groupsIn(path, depth - 1)])
}
