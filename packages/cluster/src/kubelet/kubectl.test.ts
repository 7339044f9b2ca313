import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigFor, writeKubeconfig } from '@tiphys/kube'
import { noRealServer } from '@tiphys/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kubectl, noKubectl } from './testing/kubectl.ts'
import { startRealTestCluster, startTestCluster, type TestCluster } from './testing/test-cluster.ts'

const MAIN = { namespace: 'default', pod: 'one', container: 'main' }

const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }
const noReal = noKubectl || noRealServer

interface Setting {
  name: string
  /** Why it is left out; empty when it is not. */
  obstacle: string
  env: Record<string, string>
  start(): Promise<TestCluster>
}

const settings: Setting[] = [
  { name: 'over WebSocket', obstacle: noKubectl, env: {}, start: startTestCluster },
  { name: 'over SPDY', obstacle: noKubectl, env: SPDY, start: startTestCluster },
  {
    name: 'through a kube-apiserver that passes WebSockets on',
    obstacle: noReal,
    env: {},
    start: () => startRealTestCluster({ speaksWebSocket: true }),
  },
  {
    name: 'through a kube-apiserver that translates WebSockets',
    obstacle: noReal,
    env: {},
    start: () => startRealTestCluster({ speaksWebSocket: false }),
  },
]

const titled = settings.map(setting => ({ ...setting, title: `${setting.name}${setting.obstacle}` }))

