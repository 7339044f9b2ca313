import { once } from 'node:events'
import { request } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { ApiError } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeAt, podOf, startTestCluster } from './testing/test-cluster.ts'

const MAIN = { namespace: 'default', pod: 'one', container: 'main' }
const POD = { namespace: 'default', name: 'one' }

describe('a node behind the API server', () => {
  let cluster: Awaited<ReturnType<typeof startTestCluster>>
  beforeAll(async () => {
    cluster = await startTestCluster()
    cluster.pods.write(MAIN, Date.parse('2026-01-01T00:00:00Z'), 'first')
    cluster.pods.restart(MAIN)
    for (const text of ['second', 'third', 'fourth']) cluster.pods.write(MAIN, Date.now(), text)
  })
  afterAll(() => cluster.stop())

  const client = () => cluster.server.client()
  const readAll = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
    const pieces: Uint8Array[] = []
    for await (const piece of chunks) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise(resolve => setImmediate(resolve))
  }

  it('gives the log of a container', async () => {
    expect(await readAll(client().logs(POD))).toBe('second\nthird\nfourth\n')
    expect(await readAll(client().logs(POD, { tailLines: 1 }))).toBe('fourth\n')
    expect(await readAll(client().logs(POD, { previous: true, timestamps: true }))).toBe(
      '2026-01-01T00:00:00.000Z first\n',
    )
    expect(await readAll(client().logs(POD, { limitBytes: 3 }))).toBe('sec')
  })

  it('follows a log until its reader leaves', async () => {
    const log = client().logs(POD, { follow: true, tailLines: 1 })[Symbol.asyncIterator]()
    expect(Buffer.from((await log.next()).value).toString()).toBe('fourth\n')
    await until(() => cluster.pods.following === 1)
    cluster.pods.write(MAIN, Date.now(), 'fifth')
    expect(Buffer.from((await log.next()).value).toString()).toBe('fifth\n')
    await log.return?.()
    await until(() => cluster.pods.following === 0)
  })

  it('begins the answer of a log that is silent', async () => {
    const leaves = new AbortController()
    const log = client()
      .logs({ namespace: 'default', name: 'two' }, { container: 'a', follow: true, signal: leaves.signal })
      [Symbol.asyncIterator]()
    const first = log.next()
    await until(() => cluster.pods.following === 1)
    leaves.abort()
    expect((await first).done).toBe(true)
    await until(() => cluster.pods.following === 0)
  })

  it('reads an endless log no faster than its reader', async () => {
    const log = client().logs({ namespace: 'default', name: 'odd' }, { container: 'endless' })[Symbol.asyncIterator]()
    await log.next()
    let before = -1
    while (before !== cluster.pods.endlessBytes) {
      before = cluster.pods.endlessBytes
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    expect(before).toBeLessThan(16 * 1024 * 1024)
    await log.return?.()
  })

  it('says in the words of the node why there is no log', async () => {
    const refused = readAll(client().logs({ namespace: 'default', name: 'odd' }, { container: 'waiting' }))
    await expect(refused).rejects.toMatchObject({
      status: { code: 400, message: 'container "waiting" in pod "odd" is waiting to start: ContainerCreating' },
    })
  })

  it('runs a command with its input, output and exit code', async () => {
    let stdout = ''
    let stderr = ''
    const { exitCode } = await client().exec(POD, {
      command: ['sh', '-c', 'cat; echo wrong >&2; exit 3'],
      stdin: (async function* () {
        yield Buffer.from('given')
      })(),
      onStdout: chunk => {
        stdout += Buffer.from(chunk).toString()
      },
      onStderr: chunk => {
        stderr += Buffer.from(chunk).toString()
      },
    })
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 3, stdout: 'given', stderr: 'wrong\n' })
  })

  it('loses nothing of a large output', async () => {
    let length = 0
    const command = ['head', '-c', '20000000', '/dev/zero']
    const { exitCode } = await client().exec(POD, { command, onStdout: chunk => void (length += chunk.length) })
    expect({ exitCode, length }).toEqual({ exitCode: 0, length: 20_000_000 })
  })

  it('ends a command whose caller has gone', async () => {
    const leaves = new AbortController()
    const running = client().exec(POD, { command: ['sleep', '1000'], signal: leaves.signal })
    await until(() => cluster.pods.running.size === 1)
    leaves.abort()
    await expect(running).rejects.toThrow()
    await until(() => cluster.pods.running.size === 0)
  })

  it('tells why a command cannot be run', async () => {
    const missing = client().exec(POD, { command: ['no-such-program'] })
    await expect(missing).rejects.toThrow('no-such-program')
    const waiting = client().exec({ namespace: 'default', name: 'odd' }, { command: ['ls'], container: 'waiting' })
    await expect(waiting).rejects.toThrow('container not found ("waiting")')
  })

  describe('forwarding ports', () => {
    let echo: Server
    let port: number
    const sockets = new Set<Socket>()
    beforeAll(async () => {
      echo = createServer({ allowHalfOpen: true }, socket => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
        socket.pipe(socket)
      })
      echo.listen(0, '127.0.0.1')
      await once(echo, 'listening')
      port = (echo.address() as { port: number }).port
    })
    afterAll(() => {
      echo.close()
    })

    it('connects to a port of the pod', async () => {
      const connection = await client().portForward(POD, port)
      connection.write('hello')
      expect(String((await once(connection, 'data'))[0])).toBe('hello')
      connection.end()
      await until(() => sockets.size === 0)
    })

    it('says that nobody listens', async () => {
      const connection = await client().portForward(POD, 1)
      await expect(readAll(connection as AsyncIterable<Uint8Array>)).rejects.toMatchObject({
        message: expect.stringContaining('connect ECONNREFUSED 127.0.0.1:1'),
      })
    })
  })

  describe('who may', () => {
    it.each(['get', 'create'])('runs nothing for a user that may only %s pods', async verb => {
      const admin = client()
      const name = `only-${verb}`
      await admin.create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name, namespace: 'default' },
        rules: [
          { apiGroups: [''], resources: ['pods'], verbs: ['get', 'create'] },
          { apiGroups: [''], resources: ['pods/exec'], verbs: [verb === 'get' ? 'get' : 'watch'] },
        ],
      } as never)
      await admin.create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name, namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
      } as never)
      const user = cluster.server.client({ name, groups: ['system:authenticated'] })
      await expect(user.exec(POD, { command: ['true'] })).rejects.toMatchObject({
        status: { code: 403, reason: 'Forbidden' },
      })
      await expect(user.portForward(POD, 80)).rejects.toBeInstanceOf(ApiError)
      expect(cluster.pods.running.size).toBe(0)
    })

    /** One request to the node itself. */
    const askNode = (path: string, options: { token?: string; headers?: Record<string, string> } = {}) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const { port, host } = cluster.kubelet
        const headers = { ...options.headers, ...(options.token && { authorization: `Bearer ${options.token}` }) }
        const call = request({ host, port, path, ca: cluster.server.caCertificate, headers, agent: false })
        call.on('response', answer => {
          readAll(answer).then(text => resolve({ status: answer.statusCode, text }), reject)
        })
        call.on('upgrade', (answer, socket) => {
          socket.destroy()
          resolve({ status: answer.statusCode, text: '' })
        })
        call.on('error', reject)
        call.end()
      })

    const UPGRADE = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' }

    it('is asked of everybody that comes to the node', async () => {
      const exec = '/exec/default/one/main?command=true&output=1'
      expect(await askNode('/pods')).toEqual({ status: 401, text: 'Unauthorized' })
      expect(await askNode(exec, { headers: UPGRADE })).toEqual({ status: 401, text: 'Unauthorized' })
      expect(await askNode('/pods', { token: 'nonsense' })).toEqual({ status: 401, text: 'Unauthorized' })
      const review = await client().subresource(
        'create',
        { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' },
        'token',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} },
      )
      const { token } = (review as unknown as { status: { token: string } }).status
      const who = 'user=system:serviceaccount:default:default, verb=get, resource=nodes'
      expect(await askNode('/pods', { token })).toEqual({
        status: 403,
        text: `Forbidden (${who}, subresource(s)=[pods proxy])\n`,
      })
      expect(await askNode(exec, { token, headers: UPGRADE })).toMatchObject({ status: 403 })
    })
  })

  it('tells about itself through the API server', async () => {
    const get = async (path: string) => {
      const { body } = await cluster.server.handle({
        method: 'GET',
        path: `/api/v1/nodes/machine/proxy${path}`,
        query: new URLSearchParams(),
        headers: {},
        body: async () => ({ value: null }),
        user: { name: 'admin', groups: ['system:masters'] },
        signal: new AbortController().signal,
      })
      return body.type === 'stream' ? readAll(body.chunks) : body.type
    }
    expect(await get('/healthz')).toBe('ok')
    expect(JSON.parse(await get('/pods')).items).toHaveLength(3)
    expect(JSON.parse(await get('/stats/summary'))).toMatchObject({ node: { nodeName: 'machine' } })
    expect(await get('/metrics/resource')).toContain('# TYPE container_cpu_usage_seconds_total counter')
    expect(await get('/metrics')).toContain('kubelet_running_pods 0')
    expect(await get('')).toBe('empty')
  })

  it('does not trust a server that is not the node', async () => {
    const stranger = await startTestCluster()
    try {
      await client().create(nodeAt('stranger', stranger.kubelet.port))
      await client().create(podOf('lost', ['main'], 'stranger'))
      await expect(readAll(client().logs({ namespace: 'default', name: 'lost' }))).rejects.toMatchObject({
        status: { code: 500, message: expect.stringContaining('x509: certificate signed by unknown authority') },
      })
    } finally {
      await stranger.stop()
    }
  })

  it('tells that a node cannot be reached', async () => {
    await client().create(nodeAt('dead', 1))
    await client().create(podOf('unreachable', ['main'], 'dead'))
    await client().create(podOf('nowhere', ['main'], 'gone'))
    const lost = { namespace: 'default', name: 'unreachable' }
    const refusal = 'dial tcp 127.0.0.1:1: connect: connection refused'
    await expect(readAll(client().logs(lost))).rejects.toMatchObject({
      status: { code: 500, message: `Get "https://127.0.0.1:1/containerLogs/default/unreachable/main": ${refusal}` },
    })
    await expect(client().exec(lost, { command: ['true'] })).rejects.toMatchObject({
      status: { code: 500, message: `error dialing backend: ${refusal}` },
    })
    await expect(readAll(client().logs({ namespace: 'default', name: 'nowhere' }))).rejects.toMatchObject({
      status: { code: 404, message: 'pods "gone" not found' },
    })
  })
})
