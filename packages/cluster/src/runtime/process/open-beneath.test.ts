import { closeSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openBeneath } from './open-beneath.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-beneath-'))
  mkdirSync(join(folder, 'volume/inner'), { recursive: true })
  writeFileSync(join(folder, 'volume/inner/file'), '')
  symlinkSync('/etc', join(folder, 'volume/link'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const opened = (path: string) => {
  const descriptor = openBeneath(join(folder, 'volume'), join(folder, path))
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } finally {
    closeSync(descriptor)
  }
}

describe.runIf(process.platform === 'linux')('a path inside a folder', () => {
  test('is found', () => {
    expect(opened('volume/inner/file')).toBe(join(folder, 'volume/inner/file'))
    expect(opened('volume')).toBe(join(folder, 'volume'))
  })

  test('does not lead out of it, by a link or otherwise', () => {
    expect(() => opened('volume/link/passwd')).toThrow('ENOTDIR')
    // A link in the end is held on to itself: what is mounted then is not it.
    expect(opened('volume/link')).toBe(join(folder, 'volume/link'))
    expect(() => opened('other')).toThrow('is not inside')
  })
})
