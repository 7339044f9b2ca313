import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process as a lock file names it. */
export interface ProcessIdentity {
  pid: number
  host: string
  /** When it started, and in which run of the machine; undefined where the system does not tell. */
  started: string | undefined
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid) }
}

/** Whether nobody has to be waited for any more. A process of another machine, and one of which too little is known, may live. */
export function isCertainlyDead({ pid, host, started }: ProcessIdentity): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const now = startOf(pid)
  return started !== undefined && now !== undefined && now !== started
}

/** What no two processes of one pid share: the machine's run and the tick in it at which the process started. A process
 *  that has ended but still has an entry counts as none. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in parentheses and may hold anything, so that counting starts after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : `${boot}:${fields[19]}`
  } catch {
    // No /proc: the pid alone has to do, and the process is presumed alive.
    return undefined
  }
}
