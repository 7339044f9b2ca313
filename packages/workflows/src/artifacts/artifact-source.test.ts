import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { systemEnv } from '@tiphys/env'
import type { Client } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Artifact } from '../spec/workflow.ts'
import { artifactEntries } from './artifact-source.ts'
import { createFileArtifacts } from './file-artifacts.ts'
import { type ArchiveEntry, writeTar } from './tar.ts'

const folder = mkdtempSync(join(tmpdir(), 'tiphys-artifact-source-'))
const artifacts = createFileArtifacts({ directory: folder })
const reading = {
  options: { env: systemEnv, artifacts },
  client: {} as Client,
  namespace: 'team',
  signal: new AbortController().signal,
}
/** More than streams read ahead, and nothing that becomes small. */
const LARGE = randomBytes(3 * 2 ** 20)

async function* entries(): AsyncGenerator<ArchiveEntry> {
  for (const path of ['top/a', 'top/b'])
    yield { path, type: 'file', mode: 0o644, size: LARGE.length, content: Readable.from([LARGE]) }
}
const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      const target = readlinkSync(join('/proc/self/fd', fd))
      return target.startsWith(folder) ? [target] : []
    } catch {
      return [] // closed meanwhile
    }
  })

beforeAll(async () => {
  await artifacts.put('team/packed.tgz', Readable.from(writeTar(entries())).pipe(createGzip()))
  await artifacts.put('team/plain.tar', Readable.from(writeTar(entries())))
  await artifacts.put('team/folder/a', Readable.from([LARGE]))
  await artifacts.put('team/folder/b', Readable.from([LARGE]))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('reading an artifact', () => {
  it.each<[string, Partial<Artifact>]>([
    ['packed.tgz', {}],
    ['plain.tar', {}],
    ['packed.tgz', { archive: { none: {} } }],
    ['folder', {}],
  ])('of %s leaves no file open, read to its end or not: %j', async (key, more) => {
    const read = async (isWhole: boolean) => {
      for await (const { type, content } of artifactEntries(reading, { name: 'it', s3: { key }, ...more }))
        if (isWhole) for await (const _ of content);
        else if (type === 'file') break
    }
    await read(true)
    await read(false)
    await expect.poll(openFiles).toEqual([])
  })
})
