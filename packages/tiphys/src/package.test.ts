import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TiphysProcess } from './tiphys-process.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

const run = promisify(execFile)
const npm = (args: string[], cwd: string) => run('npm', args, { cwd, maxBuffer: 16 * 1024 * 1024 })

describe('the packed tarball, installed alone in an empty folder', () => {
  let folder: string
  let installed: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tiphys-pack-'))
    installed = join(folder, 'node_modules/tiphys')
    // The build is fresh, see vitest.config.ts; making it anew would pull it from under the other tests.
    const source = fileURLToPath(new URL('..', import.meta.url))
    await npm(['pack', '--ignore-scripts', '--pack-destination', folder], source)
    const [tarball] = (await readdir(folder)).filter(name => name.endsWith('.tgz'))
    await writeFile(join(folder, 'package.json'), '{}')
    await npm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`], folder)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('brings everything it needs but what has a native part, which npm chooses', async () => {
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'data', 'dist', 'package.json'])
    const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    expect(Object.keys(dependencies ?? {})).toEqual(['esbuild', 'libsql'])
  })

  it('names the licences of what is bundled', async () => {
    const notices = await readFile(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of ['yaml', 're2js', 'Kubernetes']) expect(notices).toContain(name)
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('Apache License')
  })

  it('runs npx tiphys --version', async () => {
    const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { version: string }
    const { stdout } = await run('npx', ['--no-install', 'tiphys', '--version'], { cwd: folder })
    expect(stdout).toBe(`${version}\n`)
  })

  it('runs npx tiphys cluster', async () => {
    const command = join(installed, 'bin/tiphys.js')
    const args = ['cluster', '--memory', '--port', '0', '--kubeconfig-out', 'kc']
    const cluster = new TiphysProcess(args, { cwd: folder, command })
    try {
      await cluster.shows('tiphys is ready')
      const client = await connect({ kubeconfig: join(folder, 'kc') })
      expect((await client.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' })).metadata.name).toBe('default')
      await client.close()
    } finally {
      expect(await cluster.signal('SIGTERM')).toMatchObject({ code: 0 })
    }
  })

  it('runs npx tiphys init, up and test', async () => {
    const command = join(installed, 'bin/tiphys.js')
    await run(process.execPath, [command, 'init', 'op'], { cwd: folder })
    const up = new TiphysProcess(['up', 'op', '--port', '0', '--console-port', '0', '--runtime', 'simulated'], {
      cwd: folder,
      command,
    })
    await up.shows('tiphys is ready')
    expect(await up.signal('SIGTERM')).toMatchObject({ code: 0 })
    const { stdout } = await run('npx', ['--no-install', 'tiphys', 'lint', 'op'], { cwd: folder })
    expect(stdout).toMatch(/nothing wrong/)
    expect((await run(process.execPath, [command, 'test', 'op'], { cwd: folder })).stdout).toMatch(/^3 passed /m)
  })

  it('gives tests a cluster', async () => {
    const program = `import { createTestCluster } from 'tiphys/testing'
const { client, serve, close } = await createTestCluster()
const { items } = await client.list({ apiVersion: 'v1', kind: 'Namespace' })
console.log(items.length > 0, (await serve()).url.startsWith('https://127.0.0.1:'))
await close()`
    await writeFile(join(folder, 'test.mjs'), program)
    expect((await run(process.execPath, ['test.mjs'], { cwd: folder })).stdout).toBe('true true\n')
  })
})
