import { lstat, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '@tiphys/env'

/** Checks a path of this machine as its type asks, making it where the type says so. Throws with the kubelet's message. */
export async function prepareHostPath(path: string, type = ''): Promise<void> {
  if (type === 'DirectoryOrCreate' || type === '') await makeUnlessThere(path, () => makeFolder(path))
  if (type === 'FileOrCreate') {
    await makeUnlessThere(path, async () => {
      makeFolder(dirname(path))
      await (await open(path, 'a', 0o644)).close()
    })
  }
  const is = await stat(path).catch(() => undefined)
  const refuse = (what: string) => {
    throw new Error(`hostPath type check failed: ${path} is not ${what}`)
  }
  if (type.startsWith('Directory') && !is?.isDirectory()) refuse('a directory')
  if (type.startsWith('File') && !is?.isFile()) refuse('a file')
  if (type === 'Socket' && !is?.isSocket()) refuse('a socket file')
  if (type === 'CharDevice' && !is?.isCharacterDevice()) refuse('a character device')
  if (type === 'BlockDevice' && !is?.isBlockDevice()) refuse('a block device')
}

async function makeUnlessThere(path: string, make: () => Promise<void> | void): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  )
  if (!isThere) await make()
}
