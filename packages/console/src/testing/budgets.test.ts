import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildAssets } from './assets.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
  await buildAssets(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const KB = 1024
const sizeOf = async (name: string) => (await stat(join(folder, `${name}.gz`))).size

describe('the built application', () => {
  it('keeps to its budgets: 130 KB of script for the first page, 350 for all, 20 of style, compressed', async () => {
    const page = await readFile(join(folder, 'index.html'), 'utf8')
    const first = [...page.matchAll(/(?:src|modulepreload" href)="\/([^"]+\.js)"/g)].map(([, name]) => name as string)
    expect(first.length).toBeGreaterThan(0)
    // The first page also loads its own chunk and what it shares with others, all of which is below the rest together.
    const all = (await readdir(join(folder, 'assets')))
      .filter(name => name.endsWith('.js'))
      .map(name => `assets/${name}`)
    const total = async (names: readonly string[]) =>
      (await Promise.all(names.map(sizeOf))).reduce((sum, size) => sum + size, 0)
    expect(await total(first)).toBeLessThan(130 * KB)
    expect(await total(all)).toBeLessThan(350 * KB)
    const styles = (await readdir(join(folder, 'assets')))
      .filter(name => name.endsWith('.css'))
      .map(name => `assets/${name}`)
    expect(styles).toHaveLength(1)
    expect(await total(styles)).toBeLessThan(20 * KB)
  })

  it('has nothing inline and nothing from elsewhere', async () => {
    const page = await readFile(join(folder, 'index.html'), 'utf8')
    expect(page).not.toMatch(/<style|style=|<script(?! type="module" src="\/)|https?:/)
  })

  it('is compressed ahead of time, and named after its content', async () => {
    const names = await readdir(join(folder, 'assets'))
    for (const name of names.filter(each => /\.(js|css)$/.test(each))) {
      expect(name).toMatch(/-[A-Z0-9]{8}\./)
      expect(names).toEqual(expect.arrayContaining([`${name}.gz`, `${name}.br`]))
    }
  })
})