describe.each(titled)('kubectl $title', ({ obstacle, env, start: startCluster }) => {
  let cluster: TestCluster
  let folder: string
  beforeAll(async () => {
    if (obstacle) return
    folder = await mkdtemp(join(tmpdir(), 'tiphys-kubectl-'))
    cluster = await startCluster()
    await writeKubeconfig(join(folder, 'config'), kubeconfigFor({ name: 'test', ...(await cluster.kubeconfig()) }))
    cluster.pods.write(MAIN, Date.parse('2026-01-01T00:00:00Z'), 'before')
    cluster.pods.restart(MAIN)
    cluster.pods.write(MAIN, Date.parse('2026-01-01T00:00:00Z'), 'old')
    cluster.pods.write(MAIN, Date.now(), 'new')
  })
  afterAll(async () => {
    if (obstacle) return
    await cluster.stop()
    await rm(folder, { recursive: true })
  })

  const start = (words: readonly string[], options: { tty?: boolean } = {}) =>
    new Kubectl(join(folder, 'config'), words, { env, ...options })
  const run = (...words: string[]) => start(words).outcome()

  it.skipIf(obstacle)('shows logs', async () => {
    expect(await run('logs', 'one')).toMatchObject({ code: 0, stdout: 'old\nnew\n' })
    expect(await run('logs', 'one', '--tail=1')).toMatchObject({ stdout: 'new\n' })
    expect(await run('logs', 'one', '--since=1h')).toMatchObject({ stdout: 'new\n' })
    expect(await run('logs', 'one', '--previous')).toMatchObject({ stdout: 'before\n' })
    expect((await run('logs', 'one', '--timestamps')).stdout).toMatch(/^2026-01-01T00:00:00.000Z old\n/)
    expect((await run('logs', 'two')).stderr).toContain('Defaulted container "a" out of: a, b')
    expect(await run('logs', 'two', '-c', 'none')).toMatchObject({
      code: 1,
      stderr: 'error: container none is not valid for pod two out of: a, b\n',
    })
    expect(await run('logs', 'odd', '-c', 'waiting')).toMatchObject({
      code: 1,
      stderr:
        'Error from server (BadRequest): container "waiting" in pod "odd" is waiting to start: ContainerCreating\n',
    })
  })

  it.skipIf(obstacle)('follows logs, and the node notices when it stops', async () => {
    const logs = start(['logs', '-f', 'one', '--tail=1'])
    await logs.says('new\n')
    cluster.pods.write(MAIN, Date.now(), 'newest')
    await logs.says('newest\n')
    expect(cluster.pods.following).toBe(1)
    await logs.stop()
    while (cluster.pods.following > 0) await new Promise(resolve => setImmediate(resolve))
  })

  it.skipIf(obstacle)('runs commands', async () => {
    expect(await run('exec', 'one', '--', 'sh', '-c', 'echo out; echo err >&2')).toEqual({
      code: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    })
    expect(await run('exec', 'one', '--', 'sh', '-c', 'exit 42')).toMatchObject({
      code: 42,
      stderr: 'command terminated with exit code 42\n',
    })
    expect(await run('exec', 'odd', '-c', 'waiting', '--', 'true')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('container not found ("waiting")'),
    })
  })

  it.skipIf(obstacle)('gives commands their input', async () => {
    const sum = start(['exec', '-i', 'one', '--', 'wc', '-c'])
    sum.process.stdin?.end('x'.repeat(1_000_000))
    expect(await sum.outcome()).toMatchObject({ code: 0, stdout: '1000000\n' })
  })

  it.skipIf(obstacle)('has a terminal', async () => {
    cluster.pods.sizes.length = 0
    const shell = start(
      ['exec', '-it', 'one', '--', 'sh', '-c', 'test -t 0 && read line && echo "got $line" && exit 7'],
      {
        tty: true,
      },
    )
    while (cluster.pods.sizes.length === 0) await new Promise(resolve => setTimeout(resolve, 10))
    shell.type('hello\n')
    const { code, stdout } = await shell.outcome()
    expect(stdout).toContain('got hello')
    expect(code).toBe(7)
    expect(cluster.pods.sizes[0]).toEqual({ columns: 100, rows: 40 })
  })

  it.skipIf(obstacle)('copies files both ways', async () => {
    const [there, back] = [join(folder, 'there'), join(folder, 'back')]
    await writeFile(join(folder, 'file'), 'y'.repeat(300_000))
    expect(await run('cp', join(folder, 'file'), `one:${there}`)).toMatchObject({ code: 0 })
    expect(await readFile(there, 'utf8')).toBe('y'.repeat(300_000))
    expect(await run('cp', `one:${there}`, back)).toMatchObject({ code: 0 })
    expect(await readFile(back, 'utf8')).toBe('y'.repeat(300_000))
  })

  it.skipIf(obstacle)('attaches to a container', async () => {
    cluster.pods.attached = ['sh', '-c', 'read line && echo "container got $line"']
    const attached = start(['attach', '-i', 'one'])
    attached.type('words\n')
    await attached.says('container got words')
    expect((await attached.outcome()).code).toBe(0)
  })

  it.skipIf(obstacle)('forwards ports', async () => {
    const web = createServer((request, response) => response.end(`you asked for ${request.url}`))
    await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
    const { port } = web.address() as { port: number }
    const forward = start(['port-forward', '--address=127.0.0.1', 'pod/one', `:${port}`, ':1'])
    await forward.says(/127.0.0.1:\d+ -> 1\n/)
    const [first = '', second = ''] = [...forward.stdout.matchAll(/127.0.0.1:(\d+)/g)].map(match => match[1])
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => fetch(`http://127.0.0.1:${first}/${i}`).then(answer => answer.text())),
    )
    expect(answers).toEqual(Array.from({ length: 10 }, (_, i) => `you asked for /${i}`))
    await expect(fetch(`http://127.0.0.1:${second}/`)).rejects.toThrow()
    await forward.stop()
    web.close()
    expect(forward.stderr).toContain('ECONNREFUSED')
  })

  it.skipIf(obstacle)('is refused without the right to it', async () => {
    const as = ['--as=nobody', '--as-group=system:authenticated']
    expect((await run('exec', ...as, 'one', '--', 'true')).stderr).toContain('cannot get resource "pods"')
    expect((await run('logs', ...as, 'one')).stderr).toContain('cannot get resource "pods"')
    expect(cluster.pods.running.size).toBe(0)
  })
})
