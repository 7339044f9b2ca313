/** A mount of this machine, as /proc/self/mountinfo has it. */
export interface MachineMount {
  point: string
  fileSystem: string
  /** Of the mount itself: `ro`, `nosuid`, `nodev`, `noexec`, … */
  options: readonly string[]
}

/** The kernel's own file systems. Containers get their own, or none. */
const PSEUDO = new Set(
  `autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl hugetlbfs mqueue nsfs proc
   pstore ramfs rpc_pipefs securityfs selinuxfs sysfs tracefs`.split(/\s+/),
)
/** Every container has its own of these; `/boot` is nobody's business. */
const OWN = ['/dev', '/proc', '/sys', '/run', '/tmp', '/boot']

export function parseMounts(mountinfo: string): MachineMount[] {
  return mountinfo.split('\n').flatMap(line => {
    const [left, right] = line.split(' - ')
    const [, , , , point, options] = (left ?? '').split(' ')
    const [fileSystem] = (right ?? '').split(' ')
    if (point === undefined || options === undefined || fileSystem === undefined) return []
    return [{ point: unescapeOctal(point), fileSystem, options: options.split(',') }]
  })
}

/** The mounts that a copy of the root file system alone would show as empty folders, outer ones first. */
export function submounts(mounts: readonly MachineMount[]): MachineMount[] {
  const visible = new Map<string, MachineMount>()
  for (const mount of mounts) {
    // A mount hides what was mounted below its place before.
    for (const point of visible.keys()) if (isWithin(point, mount.point)) visible.delete(point)
    visible.set(mount.point, mount)
  }
  return [...visible.values()]
    .filter(({ point, fileSystem }) => {
      const isOwn = OWN.some(own => isWithin(point, own))
      const isOfAnEngine = /\/(docker|containers|containerd)\//.test(point)
      return point !== '/' && !isOwn && !isOfAnEngine && !PSEUDO.has(fileSystem)
    })
    .sort((one, other) => (one.point < other.point ? -1 : 1))
}

/** The mount that a path is in. */
export function mountOf(mounts: readonly MachineMount[], path: string): MachineMount | undefined {
  let found: MachineMount | undefined
  for (const mount of mounts) {
    if (isWithin(path, mount.point) && mount.point.length >= (found?.point.length ?? 0)) found = mount
  }
  return found
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
