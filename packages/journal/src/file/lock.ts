import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Env, TerminalFailure, uuid } from '@tiphys/env'
import type { FileSystem } from './file-system.ts'

/** Who writes a journal, as its lock file says. */
interface Holder {
  pid: number
  host: string
  command: string
  since: string
  /** When the process started and in which run of the machine; undefined where the system does not tell. */
  started: string | undefined
}

const CLAIM = /^lock-[0-9a-f-]+$/
const LARGEST_CLAIM = 64 * 2 ** 10

/** Makes this process the directory's only writer, or throws a `journal-locked` that names the holder.
 *
 *  Each writer first puts down a claim under a name of its own and then looks for others. Of two that come at the same
 *  time at least one sees the other and withdraws; no claim of a living writer is ever removed by somebody else. */
export async function lockDirectory(fileSystem: FileSystem, directory: string, env: Env): Promise<() => Promise<void>> {
  const id = uuid(env.random)
  const name = `lock-${id}`
  const path = join(directory, name)
  const draft = join(directory, `draft-${id}.tmp`)
  await writeClaim(fileSystem, draft, path, describeSelf(env))
  const release = () => fileSystem.remove(path)
  try {
    const others = (await fileSystem.list(directory)).filter(other => CLAIM.test(other) && other !== name)
    for (const other of others) {
      const claim = join(directory, other)
      const holder = await readClaim(fileSystem, claim)
      // Released since it was listed.
      if (holder === 'gone') continue
      if (holder === 'unreadable' || !isCertainlyDead(holder)) throw locked(directory, claim, holder)
      env.log.warn('took over a journal from a writer that died', {
        directory,
        pid: holder.pid,
        command: holder.command,
      })
      await fileSystem.remove(claim)
    }
    return release
  } catch (error) {
    // The error that made us give up is the one to report.
    await release().catch(() => {})
    throw error
  }
}

async function writeClaim(fileSystem: FileSystem, draft: string, path: string, holder: Holder): Promise<void> {
  const file = await fileSystem.open(draft, 'create')
  try {
    await file.write(Buffer.from(`${JSON.stringify(holder)}\n`), 0)
    // A claim must never be found empty after the power has failed: nobody could tell whose it was.
    await file.sync()
  } finally {
    await file.close()
  }
  await fileSystem.rename(draft, path)
}

async function readClaim(fileSystem: FileSystem, path: string): Promise<Holder | 'gone' | 'unreadable'> {
  const buffer = Buffer.alloc(LARGEST_CLAIM)
  let text: string
  try {
    const file = await fileSystem.open(path, 'read')
    try {
      text = buffer.toString('utf8', 0, await file.read(buffer, 0))
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone'
    throw error
  }
  try {
    const { pid, host, command, since, started } = JSON.parse(text) as Partial<Holder>
    if (typeof pid !== 'number' || typeof host !== 'string') return 'unreadable'
    return { pid, host, command: command ?? 'unknown', since: since ?? 'unknown', started }
  } catch {
    // Not written by us; the caller refuses to go on and names the file.
    return 'unreadable'
  }
}

function describeSelf({ clock }: Env): Holder {
  return {
    pid: process.pid,
    host: hostname(),
    command: process.argv.join(' ').slice(0, 1000),
    since: new Date(clock.now()).toISOString(),
    started: startOf(process.pid),
  }
}

function isCertainlyDead(holder: Holder): boolean {
  if (holder.host !== hostname()) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const started = startOf(holder.pid)
  return holder.started !== undefined && started !== undefined && started !== holder.started
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
    // No /proc: the pid alone has to do, and a holder is presumed alive.
    return undefined
  }
}

function locked(directory: string, claim: string, holder: Holder | 'unreadable'): TerminalFailure {
  const who =
    holder === 'unreadable'
      ? 'a writer that it does not name'
      : `process ${holder.pid} on ${holder.host} since ${holder.since} (${holder.command})`
  return new TerminalFailure('journal-locked', {
    what: `The journal in ${directory} has another writer`,
    why: `${claim} belongs to ${who}`,
    todo: 'Stop that process first; if it is certain that it no longer runs, remove the lock file',
  })
}
