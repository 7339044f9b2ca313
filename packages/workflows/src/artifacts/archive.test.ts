import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createFileArtifacts } from './file-artifacts.ts'
import { type ArchiveEntry, readTar, writeTar } from './tar.ts'
import { readZip, writeZip } from './zip.ts'

const folder = mkdtempSync(join(tmpdir(), 'tiphys-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* stream(...pieces: (string | Buffer)[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}
async function* entries(files: Record<string, string | null>): AsyncGenerator<ArchiveEntry> {
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content ?? '')
    const type = content === null ? 'directory' : 'file'
    yield { path, type, mode: type === 'file' ? 0o640 : 0o755, size: bytes.length, content: stream(bytes) }
  }
}
const gather = async (source: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece)
  return Buffer.concat(pieces)
}
const unpack = async (archive: AsyncIterable<ArchiveEntry>) => {
  const found: Record<string, string | null> = {}
  for await (const { path, type, content } of archive)
    found[path] = type === 'directory' ? null : (await gather(content)).toString()
  return found
}
/** In pieces of an odd size. */
async function* crumbs(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 333) yield bytes.subarray(at, at + 333)
}

const FILES = { top: null, 'top/a.txt': 'hello', [`top/${'long/'.repeat(40)}name`]: 'deep', 'top/empty': '' }

describe('tar', () => {
  it('reads what it writes, in pieces of any size', async () => {
    expect(await unpack(readTar(crumbs(await gather(writeTar(entries(FILES))))))).toEqual(FILES)
  })

  it('is understood by the machine’s tar, and understands it', async () => {
    const archive = await gather(writeTar(entries(FILES)))
    expect(execFileSync('tar', ['-xOf', '-', 'top/a.txt'], { input: archive, encoding: 'utf8' })).toBe('hello')
    writeFileSync(join(folder, 'x'.repeat(150)), 'long')
    const made = execFileSync('tar', ['-cf', '-', '-C', folder, 'x'.repeat(150)])
    expect(await unpack(readTar(crumbs(made)))).toEqual({ ['x'.repeat(150)]: 'long' })
  })

  it.each(['../evil', '/etc/passwd', 'a/../../b'])('refuses the path %s', async path => {
    const archive = await gather(writeTar(entries({ [path]: 'x' })))
    await expect(unpack(readTar(stream(archive)))).rejects.toMatchObject({ code: 'artifact-refused' })
  })

  it('refuses links and damage', async () => {
    symlinkSync('/etc/passwd', join(folder, 'link'))
    const linked = execFileSync('tar', ['-cf', '-', '-C', folder, 'link'])
    await expect(unpack(readTar(stream(linked)))).rejects.toThrow('it is a link')
    const damaged = await gather(writeTar(entries({ a: 'x' })))
    damaged[3] = 0x7a
    await expect(unpack(readTar(stream(damaged)))).rejects.toThrow('damaged')
  })
})

describe('zip', () => {
  it('reads what it writes', async () => {
    expect(await unpack(readZip(await gather(writeZip(entries(FILES)))))).toEqual(FILES)
  })

  it('refuses paths that lead outside', async () => {
    const archive = await gather(writeZip(entries({ '../evil': 'x' })))
    await expect(unpack(readZip(archive))).rejects.toMatchObject({ code: 'artifact-refused' })
  })

  it('refuses what is no zip archive', async () => {
    await expect(unpack(readZip(Buffer.from('nothing of the kind, but long enough')))).rejects.toThrow('damaged')
  })
})

describe('artifacts in a folder', () => {
  const store = createFileArtifacts({ directory: join(folder, 'store') })

  it('are found again under their keys, and forgotten', async () => {
    expect(await store.put('ns/run/a.tgz', stream('one', 'two'))).toEqual({ bytes: 6 })
    await store.put('ns/run/folder/b', stream('b'))
    expect((await gather(await store.get('ns/run/a.tgz'))).toString()).toBe('onetwo')
    expect(await store.list('ns/run')).toEqual(['ns/run/a.tgz', 'ns/run/folder/b'])
    await store.remove('ns/run/folder')
    expect(await store.list('ns/run')).toEqual(['ns/run/a.tgz'])
    await expect(store.get('ns/run/folder/b')).rejects.toMatchObject({ code: 'artifact-missing' })
  })

  it('leave nothing behind when their content fails', async () => {
    const failing = async function* () {
      yield Buffer.from('half')
      throw new Error('the rest is gone')
    }
    await expect(store.put('ns/half', failing())).rejects.toThrow('the rest is gone')
    expect(await store.list('ns')).not.toContain('ns/half')
  })

  it.each(['../outside', '/absolute', 'a/../../b', ''])('refuse the key %j', async key => {
    await expect(store.put(key, stream('x'))).rejects.toMatchObject({ code: 'artifact-refused' })
  })

  it('do not follow links', async () => {
    await store.put('ns/real', stream('x'))
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, join(folder, 'store/content/ns/linked'))
    await expect(store.get('ns/linked')).rejects.toThrow('a link leads to it')
    await expect(store.put('ns/linked', stream('x'))).rejects.toThrow('a link leads to it')
    expect(readFileSync(secret, 'utf8')).toBe('secret')
  })
})
