import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { createApiServer } from '@tiphys/apiserver'
import { systemEnv, VirtualClock } from '@tiphys/env'
import type { Container } from '@tiphys/kube/kinds'
import { afterEach, describe, expect, it } from 'vitest'
import type { RunningContainer, Sandbox } from '../../runtime/pod-runtime.ts'
import { checkGrpc, checkHttp, checkTcp } from './container-check.ts'
import { runHook } from './lifecycle-hook.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const listen = (server: Server): Promise<number> => {
  servers.push(server)
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}

/** A pod on this machine's loopback. */
const target = (ports: NonNullable<Container['ports']> = []) => ({
  container: { name: 'main', ports } as Container,
  running: {} as RunningContainer,
  sandbox: {
    ips: ['127.0.0.1'],
    dial: (port: number, host = '127.0.0.1') =>
      new Promise((resolve, reject) => {
        const socket = connect(port, host)
        socket.once('connect', () => resolve(socket)).once('error', reject)
      }),
  } as unknown as Sandbox,
})
const forever = new AbortController().signal

describe('a check over HTTP', () => {
  it('speaks HTTPS to a server that nobody vouches for', async () => {
    const api = await createApiServer()
    const { certificate, key } = api.issueServingCertificate({ name: 'any', hosts: ['elsewhere.example'] })
    await api.close()
    const port = await listen(createHttpsServer({ cert: certificate, key }, (_, response) => response.end('ok')))
    expect(await checkHttp(target(), { port, scheme: 'HTTPS' }, forever)).toMatchObject({ isSuccess: true })
  })

  it('finds a port by its name and says what was wrong', async () => {
    const port = await listen(
      createHttpServer((request, response) => response.writeHead(request.url === '/up' ? 302 : 503).end()),
    )
    const pod = target([{ name: 'web', containerPort: port }])
    expect(await checkHttp(pod, { port: 'web', path: 'up' }, forever)).toMatchObject({ isSuccess: true })
    expect(await checkHttp(pod, { port: 'web' }, forever)).toMatchObject({
      isSuccess: false,
      output: 'HTTP probe failed with statuscode: 503',
    })
    await expect(checkTcp(pod, { port: 'none' })).rejects.toThrow('couldn\'t find port: "none"')
  })

  it('ends with its time', async () => {
    const port = await listen(createHttpServer(() => {}))
    const { output } = await checkHttp(target(), { port }, AbortSignal.timeout(20))
    expect(output).toContain('context deadline exceeded (Client.Timeout exceeded while awaiting headers)')
  })
})

describe('a check over gRPC', () => {
  /** A server with the health service; undefined where it does not know it. */
  const serve = (status: number | undefined) =>
    listen(
      createHttp2Server().on('stream', (stream: ServerHttp2Stream) => {
        if (status === undefined) {
          stream.respond(
            {
              ':status': 200,
              'content-type': 'application/grpc',
              'grpc-status': '12',
              'grpc-message': 'unknown service',
            },
            { endStream: true },
          )
          return
        }
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
        stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, status]))
      }),
    )

  it('succeeds when the server says that it serves', async () => {
    expect(await checkGrpc(target(), { port: await serve(1), service: 'cache' }, forever)).toEqual({
      isSuccess: true,
      output: '',
    })
  })

  it('fails when it does not serve, has no health service or is not there', async () => {
    expect((await checkGrpc(target(), { port: await serve(2) }, forever)).output).toBe(
      'service unhealthy (responded with "NOT_SERVING")',
    )
    expect((await checkGrpc(target(), { port: await serve(undefined) }, forever)).output).toBe(
      'error: health rpc probe failed: unknown service',
    )
    expect((await checkGrpc(target(), { port: 1 }, forever)).output).toContain(
      'failed to connect service "127.0.0.1:1"',
    )
  })
})

describe('a hook', () => {
  it('over HTTP succeeds with any answer', async () => {
    const port = await listen(createHttpServer((_, response) => response.writeHead(500).end()))
    expect(await runHook(systemEnv, target(), { httpGet: { port } }, forever)).toBe(true)
    expect(await runHook(systemEnv, target(), { httpGet: { port: 1 } }, forever)).toBe(false)
  })

  it('that sleeps takes its time, unless the container ends', async () => {
    const clock = new VirtualClock()
    const env = { ...systemEnv, clock }
    const slept = runHook(env, target(), { sleep: { seconds: 5 } }, forever)
    await clock.advance(5000)
    expect(await slept).toBe(true)
    const ended = new AbortController()
    const cut = runHook(env, target(), { sleep: { seconds: 5 } }, ended.signal)
    ended.abort()
    expect(await cut).toBe(false)
  })
})
