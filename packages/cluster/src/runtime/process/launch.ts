import type { Identity } from './accounts.ts'
import { boundingSet } from './capabilities.ts'
import { quote } from './shell.ts'

/** How a program comes to run, once its namespaces and files are there. */
export interface LaunchRequest {
  argv: readonly string[]
  env: ReadonlyMap<string, string>
  workingDir: string
  identity: Identity
  privileged: boolean
  allowPrivilegeEscalation: boolean
  capabilities: { add: readonly string[]; drop: readonly string[] }
  tty: boolean
  isSingleUser: boolean
}

/** The end of every start script: descriptor 3 gets `ok`, or why the program cannot be run, in runc's words. The program
 *  and what takes the privileges away before it are the script's arguments. */
export function launchScript({ argv, env, workingDir }: LaunchRequest): string {
  const [command = ''] = argv
  const cwd = quote(workingDir)
  return `{ cd ${cwd} 2>/dev/null || { mkdir -p ${cwd} && cd ${cwd}; } } 2>&3 || exit 128
umask 022
${command.includes('/') ? checkPath(command) : searchPath(command, env.get('PATH') ?? '')}
echo ok >&3
exec "$@" 3>&-`
}

function checkPath(command: string): string {
  const path = quote(command)
  const say = (why: string) => `{ echo ${quote(`exec: ${JSON.stringify(command)}: ${why}`)} >&3; exit 128; }`
  return `[ -e ${path} ] || ${say(`stat ${command}: no such file or directory`)}
[ ! -d ${path} ] || ${say('is a directory')}
[ -x ${path} ] || ${say('permission denied')}`
}

function searchPath(command: string, path: string): string {
  const message = `exec: ${JSON.stringify(command)}: executable file not found in $PATH`
  return `found= path=${quote(path)} IFS=:
set -f
for folder in $path; do
  [ -f "$folder"/${quote(command)} ] && [ -x "$folder"/${quote(command)} ] && { found=1; break; }
done
unset IFS
[ -n "$found" ] || { echo ${quote(message)} >&3; exit 128; }`
}

/** The arguments of the script: gives up privileges first, unless that is done, then takes on the container's environment.
 *  Never the other way round: what a container's environment names must not be loaded by a privileged program. */
export function launchArguments(request: LaunchRequest, { isPrivileged = true } = {}): string[] {
  const program = ['env', '-i', ...[...request.env].map(([name, value]) => `${name}=${value}`), ...request.argv]
  const privileges = isPrivileged ? privilegeArguments(request) : []
  if (!request.tty) return [...privileges, ...program]
  // The shell that `script` starts is replaced at once. Its pseudo-terminal belongs to the container's user.
  const inTerminal = ['script', '--quiet', '--return', '--echo', 'always', '--command']
  const command = `exec ${program.map(quote).join(' ')}`
  return [...privileges, 'env', 'SHELL=/bin/sh', ...inTerminal, command, '/dev/null']
}

function privilegeArguments({ identity, isSingleUser, ...request }: LaunchRequest): string[] {
  const { uid, gid, supplementalGroups } = identity
  const groups = supplementalGroups.length > 0 ? [`--groups=${supplementalGroups.join(',')}`] : ['--clear-groups']
  const options = [
    ...(request.privileged
      ? []
      : [
          '--inh-caps=-all',
          `--bounding-set=${['-all', ...boundingSet(request.capabilities).map(name => `+${name}`)].join(',')}`,
        ]),
    ...(request.allowPrivilegeEscalation || request.privileged ? [] : ['--no-new-privs']),
    ...(isSingleUser ? [] : [`--reuid=${uid}`, `--regid=${gid}`, ...groups]),
  ]
  const isOther = uid !== 0 || gid !== 0
  // A container's user is the one user there is, under the name that the container wants.
  const rename = isSingleUser && isOther ? ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`] : []
  return [...(options.length === 0 ? [] : ['setpriv', ...options]), ...rename]
}
