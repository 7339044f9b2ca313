import { closeSync, constants, openSync } from 'node:fs'
import { relative } from 'node:path'

/** Opens nothing, only holds on to it. Node does not name it. */
const O_PATH = 0o10_000_000

/** A descriptor of a file or folder inside a folder. No link on the way is followed, whoever puts it there and when. */
export function openBeneath(folder: string, path: string): number {
  let at = openSync(folder, O_PATH | constants.O_DIRECTORY)
  const parts = relative(folder, path).split('/').filter(Boolean)
  for (const [index, part] of parts.entries()) {
    const kind = index < parts.length - 1 ? constants.O_DIRECTORY : 0
    try {
      if (part === '..') throw new Error(`${path} is not inside ${folder}`)
      const next = openSync(`/proc/self/fd/${at}/${part}`, O_PATH | constants.O_NOFOLLOW | kind)
      closeSync(at)
      at = next
    } catch (error) {
      closeSync(at)
      throw error
    }
  }
  return at
}
