import { chmod, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-make-folder-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('makeFolder', () => {
  it('makes what is missing above it, and leaves what is there as it is', async () => {
    await chmod(folder, 0o755)
    makeFolder(join(folder, 'a/b/c'), 0o700)
    makeFolder(join(folder, 'a/b/c'), 0o777)
    for (const [path, mode] of Object.entries({ '.': '755', a: '700', 'a/b/c': '700' }))
      expect(((await stat(join(folder, path))).mode & 0o777).toString(8), path).toBe(mode)
  })

  it('names what is in the way: a file, or a link to nowhere', async () => {
    await writeFile(join(folder, 'file'), '')
    await symlink('nowhere', join(folder, 'link'))
    for (const name of ['file', 'link'])
      expect(() => makeFolder(join(folder, name, 'below'))).toThrow(
        `EEXIST: file already exists, mkdir '${folder}/${name}'`,
      )
  })

  it.skipIf(process.platform !== 'linux')('comes back from a file system that takes no folders', () => {
    expect(() => makeFolder('/proc/tiphys/below')).toThrow("ENOENT: no such file or directory, mkdir '/proc/tiphys'")
  })
})
