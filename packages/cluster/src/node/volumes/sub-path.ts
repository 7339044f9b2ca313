import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, normalize, sep } from 'node:path'
import { SetupFailure } from '../container-setup.ts'

/** The place of a path inside a volume, made if it is not there. Nothing outside the volume can be reached: containers of the
 *  pod write the volume, so a link in it is not followed. `isOurs`: this node alone writes the volume, and its links
 *  stay inside. */
export async function resolveSubPath(volume: string, subPath: string, isOurs: boolean): Promise<string> {
  const relative = normalize(subPath)
  if (isAbsolute(relative) || relative.split(sep).includes('..')) {
    throw new SetupFailure(`subPath ${JSON.stringify(subPath)} must be inside the volume`)
  }
  if (isOurs) return resolveOwn(volume, relative, subPath)
  let at = volume
  for (const part of relative.split(sep).filter(name => name !== '' && name !== '.')) {
    at = join(at, part)
    const found = await lstat(at).catch(() => undefined)
    if (found?.isSymbolicLink()) {
      throw new SetupFailure(`subPath ${JSON.stringify(subPath)} leads through a symbolic link, which is not followed`)
    }
    if (!found) await makeLike(at, volume)
  }
  return at
}

/** Who may write the volume may write what is made in it, whatever this process takes away from new folders. */
async function makeLike(folder: string, volume: string): Promise<void> {
  const { mode } = await stat(volume)
  await mkdir(folder)
  await chmod(folder, mode & 0o7777)
}

async function resolveOwn(volume: string, relative: string, subPath: string): Promise<string> {
  const root = await realpath(volume)
  const target = await realpath(join(root, relative)).catch(() => {
    throw new SetupFailure(`subPath ${JSON.stringify(subPath)} does not exist in the volume`)
  })
  if (target !== root && !target.startsWith(root + sep)) {
    throw new SetupFailure(`subPath ${JSON.stringify(subPath)} must be inside the volume`)
  }
  return target
}
