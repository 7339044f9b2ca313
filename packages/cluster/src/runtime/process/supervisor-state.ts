import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OLD_ROOT, type RootTemplate, type View } from './container-root.ts'
import { isWithin, type MachineMount, mountOf, parseMounts, submounts } from './machine-view.ts'
import { quote, runScript } from './shell.ts'

export interface StateOptions {
  maskedPaths: readonly string[]
  isSingleUser: boolean
  writableBytes: number
}

/** Folders that every machine has and no pod wants from it. The first that is there is covered, for this mount namespace
 *  alone, by a file system in memory that is gone with the last process in it. */
const PLACES = ['/dev/shm', '/dev/mqueue', '/mnt', '/media']
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const HIDDEN = [
  '/proc/acpi',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
]
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger']

/** Prepares what containers are made from. */
export async function prepareState({ maskedPaths, isSingleUser, writableBytes }: StateOptions): Promise<RootTemplate> {
  const state = PLACES.find(existsSync)
  if (state === undefined) throw new Error(`none of ${PLACES.join(', ')} is there to keep the state of containers in`)
  const mounts = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  await runScript(`mount -t tmpfs -o mode=700 tmpfs ${quote(state)}`)
  for (const folder of ['none', 'pipes', 'network', 'pods', 'containers', 'views', 'skeleton', 'trial']) {
    mkdirSync(join(state, folder))
  }
  prepareSkeleton(join(state, 'skeleton'))
  const masked = maskedPaths.flatMap(realPlace)
  const isMasked = (path: string) => masked.some(place => isWithin(path, place))
  const shown = submounts(mounts).filter(({ point }) => !isMasked(point))
  const places = isSingleUser
    ? coverRoot(join(state, 'skeleton/root'), mounts, shown).filter(({ point }) => !isMasked(point))
    : [{ point: '/', options: [] }, ...shown.filter(({ point }) => isFolder(point))]
  const views = await chooseViews(state, places, isSingleUser)
  for (const view of views) prepareView(state, view, isSingleUser)
  if (!isSingleUser) mkdirSync(join(state, 'views/0', OLD_ROOT))
  // A file cannot be covered by a file system: its container's copy begins as a copy.
  for (const { point } of shown) if (isFile(point)) copyInto(state, views, point)
  await mask(state, views, masked)
  return {
    state,
    views,
    hidden: HIDDEN.filter(existsSync).map(path => ({ path, isFolder: isFolder(path) })),
    readOnly: READ_ONLY.filter(existsSync),
    devices: DEVICES.filter(name => existsSync(`/dev/${name}`)),
    isSingleUser,
    writableBytes,
  }
}

type Place = Pick<MachineMount, 'point' | 'options'>

/** In a user namespace only folders that nothing is mounted in can be copied. So the root, and every folder that something
 *  is mounted in, is made anew in `root`, with a place for each folder that can. */
function coverRoot(root: string, mounts: readonly MachineMount[], shown: readonly MachineMount[]): Place[] {
  const places: Place[] = []
  const points = new Set(mounts.map(({ point }) => point))
  const own = shown.map(({ point }) => point)
  const cover = (path: string): void => {
    const copy = join(root, path)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || (path !== '/' && existsSync(copy))) return
    if (stats.isSymbolicLink()) return symlinkSync(readlinkSync(path), copy)
    if (stats.isFile()) return copySmallFile(path, copy, stats.size)
    if (!stats.isDirectory()) return
    if (path !== '/') mkdirSync(copy)
    const isOwnFileSystem = points.has(path)
    if (isOwnFileSystem && path !== '/' && !own.includes(path)) return
    const hasMounts = [...points].some(point => point !== path && isWithin(point, path))
    // What this user cannot read the container could not write to either: it gets an empty folder.
    const entries = entriesOf(path)
    if (!hasMounts && entries.length > 0) places.push({ point: path, options: mountOf(mounts, path)?.options ?? [] })
    else for (const entry of entries) if (path !== '/' || !NOT_COPIED.includes(entry)) cover(join(path, entry))
  }
  cover('/')
  for (const folder of [OLD_ROOT, ...NOT_COPIED]) mkdirSync(join(root, folder), { recursive: true })
  return places
}

/** Every container has its own. */
const NOT_COPIED = ['boot', 'dev', 'proc', 'run', 'sys', 'tmp']
const SMALL_FILE = 1024 * 1024

function copySmallFile(from: string, to: string, size: number): void {
  try {
    if (size <= SMALL_FILE) copyFileSync(from, to)
  } catch {
    // Not this user's to read.
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Not this user's to read.
    return []
  }
}

const LOCKED_FLAGS = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime'])

/** Not every file system can be seen as a copy; the kernel says so when it is asked. */
async function chooseViews(state: string, places: readonly Place[], isSingleUser: boolean): Promise<View[]> {
  const views: View[] = []
  const accepted = new Map<string, boolean>()
  for (const { point, options } of places) {
    const flags = options.filter(option => LOCKED_FLAGS.has(option))
    const isPossible = !options.includes('ro') && !/[:,\\]/.test(point)
    const device = String(statSync(point).dev)
    if (isPossible && !accepted.has(device)) accepted.set(device, await canBeCopied(state, point, isSingleUser))
    const kind = isPossible && accepted.get(device) ? 'copy' : 'read-only'
    views.push({ point, kind, number: views.length, flags })
  }
  return views
}

