import { join } from 'node:path'
import { type Env, isCertainlyDead, ownIdentity, type ProcessIdentity, TerminalFailure, uuid } from '@tiphys/env'
import type { FileSystem } from './file-system.ts'

/** Who writes a journal, as its lock file says. */
interface Holder extends ProcessIdentity {
  command: string
  since: string
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
    ...ownIdentity(),
    command: process.argv.join(' ').slice(0, 1000),
    since: new Date(clock.now()).toISOString(),
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
