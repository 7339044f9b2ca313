import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { asError, makeFolder, TerminalFailure } from '@tiphys/env'

/** Writes a file that only its owner can read. At every moment it is whole: the old one or the new one. One that is not
 *  lasting may be lost or empty after a power cut. */
export async function writePrivateFile(path: string, text: string, { isLasting = true } = {}): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  try {
    makeFolder(dirname(path), 0o700)
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      if (isLasting) await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (thrown) {
    await rm(draft, { force: true }).catch(() => {}) // The reason why it could not be written says more.
    throw new TerminalFailure('cli-file-not-written', {
      what: `${path} cannot be written`,
      why: asError(thrown).message,
      todo: 'Make its folder writable for this user, or choose another with --data and --kubeconfig-out',
      cause: thrown,
    })
  }
}
