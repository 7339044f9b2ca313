import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveSubPath } from './sub-path.ts'

let volume: string
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'tiphys-sub-path-'))
})
afterEach(() => rmSync(volume, { recursive: true, force: true }))

describe('a path inside a volume', () => {
  it('is made for everybody who may write the volume', async () => {
    chmodSync(volume, 0o2777)
    const place = await resolveSubPath(volume, 'a/b', false)
    expect(place).toBe(join(volume, 'a/b'))
    for (const made of [join(volume, 'a'), place]) expect(statSync(made).mode & 0o7777).toBe(0o2777)
  })

  it('leads nowhere else', async () => {
    symlinkSync(tmpdir(), join(volume, 'link'))
    await expect(resolveSubPath(volume, 'link/x', false)).rejects.toThrow('symbolic link')
    await expect(resolveSubPath(volume, '../x', false)).rejects.toThrow('inside the volume')
    await expect(resolveSubPath(volume, '/x', true)).rejects.toThrow('inside the volume')
  })
})
