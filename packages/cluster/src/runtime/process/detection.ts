import { spawn } from 'node:child_process'
import { isolation } from './supervisor-process.ts'

/** What this machine lets the process runtime do. */
export interface ProcessSupport {
  /** `user`: through a user namespace, as one user. `none`: plain processes. */
  isolation: 'root' | 'user' | 'none'
  limitations: readonly string[]
}

/** Tries, once, all that containers are made with. It leaves nothing behind. */
export async function detectProcessRuntime(): Promise<ProcessSupport> {
  const isRoot = process.getuid?.() === 0
  const problem = process.platform === 'linux' ? await tryIsolation(isRoot) : 'namespaces are a matter of Linux'
  if (problem !== undefined) return { isolation: 'none', limitations: plainLimitations(problem) }
  return isRoot
    ? { isolation: 'root', limitations: ROOT_LIMITATIONS }
    : { isolation: 'user', limitations: USER_LIMITATIONS }
}

const ROOT_LIMITATIONS = [
  'containers are programs of this machine whose system calls nobody filters: run as an ordinary user what you do not trust',
]

const USER_LIMITATIONS = [
  'all users of a container are one user of this machine under different names: run as root for users of their own',
  'containers can change folders of other users in /etc and /var alone: run as root to let them write everywhere',
  'pods with hostNetwork have a network of their own: run as root to let them share that of this machine',
]

function plainLimitations(problem: string): string[] {
  return [
    `containers are plain processes of this machine, because it allows no namespaces: ${problem}`,
    'containers see and change the files of this machine; volumes are links in their working folders',
    'pods share the network of this machine: two cannot listen on one port, and services have no addresses',
    'users, capabilities, terminals and read-only roots are not what the pod asks for',
  ]
}

/** Everything in one go: an overlay of the root with its changes in memory, a process list, and a network. */
function tryIsolation(isRoot: boolean): Promise<string | undefined> {
  const userXattr = isRoot ? '' : ',userxattr'
  const script = `set -e
    place=; for folder in /dev/shm /dev/mqueue /mnt /media; do [ -d $folder ] && { place=$folder; break; }; done
    mount -t tmpfs tmpfs $place; cd $place; mkdir upper work root proc
    mount -t overlay -o lowerdir=${isRoot ? '/' : '/usr'},upperdir=$place/upper,workdir=$place/work${userXattr} overlay root
    : >root/written; unshare --pid --mount --fork mount -t proc proc $place/proc
    ip link add probe0 type bridge; command -v setpriv nsenter pivot_root chroot script mkfifo >/dev/null`
  const [command = '', ...rest] = [...isolation(isRoot), '/bin/sh', '-c', script]
  return new Promise(resolve => {
    const env = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' }
    const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'], env })
    let problems = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems = `${problems}${text}`.slice(0, 500)
    })
    child.once('error', error => resolve(error.message))
    child.once('close', code => resolve(code === 0 ? undefined : problems.trim() || `exit code ${code}`))
  })
}
