import { posix } from 'node:path'
import { type ImageProgram, writePrograms } from './image-programs.ts'
import { isWithin } from './machine-view.ts'
import { quote } from './shell.ts'

/** Where the machine's root is inside a container while it is being set up, and an empty folder afterwards. */
export const OLD_ROOT = '.tiphys'

/** What all containers of a supervisor have in common. */
export interface RootTemplate {
  /** A folder that only the supervisor and its containers' set-up see. */
  state: string
  /** Outer ones first. One of the root is the first, where the kernel lets a copy of it be made: not in a user namespace,
   *  whose copies must have nothing mounted in them. There the root is a plain folder of the skeleton. */
  views: readonly View[]
  /** Files and folders of /proc that tell too much, and those that change the machine. */
  hidden: readonly { path: string; isFolder: boolean }[]
  readOnly: readonly string[]
  devices: readonly string[]
  isSingleUser: boolean
  writableBytes: number
}

/** How a container sees one of the machine's file systems: as a copy that takes its writes, or as it is, read-only. */
export interface View {
  point: string
  kind: 'copy' | 'read-only'
  /** Names its folders in the state folder and the container's own. */
  number: number
  /** Flags of the file system it shows, which an ordinary user cannot take off. */
  flags: readonly string[]
}

export interface RootRequest {
  id: string
  mounts: readonly ContainerMount[]
  programs: readonly ImageProgram[]
  privileged: boolean
  readOnly: boolean
  sharedMemory: string
}

export interface ContainerMount {
  /** Without symbolic links. */
  source: string
  /** Without symbolic links, as far as the machine's own files go. */
  target: string
  readOnly: boolean
  isFolder: boolean
  /** Flags of the file system it comes from, which an ordinary user cannot take off. */
  flags: readonly string[]
  /** A path in /proc to what the source was when it was looked at, where a container may have changed it since. */
  expected?: string
}

/** A shell command that gives the calling process, in a mount namespace of its own, the container's root, and the mount
 *  tables it wants in the files `tableOf(template, id, index)`. One `mount -a` is far cheaper than a `mount` for each. */
export function rootScript(
  template: RootTemplate,
  request: RootRequest,
): { script: string; tables: readonly string[] } {
  const { state } = template
  const own = ownFolder(template, request.id)
  const options = ['mode=755', `size=${template.writableBytes}`].join(',')
  const isFolder = template.views[0]?.point !== '/'
  const { batches, preparation } = mountBatches(template, request)
  const programs = writePrograms(
    request.programs,
    request.mounts.map(({ target }) => target),
  )
  // A root that is a folder has no programs before its views are there: those are mounted from outside.
  const early = isFolder
    ? [
        viewLines(
          template,
          request,
          path => path,
          point => `${own}/root${point}`,
        ),
      ]
    : []
  const commands = [
    `mount -t tmpfs -o ${options} tmpfs ${quote(own)}`,
    `cp -a ${quote(`${state}/skeleton/.`)} ${quote(`${own}/`)}`,
    mountRoot(template, own),
    ...early.map((_, index) => `mount -a -T ${quote(tableOf(template, request.id, index))}`),
    `cd ${quote(`${own}/root`)}`,
    `pivot_root . ${OLD_ROOT}`,
    'cd /',
    ...batches.flatMap((_, index) => [
      ...(preparation[index] ?? []),
      `mount -a -T ${quote(`/${OLD_ROOT}${tableOf(template, request.id, early.length + index)}`)}`,
    ]),
    ...request.mounts.flatMap(checkMount),
    ...(programs === undefined ? [] : [programs]),
    `umount -l /${OLD_ROOT}`,
    ...(request.readOnly ? ['mount -o remount,bind,ro,nodev /'] : []),
  ]
  return { script: commands.join(' &&\n'), tables: [...early, ...batches].map(lines => `${lines.join('\n')}\n`) }
}

/** What is mounted cannot be exchanged any more. */
function checkMount({ target, expected }: ContainerMount): string[] {
  if (expected === undefined) return []
  const message = quote(`what is to be mounted at ${target} was exchanged meanwhile`)
  return [`{ [ ${quote(target)} -ef ${quote(`/${OLD_ROOT}${expected}`)} ] || { echo ${message} >&2; false; }; }`]
}

function mountRoot({ state, views, isSingleUser }: RootTemplate, own: string): string {
  const root = quote(`${own}/root`)
  if (views[0]?.point !== '/') return `mount --bind ${root} ${root}`
  const options = `nodev,lowerdir=${state}/views/0:/,upperdir=${own}/upper-0,workdir=${own}/work-0`
  return `mount -t overlay -o ${quote(`${options}${isSingleUser ? ',userxattr' : ''}`)} overlay ${root}`
}

export function ownFolder(template: RootTemplate, id: string): string {
  return `${template.state}/containers/${id}`
}

export function tableOf(template: RootTemplate, id: string, index: number): string {
  return `${ownFolder(template, id)}.fstab.${index}`
}

