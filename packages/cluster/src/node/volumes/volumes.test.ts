import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeAtomically } from './atomic-directory.ts'
import { prepareHostPath } from './host-path.ts'
import { resolveSubPath } from './sub-path.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tiphys-volumes-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

const files = (texts: Record<string, string>, mode = 0o644) =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode }]))

describe('a folder that is written at once', () => {
  it('changes all its files together, through one link', async () => {
    await writeAtomically(directory, files({ 'a.conf': '1', 'deep/b.conf': '2' }))
    const before = await readlink(join(directory, '..data'))
    expect(await readFile(join(directory, 'a.conf'), 'utf8')).toBe('1')
    expect(await readFile(join(directory, 'deep/b.conf'), 'utf8')).toBe('2')
    expect((await lstat(join(directory, 'a.conf'))).isSymbolicLink()).toBe(true)

    await writeAtomically(directory, files({ 'a.conf': 'new' }))
    expect(await readlink(join(directory, '..data'))).not.toBe(before)
    expect(await readFile(join(directory, 'a.conf'), 'utf8')).toBe('new')
    expect((await readdir(directory)).filter(name => !name.startsWith('..'))).toEqual(['a.conf'])
    expect(await readdir(directory)).toHaveLength(3)
  })

  it('is left alone when nothing differs', async () => {
    await writeAtomically(directory, files({ a: '1' }))
    const before = await readlink(join(directory, '..data'))
    await writeAtomically(directory, files({ a: '1' }))
    expect(await readlink(join(directory, '..data'))).toBe(before)
  })

  it('gives files the modes that were asked for', async () => {
    await writeAtomically(directory, files({ secret: 'x' }, 0o400))
    expect((await stat(join(directory, 'secret'))).mode & 0o777).toBe(0o400)
    await writeAtomically(directory, files({ secret: 'x' }, 0o440))
    expect((await stat(join(directory, 'secret'))).mode & 0o777).toBe(0o440)
  })

  it('can be empty', async () => {
    await writeAtomically(directory, new Map())
    expect(await readdir(directory)).toContain('..data')
  })
})

describe('a path inside a volume', () => {
  it('is made when it is not there', async () => {
    const path = await resolveSubPath(directory, 'a/b', false)
    expect(path).toBe(join(directory, 'a/b'))
    expect((await stat(path)).isDirectory()).toBe(true)
  })

  it.each(['../outside', '/etc', 'a/../../b'])('never leads out: %s', async subPath => {
    await expect(resolveSubPath(directory, subPath, false)).rejects.toThrow(/must be inside the volume/u)
  })

  it('does not follow a link that a container made', async () => {
    await symlink('/etc', join(directory, 'link'))
    await expect(resolveSubPath(directory, 'link/passwd', false)).rejects.toThrow(/symbolic link/u)
    await expect(resolveSubPath(directory, 'link', false)).rejects.toThrow(/symbolic link/u)
  })

  it('leads through the links of a volume that the node writes', async () => {
    await writeAtomically(directory, files({ 'a.conf': '1' }))
    expect(await readFile(await resolveSubPath(directory, 'a.conf', true), 'utf8')).toBe('1')
    await expect(resolveSubPath(directory, 'none', true)).rejects.toThrow(/does not exist/u)
  })
})

describe('a path of the machine', () => {
  it('is checked, or made, as its type says', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    await mkdir(join(directory, 'folder'))
    await expect(prepareHostPath(file, 'Directory')).rejects.toThrow(
      `hostPath type check failed: ${file} is not a directory`,
    )
    await expect(prepareHostPath(join(directory, 'folder'), 'File')).rejects.toThrow(/is not a file/u)
    await expect(prepareHostPath(join(directory, 'none'), 'Socket')).rejects.toThrow(/is not a socket file/u)
    await prepareHostPath(join(directory, 'made/deep'), 'DirectoryOrCreate')
    await prepareHostPath(join(directory, 'made/file'), 'FileOrCreate')
    expect((await readdir(join(directory, 'made'))).sort()).toEqual(['deep', 'file'])
  })

  it.skipIf(process.platform !== 'linux')(
    'that cannot be made is refused, where Node would never come back',
    async () => {
      await expect(prepareHostPath('/proc/tiphys/below')).rejects.toThrow(
        "ENOENT: no such file or directory, mkdir '/proc/tiphys'",
      )
    },
  )
})
