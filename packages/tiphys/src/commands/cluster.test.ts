import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connect, kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { builtCommand, runTiphys, TiphysProcess } from '../tiphys-process.ts'

let folder: string
let running: TiphysProcess[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-cluster-'))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map(process => process.signal('SIGKILL')))
  await rm(folder, { recursive: true })
})

const start = (args: string[], options: ConstructorParameters<typeof TiphysProcess>[1] = {}) => {
  const process = new TiphysProcess(['cluster', ...args], { cwd: folder, ...options })
  running.push(process)
  return process
}
const startReady = async (...args: string[]) => {
  const process = start(args)
  await process.shows('tiphys is ready\n')
  return process
}
const client = (kubeconfig = '.tiphys/kubeconfig') => connect({ kubeconfig: join(folder, kubeconfig) })
const configMap = { ...kindRef('v1', 'ConfigMap'), namespace: 'default', name: 'note' }

describe('tiphys cluster', () => {
  it('says where it is, serves whoever has the kubeconfig and ends with 0 on SIGTERM', async () => {
    const cluster = await startReady('--port', '0')
    expect(cluster.out).toMatch(
      /^API {9}https:\/\/127\.0\.0\.1:\d+\nkubeconfig {2}.*\/\.tiphys\/kubeconfig\npods {8}.*\ntiphys is ready\n$/,
    )
    const kube = await client()
    const { items } = await kube.list(kindRef('v1', 'Namespace'))
    expect(items.map(namespace => namespace.metadata.name)).toContain('default')
    await kube.close()
    expect(await cluster.signal('SIGTERM')).toMatchObject({ code: 0 })
  })

  it('ends with 0 on SIGINT, also while somebody watches', async () => {
    const cluster = await startReady('--port', '0', '--memory')
    const kube = await client()
    const events = kube.watch(kindRef('v1', 'ConfigMap'))[Symbol.asyncIterator]()
    const next = events.next().catch(() => undefined)
    expect(await cluster.signal('SIGINT')).toMatchObject({ code: 0 })
    await next
    await kube.close()
  })

  it('ends when npx is ended, which does not pass the signal on', async () => {
    const command = `${process.execPath} ${builtCommand} cluster --memory --port 0 --json --kubeconfig-out kc`
    // As npx does it: a shell between the two.
    const env = { ...process.env, npm_lifecycle_event: 'npx' }
    const shell = spawn('sh', ['-c', `${command}; true`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    await once(shell.stdout, 'data')
    shell.kill('SIGTERM')
    // The pipe closes when the last process that holds its other end is gone.
    await once(shell.stdout, 'close')
  })

  it('keeps keys, certificates and data to their owner', async () => {
    await startReady('--port', '0', '--kubeconfig-out', 'elsewhere/config')
    const mode = async (path: string) => ((await stat(join(folder, path))).mode & 0o777).toString(8)
    expect(await mode('elsewhere/config')).toBe('600')
    expect(await mode('.tiphys/identity.json')).toBe('600')
    expect(await mode('.tiphys')).toBe('700')
  })

  it('prints one line of JSON for scripts', async () => {
    const cluster = start(['--port', '0', '--memory', '--runtime', 'simulated', '--json', '--kubeconfig-out', 'kc'])
    await cluster.shows('\n')
    expect(JSON.parse(cluster.out)).toEqual({
      url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      kubeconfig: join(folder, 'kc'),
      runtime: 'simulated',
      pid: cluster.pid,
    })
  })

  it('resumes its objects, keys and uids after it was killed', async () => {
    const first = await startReady('--port', '0')
    const kube = await client()
    const created = await kube.create({
      ...kindRef('v1', 'ConfigMap'),
      metadata: { namespace: 'default', name: 'note' },
    })
    await kube.close()
    const kubeconfig = await readFile(join(folder, '.tiphys/kubeconfig'), 'utf8')
    await first.signal('SIGKILL')

    await startReady('--port', '0')
    const again = await client()
    expect((await again.get(configMap)).metadata).toEqual(created.metadata)
    await again.close()
    const authority = (text: string) => /certificate-authority-data: (\S+)/.exec(text)?.[1]
    expect(authority(await readFile(join(folder, '.tiphys/kubeconfig'), 'utf8'))).toBe(authority(kubeconfig))
  })

  it('keeps nothing with --memory', async () => {
    const cluster = await startReady('--port', '0', '--memory', '--kubeconfig-out', 'kc')
    await cluster.signal('SIGTERM')
    await expect(stat(join(folder, '.tiphys'))).rejects.toThrow('ENOENT')
  })
})

describe('tiphys cluster refuses in one line', () => {
  const refusal = async (...args: Parameters<typeof start>) => {
    const { code, out, err } = await start(...args).ended
    expect(out).toBe('')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    return { code, err }
  }

  it('a folder that another process uses, and names it', async () => {
    const first = await startReady('--port', '0')
    const { code, err } = await refusal(['--port', '0'])
    expect(code).toBe(1)
    expect(err).toMatch(new RegExp(`^error: The journal in .* has another writer: .* process ${first.pid} on `))
  })

  it('a folder that it may not write to', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed)
    await chmod(closed, 0o555)
    // The superuser may write anywhere, so that it has to ask somebody else to try, who has to reach the command.
    const isRoot = process.getuid?.() === 0
    const reachable = join(folder, 'tiphys')
    if (isRoot) {
      await cp(dirname(dirname(builtCommand)), reachable, {
        recursive: true,
        filter: path => !path.includes('node_modules'),
      })
      await chmod(folder, 0o755)
    }
    const user = isRoot ? { uid: 65_534, command: join(reachable, 'bin/tiphys.js') } : {}
    const data = await refusal(['--port', '0', '--data', join(closed, 'data')], user)
    expect(data.err).toMatch(
      /^error: the data folder .* cannot be made: EACCES.*Choose another with --data, where this/,
    )
    const kubeconfig = await refusal(['--port', '0', '--memory', '--kubeconfig-out', join(closed, 'kc')], user)
    expect(kubeconfig.err).toMatch(/^error: .*closed\/kc cannot be written: EACCES.*Make its folder writable/)
    expect([data.code, kubeconfig.code]).toEqual([1, 1])
    // Of what somebody may not read, nobody says that nothing is there.
    await chmod(closed, 0o000)
    const looked = await runTiphys(['runs', '--data', closed], { cwd: folder, ...user })
    await chmod(closed, 0o755)
    expect(looked.err).toMatch(
      /^error: the data folder .*closed.* cannot be used: EACCES.*or choose another with --data/,
    )
  })

  it('a folder of a newer version', async () => {
    await mkdir(join(folder, '.tiphys'))
    await writeFile(join(folder, '.tiphys/layout.json'), '{"layout":99,"version":"9.1.0"}')
    const { code, err } = await refusal(['--port', '0'])
    expect(code).toBe(1)
    expect(err).toMatch(/^error: the data folder .* was made by a newer Tiphys \(9\.1\.0\)\. Use that version/)
    expect(await readdir(join(folder, '.tiphys'))).toEqual(['layout.json'])
  })

  it.skipIf(process.platform !== 'linux')(
    'a file system that takes no folders, from which nobody came back',
    async () => {
      const data = await refusal(['--port', '0', '--data', '/proc/tiphys'])
      expect(data.err).toMatch(
        /^error: the data folder \/proc\/tiphys cannot be made: \/proc takes no folders\. Choose/,
      )
      const kubeconfig = await refusal(['--port', '0', '--memory', '--kubeconfig-out', '/proc/tiphys/kc'])
      expect(kubeconfig.err).toMatch(/^error: \/proc\/tiphys\/kc cannot be written: ENOENT.*Make its folder writable/)
    },
  )

  it('keys that are damaged', async () => {
    await mkdir(join(folder, '.tiphys'))
    await writeFile(join(folder, '.tiphys/identity.json'), '{"authority":')
    const { code, err } = await refusal(['--port', '0'])
    expect(code).toBe(1)
    expect(err).toMatch(/^error: the keys of this cluster in .*identity\.json cannot be read: .*Restore the file/)
  })

  it('a table of images that is none', async () => {
    await writeFile(join(folder, 'images.yaml'), 'acme: { entrypoint: run }')
    const { code, err } = await refusal(['--images', 'images.yaml', '--memory'])
    expect(code).toBe(1)
    expect(err).toMatch(
      /^error: the table of images in .*images\.yaml cannot be read: entrypoint of acme is not a list of texts/,
    )
  })

  it('a port that is no port', async () => {
    const { code, err } = await refusal(['--port', '65536'])
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error: --port cannot be "65536". It is a number from 0 to 65535\n',
    })
  })

  it('a port that was asked for and is taken', async () => {
    const { server, port } = await occupy(0)
    const { code, err } = await refusal(['--port', String(port), '--memory'])
    server.close()
    expect(code).toBe(1)
    expect(err).toBe(
      `error: port ${port} cannot be used: it is taken. Choose another with --port, or --port 0 for any free one\n`,
    )
  })
})

describe('the usual port', () => {
  it('gives way to the next free one, and that is said', async () => {
    // Somebody else may have it already, which is as good.
    const taken = await occupy(6443).catch(() => undefined)
    const cluster = await startReady('--memory', '--kubeconfig-out', 'kc')
    taken?.server.close()
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(cluster.out) ?? []
    expect(cluster.err).toContain(`port 6443 is taken: using ${port}\n`)
  })
})

function occupy(port: number): Promise<{ server: Server; port: number }> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' && address ? address.port : 0 })
    })
  })
}
