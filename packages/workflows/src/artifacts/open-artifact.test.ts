import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFileArtifacts } from './file-artifacts.ts'
import { openArtifact } from './open-artifact.ts'
import { readTar } from './tar.ts'

const folder = mkdtempSync(join(tmpdir(), 'tiphys-open-artifact-'))
const artifacts = createFileArtifacts({ directory: folder })
const open = (key: string, namespace = 'team') => openArtifact(artifacts, namespace, key)

async function* bytes(text: string) {
  yield Buffer.from(text)
}
async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

beforeAll(async () => {
  await artifacts.put('team/run/report.tgz', bytes('packed'))
  await artifacts.put('team/run/folder/a.txt', bytes('a'))
  await artifacts.put('team/run/folder/b/c.txt', bytes('deep'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('an artifact as a file', () => {
  it('is what is kept under its key, with its length', async () => {
    const { name, content } = await open('team/run/report.tgz')
    expect([name, content.bytes, await textOf(content)]).toEqual(['report.tgz', 6, 'packed'])
  })

  it('is a tar archive when a folder is kept there', async () => {
    const { name, content } = await open('team/run/folder/')
    expect(name).toBe('folder.tar')
    const found: Record<string, string> = {}
    for await (const { path, content: inside } of readTar(content)) found[path] = await textOf(inside)
    expect(found).toEqual({ folder: '', 'folder/a.txt': 'a', 'folder/b/c.txt': 'deep' })
  })

  it('is of its namespace, whether the key says so or not', async () => {
    expect(await textOf((await open('run/report.tgz')).content)).toBe('packed')
    const { content } = await open('run/folder')
    const paths: string[] = []
    for await (const { path } of readTar(content)) paths.push(path)
    expect(paths).toEqual(['folder', 'folder/a.txt', 'folder/b/c.txt'])
    for (const key of ['team/run/report.tgz', 'team/run/folder', 'other/../team/run/report.tgz'])
      await expect(open(key, 'other')).rejects.toMatchObject({
        code: expect.stringMatching(/^artifact-(missing|refused)$/),
      })
  })

  it('says that it is gone', async () => {
    await expect(open('team/run/gone.tgz')).rejects.toMatchObject({ code: 'artifact-missing' })
  })

  it.each(['../outside', '/etc/passwd', 'team/../../outside', 'team\\..\\outside', 'team/\0', '.', ''])(
    'is never outside of its store: %j',
    async key => {
      await expect(open(key)).rejects.toMatchObject({ code: 'artifact-refused' })
    },
  )

  it('is refused where a link leads to it, itself or a folder above', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'tiphys-secret-'))
    writeFileSync(join(secret, 'file'), 'secret')
    symlinkSync(join(secret, 'file'), join(folder, 'content/team/linked'))
    symlinkSync(secret, join(folder, 'content/team/folder'))
    for (const key of ['team/linked', 'team/folder/file', 'team/folder'])
      await expect(open(key)).rejects.toThrow('a link leads to it')
    rmSync(secret, { recursive: true })
  })
})
