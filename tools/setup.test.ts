import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isInstalled } from './setup.mjs'
import { root } from './steps.mjs'

describe('packages are installed', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tiphys-setup-'))
    await mkdir(join(folder, 'node_modules'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const write = (path: string, packages: object) => writeFile(join(folder, path), JSON.stringify({ packages }))
  const locked = {
    '': {},
    'packages/a': {},
    'node_modules/a': { link: true },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/b-for-windows': { version: '1.0.0', optional: true },
  }
  const installed = { 'node_modules/a': { link: true }, 'node_modules/b': { version: '1.0.0' } }

  it('when all of the lock file is there but what is for other machines', async () => {
    await write('package-lock.json', locked)
    await write('node_modules/.package-lock.json', installed)
    expect(isInstalled(folder)).toBe(true)
  })

  it('not when one is missing, has another version, or the installation was interrupted', async () => {
    await write('package-lock.json', locked)
    expect(isInstalled(folder)).toBe(false)
    await write('node_modules/.package-lock.json', { 'node_modules/a': { link: true } })
    expect(isInstalled(folder)).toBe(false)
    await write('node_modules/.package-lock.json', { ...installed, 'node_modules/b': { version: '0.9.0' } })
    expect(isInstalled(folder)).toBe(false)
  })
})

describe('the lock file', async () => {
  interface Locked {
    resolved?: string
    hasInstallScript?: boolean
    optionalDependencies?: Record<string, string>
  }
  const text = await readFile(join(root, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }

  it('names the packages for every platform, or npm ci refuses it', () => {
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    const isNamed = (name: string) => Object.keys(packages).some(path => path.endsWith(`node_modules/${name}`))
    expect(wanted.filter(name => !isNamed(name))).toEqual([])
  })

  it('leaves to the reader where packages come from', () => {
    const places = Object.values(packages).flatMap(({ resolved }) => (resolved === undefined ? [] : [resolved]))
    expect(places.filter(place => place.includes(':'))).toEqual([])
  })
})
