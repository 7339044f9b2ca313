import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface VolumeFile {
  bytes: Uint8Array
  mode: number
}

const DATA = '..data'
const NEXT_DATA = '..data_tmp'

/** Makes a folder hold exactly these files, so that a reader sees either all of the old or all of the new: files live in a
 *  folder of their own, a link `..data` leads to it, and links lead through that. Nothing is written when nothing differs.
 *  What a writer left that was killed on the way does no harm: it is removed, and what it had not done yet is done. */
export async function writeAtomically(
  directory: string,
  files: ReadonlyMap<string, VolumeFile>,
  group?: number,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o777 })
  const current = await readlink(join(directory, DATA)).catch(() => undefined)
  if (current !== undefined && (await holds(join(directory, current), files))) return linkFiles(directory, files)
  const leftover = (await readdir(directory)).filter(name => name.startsWith('..') && name !== DATA && name !== current)
  for (const name of leftover) await rm(join(directory, name), { recursive: true, force: true })
  const fresh = await mkdtemp(join(directory, '..new_'))
  await chmod(fresh, 0o755)
  for (const [path, { bytes, mode }] of files) {
    const target = join(fresh, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o755 })
    await writeFile(target, bytes)
    if (group !== undefined) await chown(target, -1, group)
    // After the owner, because a change of the owner takes special bits away; and whatever the umask.
    await chmod(target, mode)
  }
  await symlink(fresh.slice(directory.length + 1), join(directory, NEXT_DATA))
  await rename(join(directory, NEXT_DATA), join(directory, DATA))
  await linkFiles(directory, files)
  if (current !== undefined) await rm(join(directory, current), { recursive: true, force: true })
}

async function linkFiles(directory: string, files: ReadonlyMap<string, VolumeFile>): Promise<void> {
  const wanted = new Set([...files.keys()].map(path => path.split('/')[0] ?? path))
  const present = (await readdir(directory)).filter(name => !name.startsWith('..'))
  for (const name of present) if (!wanted.has(name)) await rm(join(directory, name), { recursive: true, force: true })
  for (const name of wanted) if (!present.includes(name)) await symlink(join(DATA, name), join(directory, name))
}

async function holds(directory: string, files: ReadonlyMap<string, VolumeFile>): Promise<boolean> {
  const present = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  if (present.filter(entry => entry.isFile()).length !== files.size) return false
  for (const [path, { bytes, mode }] of files) {
    const target = join(directory, path)
    const known = await readFile(target).catch(() => undefined)
    if (!known?.equals(bytes)) return false
    if (((await stat(target)).mode & 0o777) !== (mode & 0o777)) return false
  }
  return true
}
