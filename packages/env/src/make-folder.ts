import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a folder and those above it that are missing. Node's own recursive `mkdir` never comes back from a file system that takes
 *  no folders, as `/proc`, and says of one that is read-only that something is missing. */
export function makeFolder(path: string, mode?: number): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, mode)
  } catch (thrown) {
    // Somebody else may have made it at this moment.
    if (!isFolder(path)) throw thrown
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false // Missing, or below a file, or not to be looked at: whoever makes it hears why that cannot be.
  }
}
