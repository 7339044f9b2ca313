import { boundingSet } from './capabilities.ts'
import type { LaunchRequest } from './launch.ts'

/** What a set-up inside a container needs, besides what the container's programs may have. A container's root has these by
 *  default. */
const SET_UP = ['sys_chroot', 'setpcap', 'setuid', 'setgid']

/** Capabilities that do nothing to a machine that is not asleep. */
const HARMLESS = ['wake_alarm', 'block_suspend']

/** What goes before the shell that starts a program in a container that runs already. Nothing that the container may have
 *  changed is run with more privileges than a container's root has by default: `nsenter`, `setpriv` and `chroot` are this
 *  machine's, because the root stays the supervisor's until the privileges are gone; only then it becomes the container's.
 *
 *  Until then the machine's root can be reached through this process by who may trace it, and the container sees this process:
 *  one capability that the container has not keeps it from that. */
export function entryArguments(pid: number, launch: LaunchRequest): string[] {
  const namespaces = ['nsenter', `--target=${pid}`, '--mount', '--uts', '--ipc', '--net', '--pid']
  // In a user namespace root is nobody, whatever it runs.
  if (launch.isSingleUser) return namespaces
  return [...namespaces, '--root=/', `--wd=/proc/${pid}/root`, ...limitArguments(launch), ...chrootArguments(launch)]
}

/** Who is not root gives up everything outside; root gives up inside what it needs for that. */
export const isSetUpInside = ({ identity, isSingleUser }: LaunchRequest): boolean => isSingleUser || identity.uid === 0

function limitArguments(launch: LaunchRequest): string[] {
  if (launch.privileged) return []
  const allowed = boundingSet(launch.capabilities)
  const guard = HARMLESS.filter(name => !allowed.includes(name)).slice(0, 1)
  const set = [...new Set([...allowed, ...SET_UP, ...guard])]
  const isFinal = !isSetUpInside(launch) && !launch.allowPrivilegeEscalation
  return [
    'setpriv',
    '--inh-caps=-all',
    `--bounding-set=${['-all', ...set.map(name => `+${name}`)].join(',')}`,
    ...(isFinal ? ['--no-new-privs'] : []),
  ]
}

/** Numbers with a plus are not looked up as names: nothing of the container is read for them. */
function chrootArguments(launch: LaunchRequest): string[] {
  if (isSetUpInside(launch)) return ['chroot', '.']
  const { uid, gid, supplementalGroups } = launch.identity
  const groups = supplementalGroups.map(group => `+${group}`).join(',')
  return ['chroot', `--userspec=+${uid}:+${gid}`, `--groups=${groups}`, '.']
}