/** A batch ends where something must be made in what it mounts. */
function mountBatches(template: RootTemplate, request: RootRequest) {
  const batches: string[][] = [baseMounts(template, request)]
  const preparation: string[][] = [[]]
  const volumes: string[] = []
  for (const mount of request.mounts) {
    const isInVolume = volumes.some(target => isWithin(mount.target, target))
    if (!mount.isFolder && isInVolume) {
      batches.push([])
      preparation.push([])
    }
    if (!mount.isFolder) preparation.at(-1)?.push(placeholder(template, request.id, mount.target, isInVolume))
    const options = [
      'rbind',
      ...(mount.readOnly ? ['ro', ...mount.flags] : []),
      ...(mount.isFolder ? ['X-mount.mkdir'] : []),
    ]
    batches.at(-1)?.push(tableLine(`/${OLD_ROOT}${mount.source}`, mount.target, 'none', options.join(',')))
    volumes.push(mount.target)
  }
  return { batches, preparation }
}

/** A file to mount another on, made where it will show once everything is mounted. */
function placeholder(template: RootTemplate, id: string, target: string, isInVolume: boolean): string {
  const folder = OWN_FOLDERS.find(own => isWithin(target, `/${own}`))
  const path = folder === undefined || isInVolume ? target : `/${OLD_ROOT}${ownFolder(template, id)}${target}`
  const parent = posix.dirname(path)
  const makeFile = `{ [ -d ${quote(parent)} ] || mkdir -p ${quote(parent)}; } && : >>${quote(path)}`
  // What is there is left alone: who is not root may not write it.
  return `{ [ -e ${quote(path)} ] || { ${makeFile}; }; }`
}

/** Folders of the skeleton that a container has as its own, empty at first. */
const OWN_FOLDERS = ['dev', 'tmp', 'run'] as const

/** The machine's file systems, for a root where the machine's paths and the container's are found as told. */
function viewLines(
  { state, views, isSingleUser }: RootTemplate,
  { id, readOnly }: RootRequest,
  machine: (path: string) => string,
  container: (point: string) => string,
): string[] {
  const own = machine(`${state}/containers/${id}`)
  const copy = ({ point, number }: View) => {
    const lower = `lowerdir=${machine(`${state}/views/${number}`)}:${machine(point)}`
    const upper = [`upperdir=${own}/upper-${number}`, `workdir=${own}/work-${number}`]
    const options = ['nodev', lower, ...upper, ...(isSingleUser ? ['userxattr'] : []), readOnly ? 'ro' : 'rw']
    return tableLine('overlay', container(point), 'overlay', options.join(','))
  }
  const asItIs = ({ point, flags }: View) =>
    tableLine(machine(point), container(point), 'none', ['rbind', 'ro', 'nodev', ...flags].join(','))
  return views.filter(({ point }) => point !== '/').map(view => (view.kind === 'copy' ? copy(view) : asItIs(view)))
}

function baseMounts(template: RootTemplate, request: RootRequest): string[] {
  const { state } = template
  const { id, privileged, sharedMemory } = request
  const machine = (path: string) => `/${OLD_ROOT}${path}`
  const own = machine(ownFolder(template, id))
  const views = template.views[0]?.point === '/' ? viewLines(template, request, machine, point => point) : []
  const devices = privileged
    ? [tableLine(machine('/dev'), '/dev', 'none', 'rbind')]
    : [
        tableLine(`${own}/dev`, '/dev', 'none', 'bind'),
        ...template.devices.map(name => tableLine(machine(`/dev/${name}`), `/dev/${name}`, 'none', 'bind')),
      ]
  const guards = privileged
    ? []
    : [
        ...template.readOnly.map(path => tableLine(path, path, 'none', 'bind,ro,nosuid,nodev,noexec')),
        ...template.hidden.map(({ path, isFolder }) =>
          tableLine(isFolder ? machine(`${state}/none`) : '/dev/null', path, 'none', isFolder ? 'bind,ro' : 'bind'),
        ),
      ]
  return [
    // The first, because mount(8) looks there for what is mounted already.
    tableLine('proc', '/proc', 'proc', 'nosuid,nodev,noexec'),
    ...views,
    ...devices,
    tableLine('devpts', '/dev/pts', 'devpts', 'newinstance,ptmxmode=0666,mode=620,nosuid,noexec'),
    tableLine(machine(sharedMemory), '/dev/shm', 'none', 'bind'),
    tableLine(`${own}/tmp`, '/tmp', 'none', 'bind'),
    tableLine(`${own}/run`, '/run', 'none', 'bind'),
    ...guards,
    tableLine('sysfs', '/sys', 'sysfs', `${privileged ? 'rw' : 'ro'},nosuid,nodev,noexec`),
  ]
}

function tableLine(source: string, target: string, fileSystem: string, options: string): string {
  const escape = (text: string) =>
    text.replace(/[\s\\#]/g, character => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return [source, target, fileSystem, options].map(escape).join(' ')
}