async function canBeCopied(state: string, point: string, isSingleUser: boolean): Promise<boolean> {
  const trial = join(state, 'trial')
  const options = `lowerdir=${point},upperdir=${trial}/upper,workdir=${trial}/work${isSingleUser ? ',userxattr' : ''}`
  try {
    await runScript(`cd ${quote(trial)}; mkdir -p upper work root
      mount -t overlay -o ${quote(options)} overlay root; umount root`)
    return true
  } catch {
    return false
  }
}

/** The folders that an overlay wants, with the owner and mode that the machine's folder has: the upper one's show. */
function prepareView(state: string, { number, point, kind }: View, isSingleUser: boolean): void {
  if (kind === 'read-only') return
  for (const folder of [`views/${number}`, `skeleton/upper-${number}`, `skeleton/work-${number}`]) {
    mkdirSync(join(state, folder))
    likeOriginal(join(state, folder), point)
  }
  if (isSingleUser && CHANGED_BY_PROGRAMS.some(folder => isWithin(folder, point))) {
    for (const folder of CHANGED_BY_PROGRAMS) {
      if (isWithin(folder, point)) takeOver(join(state, `views/${number}`), point, folder, TAKEN_OVER_DEPTH)
    }
  }
}

const CHANGED_BY_PROGRAMS = ['/etc', '/var']
const TAKEN_OVER_DEPTH = 4

/** In a user namespace a folder of another user cannot be written to, in a copy neither. A folder of this user's own in a
 *  layer above it has the same content and can. */
function takeOver(layer: string, point: string, folder: string, depth: number): void {
  const place = join(layer, folder.slice(point === '/' ? 0 : point.length))
  if (!existsSync(place)) mkdirSync(place)
  if (depth === 0) return
  for (const entry of readFolders(folder)) takeOver(layer, point, join(folder, entry), depth - 1)
}

function readFolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  } catch {
    // Not this user's to read.
    return []
  }
}

function prepareSkeleton(skeleton: string): void {
  for (const folder of ['dev', 'dev/pts', 'dev/shm', 'root', 'run', 'run/lock', 'tmp'])
    mkdirSync(join(skeleton, folder))
  for (const folder of ['run/lock', 'tmp']) chmodSync(join(skeleton, folder), 0o1777)
  for (const name of DEVICES) writeFileSync(join(skeleton, 'dev', name), '')
  symlinkSync('pts/ptmx', join(skeleton, 'dev/ptmx'))
  symlinkSync('/proc/self/fd', join(skeleton, 'dev/fd'))
  for (const [index, name] of ['stdin', 'stdout', 'stderr'].entries()) {
    symlinkSync(`/proc/self/fd/${index}`, join(skeleton, 'dev', name))
  }
}

/** Hides paths by entries in a layer above the machine's files that say "there is nothing here". They work also for what
 *  comes into being later. */
async function mask(state: string, views: readonly View[], paths: readonly string[]): Promise<void> {
  const nothing = join(state, 'views/nothing')
  await runScript(`mknod ${quote(nothing)} c 0 0`)
  for (const path of paths) {
    const place = makeParents(state, views, path)
    if (place === undefined) continue
    rmSync(place, { recursive: true, force: true })
    linkSync(nothing, place)
  }
}

function copyInto(state: string, views: readonly View[], path: string): void {
  const place = makeParents(state, views, path)
  if (place === undefined) return
  copyFileSync(path, place)
  likeOriginal(place, path)
}

/** Where a path of the machine is in the layer of the view that shows it. */
function makeParents(state: string, views: readonly View[], path: string): string | undefined {
  const view = views.findLast(({ point }) => isWithin(path, point))
  if (view === undefined || view.kind !== 'copy' || path === view.point) return undefined
  const layer = join(state, 'views', String(view.number))
  const parents = []
  for (let parent = dirname(path); parent !== view.point; parent = dirname(parent)) parents.unshift(parent)
  for (const parent of parents) {
    const place = join(layer, parent.slice(view.point === '/' ? 0 : view.point.length))
    if (existsSync(place)) {
      if (!lstatSync(place).isDirectory()) return undefined
      continue
    }
    mkdirSync(place)
    likeOriginal(place, parent)
  }
  return join(layer, path.slice(view.point === '/' ? 0 : view.point.length))
}

function likeOriginal(copy: string, original: string): void {
  const { mode, uid, gid } = statSync(original)
  try {
    chownSync(copy, uid, gid)
  } catch {
    // An ordinary user's namespace has no other owners.
  }
  chmodSync(copy, mode & 0o7777)
}

/** Where a path is once its parents' links are followed; nowhere when they are not there. */
function realPlace(path: string): string[] {
  try {
    return [join(realpathSync(dirname(path)), basename(path))]
  } catch {
    return []
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
