import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asError, type Env, Failure, isCertainlyDead, ownIdentity, type ProcessIdentity, uuid } from '@tiphys/env'
import { inaccessibleDatabase, lockedDatabase } from '../failures.ts'

interface Holder extends ProcessIdentity {
  since: string
}

/** Makes this process the file's only writer, or throws an `archive-locked` that names the other. Gives back what releases it.
 *
 *  Each writer puts down a claim under a name of its own and then looks for others: of two that come together at least one
 *  sees the other. Only the claim of a process that is certainly dead is removed. */
export function lockFile(file: string, env: Pick<Env, 'clock' | 'random'>): () => void {
  const folder = dirname(file)
  const prefix = `${basename(file)}.lock-`
  const name = `${prefix}${uuid(env.random)}`
  const path = join(folder, name)
  try {
    const self: Holder = { ...ownIdentity(), since: new Date(env.clock.now()).toISOString() }
    // Under its final name it is never seen half written.
    writeFileSync(`${path}.tmp`, `${JSON.stringify(self)}\n`, { mode: 0o600, flush: true })
    renameSync(`${path}.tmp`, path)
  } catch (error) {
    throw inaccessibleDatabase(file, asError(error))
  }
  const release = () => rmSync(path, { force: true })
  try {
    for (const other of readdirSync(folder)) {
      if (!other.startsWith(prefix) || other === name || other.endsWith('.tmp')) continue
      const claim = join(folder, other)
      const holder = readHolder(claim)
      if (holder === undefined || isCertainlyDead(holder)) rmSync(claim, { force: true })
      else
        throw lockedDatabase(file, `process ${holder.pid} on ${holder.host} writes it since ${holder.since} (${claim})`)
    }
    return release
  } catch (error) {
    release()
    throw error instanceof Failure ? error : inaccessibleDatabase(file, asError(error))
  }
}

/** Undefined when it was released meanwhile. One that cannot be read counts as held by somebody unknown. */
function readHolder(claim: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(claim, 'utf8')) as Partial<Holder>
    if (typeof holder.pid === 'number' && typeof holder.host === 'string')
      return { pid: holder.pid, host: holder.host, since: String(holder.since), started: holder.started }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    // Another user's, or not ours; it is reported like a holder that is not known.
  }
  return { pid: 0, host: 'an unknown machine', since: 'an unknown time', started: undefined }
}
