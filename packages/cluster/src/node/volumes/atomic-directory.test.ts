import { mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type VolumeFile, writeAtomically } from './atomic-directory.ts'

const files = (texts: Record<string, string>): Map<string, VolumeFile> =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o644 }]))

describe('a folder that is written at once', () => {
  let directory: string
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'tiphys-atomic-')), 'volume')
  })
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }))

  const read = (name: string) => readFile(join(directory, name), 'utf8')
  /** Everything but the folder that holds the files, whose name is made up. */
  const names = async () => (await readdir(directory)).filter(name => !name.startsWith('..new_')).toSorted()
  const folders = async () => (await readdir(directory)).filter(name => name.startsWith('..new_'))

  it('holds exactly what it was given last, and nothing of before', async () => {
    await writeAtomically(directory, files({ token: 'one', old: 'x', 'sub/file': 'y' }))
    await writeAtomically(directory, files({ token: 'two', 'sub/file': 'y' }))
    expect([await read('token'), await read('sub/file')]).toEqual(['two', 'y'])
    expect(await names()).toEqual(['..data', 'sub', 'token'])
    expect(await folders()).toEqual([await readlink(join(directory, '..data'))])
  })

  it('is written after a writer was killed with the link made and not in its place', async () => {
    await mkdir(join(directory, '..new_dead'), { recursive: true })
    await symlink('..new_dead', join(directory, '..data_tmp'))
    await writeAtomically(directory, files({ token: 'one' }))
    expect(await read('token')).toBe('one')
    expect(await names()).toEqual(['..data', 'token'])
    expect(await folders()).toHaveLength(1)
  })

  it('is written after a writer was killed that had written half of the files', async () => {
    await writeAtomically(directory, files({ token: 'one' }))
    await mkdir(join(directory, '..new_dead'))
    await writeFile(join(directory, '..new_dead', 'token'), 'tw')
    await writeAtomically(directory, files({ token: 'two' }))
    expect(await read('token')).toBe('two')
    expect(await folders()).toHaveLength(1)
  })

  it('has all its links after a writer was killed that had only the files in place', async () => {
    await writeAtomically(directory, files({ token: 'one', ca: 'two' }))
    await rm(join(directory, 'ca'))
    await rename(join(directory, 'token'), join(directory, 'other'))
    await writeAtomically(directory, files({ token: 'one', ca: 'two' }))
    expect([await read('token'), await read('ca')]).toEqual(['one', 'two'])
    expect(await names()).toEqual(['..data', 'ca', 'token'])
  })
})
