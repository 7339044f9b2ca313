import { gzipSync } from 'node:zlib'
import { VirtualClock } from '@tiphys/env'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { type Answer, type AnsweringServer, answeringServer, sendJson, testCertificate } from './answering-server.ts'
import { ApiError, ConnectionFailure } from './api-error.ts'
import { type Credential, fixedCredential } from './credentials.ts'
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts'
import type { Transport } from './transport.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function serve(answer: Answer, options: Partial<HttpTransportOptions> & { tls?: boolean } = {}) {
  const { tls = false, ...rest } = options
  const server = await answeringServer(answer, { tls })
  open.push(server)
  return { server, transport: transportTo(server, { ...(tls && { ca: testCertificate('ca.crt') }), ...rest }) }
}

function transportTo(server: AnsweringServer, options: Partial<HttpTransportOptions> = {}): Transport {
  const transport = createHttpTransport({ server: server.url, ...options })
  open.push(transport)
  return transport
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

const GET = { method: 'GET', path: '/api' } as const

describe('a request', () => {
  it('carries path, query, headers and a body with its length', async () => {
    const { server, transport } = await serve((_, response) => sendJson(response, { ok: true }))
    await transport.request({
      method: 'DELETE',
      path: '/api/v1/namespaces/a%20b',
      query: { command: ['a', 'b&c'], dryRun: undefined, labelSelector: 'a in (b)' },
      headers: { 'impersonate-group': ['x', 'y'] },
      body: { a: 'é', big: 9223372036854775807n },
    })
    const [request] = server.requests
    expect(request?.method).toBe('DELETE')
    expect(request?.url).toBe('/api/v1/namespaces/a%20b?command=a&command=b%26c&labelSelector=a+in+%28b%29')
    expect(request?.body).toBe('{"a":"é","big":9223372036854775807}')
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(request?.body ?? '')))
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.headers['impersonate-group']).toBe('x, y')
  })

  it('reads JSON, text and compressed answers, and reports any status', async () => {
    const { transport } = await serve(({ url }, response) => {
      if (url === '/text') return response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
      if (url === '/empty') return response.writeHead(500).end()
      const body = gzipSync('{"big":9007199254740993}')
      response.writeHead(404, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
    })
    expect(await transport.request({ method: 'GET', path: '/text' })).toMatchObject({ status: 200, body: 'ok' })
    expect(await transport.request({ method: 'GET', path: '/empty' })).toMatchObject({ status: 500, body: '' })
    expect(await transport.request(GET)).toMatchObject({ status: 404, body: { big: 9007199254740993n } })
  })

  it('uses one connection again and again', async () => {
    const { server, transport } = await serve((_, response) => sendJson(response, {}))
    for (let i = 0; i < 5; i++) await transport.request(GET)
    expect(server.connections).toBe(1)
  })

  it('goes below the path of the server', async () => {
    const { server } = await serve((_, response) => sendJson(response, {}))
    const transport = createHttpTransport({ server: `${server.url}/k8s/clusters/c-1/` })
    open.push(transport)
    await transport.request(GET)
    expect(server.requests[0]?.url).toBe('/k8s/clusters/c-1/api')
  })

  it('follows no redirect', async () => {
    const { server, transport } = await serve((_, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect((await transport.request(GET)).status).toBe(302)
    expect(server.requests).toHaveLength(1)
  })

  it('is a ConnectionFailure when nobody listens', async () => {
    const { server, transport } = await serve(() => {})
    await server.close()
    await expect(transport.request(GET)).rejects.toThrow(ConnectionFailure)
    await expect(transport.request(GET)).rejects.toThrow(
      /no answer from http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    )
  })

  it('is a ConnectionFailure when the connection breaks inside the answer', async () => {
    const { transport } = await serve((_, response, raw) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"a":', () => raw.socket.destroy())
    })
    await expect(transport.request(GET)).rejects.toThrow(ConnectionFailure)
  })

  it('gives up on a server that stays silent', async () => {
    const clock = new VirtualClock()
    const asked = withSignal()
    const { transport } = await serve(() => asked.set(), { clock, silenceMs: 5000 })
    const answer = transport.request(GET)
    answer.catch(() => {})
    await asked.happened
    await clock.advance(5001)
    await expect(answer).rejects.toThrow('no answer within 5000 ms')
  })

  it('gives up on an answer that stops', async () => {
    const clock = new VirtualClock()
    const stopped = withSignal()
    const { transport } = await serve(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"a":', () => stopped.set())
      },
      { clock, silenceMs: 5000 },
    )
    const answer = transport.request(GET)
    answer.catch(() => {})
    await stopped.happened
    while (clock.waiting === 0) await clock.advance(0)
    await clock.advance(6000)
    await expect(answer).rejects.toThrow(ConnectionFailure)
  })

  it('refuses an answer that is larger than it can be', async () => {
    const { transport } = await serve((_, response) => sendJson(response, { a: 'x'.repeat(5000) }), {
      largestAnswerBytes: 1000,
    })
    await expect(transport.request(GET)).rejects.toThrow('the answer is larger than 1000 bytes')
  })

  it('refuses a small answer that unpacks to a large one', async () => {
    const { transport } = await serve(
      (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(JSON.stringify('x'.repeat(1_000_000)))),
      { largestAnswerBytes: 100_000 },
    )
    await expect(transport.request(GET)).rejects.toThrow(ConnectionFailure)
  })

  it('ends with the reason of its signal', async () => {
    const asked = withSignal()
    const { transport } = await serve(() => asked.set())
    const controller = new AbortController()
    const answer = transport.request({ ...GET, signal: controller.signal })
    answer.catch(() => {})
    await asked.happened
    controller.abort(new Error('changed my mind'))
    await expect(answer).rejects.toThrow('changed my mind')
  })

  it('that only reads is sent once more when the kept connection turns out to be closed', async () => {
    let answers = 0
    const { server, transport } = await serve((_, response, raw) => {
      if (++answers === 2) return raw.socket.resetAndDestroy()
      sendJson(response, { answers })
    })
    await transport.request(GET)
    expect((await transport.request(GET)).body).toEqual({ answers: 3 })
    expect(server.requests).toHaveLength(3)
  })

  it('that writes is never sent twice', async () => {
    let answers = 0
    const { server, transport } = await serve((_, response, raw) => {
      if (++answers === 2) return raw.socket.resetAndDestroy()
      sendJson(response, {})
    })
    const post = { method: 'POST', path: '/api', body: {} } as const
    await transport.request(post)
    await expect(transport.request(post)).rejects.toThrow(ConnectionFailure)
    expect(server.requests).toHaveLength(2)
  })

  it('is refused after close, and what runs ends with it', async () => {
    const asked = withSignal()
    const { transport } = await serve(() => asked.set())
    const running = transport.request(GET)
    running.catch(() => {})
    await asked.happened
    await transport.close()
    await expect(running).rejects.toThrow(ConnectionFailure)
    await expect(transport.request(GET)).rejects.toThrow('this connection was closed')
  })
})

describe('a stream', () => {
  const events = [
    { type: 'ADDED', object: { name: 'ü' } },
    { type: 'BOOKMARK', object: { name: '😀' } },
  ]
  const bytes = Buffer.from(events.map(event => `${JSON.stringify(event)}\n`).join(''))

  it('is read whatever the pieces it arrives in', async () => {
    const { transport } = await serve(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      for (const byte of bytes) {
        response.write(Uint8Array.of(byte))
        await new Promise(resolve => setImmediate(resolve))
      }
      response.end()
    })
    expect(await collect(transport.stream(GET))).toEqual(events)
  })

  it('gives its events before the connection breaks, then throws', async () => {
    const { transport } = await serve((_, response, raw) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(bytes.subarray(0, bytes.length - 3), () => raw.socket.destroy())
    })
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const event of transport.stream(GET)) seen.push(event)
    })()
    await expect(reading).rejects.toThrow(ConnectionFailure)
    expect(seen).toEqual([events[0]])
  })

  it('throws when the server ends it inside an event', async () => {
    const { transport } = await serve((_, response) => response.writeHead(200).end('{"type":"ADD'))
    await expect(collect(transport.stream(GET))).rejects.toThrow('the stream ended inside an event')
  })

  it('that is refused is an ApiError with the server’s Status', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, message: 'too old', reason: 'Expired', code: 410 }
    const { transport } = await serve((_, response) => sendJson(response, status, 410))
    const failure = await collect(transport.stream(GET)).catch(thrown => thrown)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure.status).toEqual(status)
  })

  it('gives its connection back when the reader stops', async () => {
    const closed = withSignal()
    const { transport } = await serve((_, response) => {
      response.on('close', () => closed.set())
      response.writeHead(200).write(bytes)
    })
    for await (const event of transport.stream(GET)) {
      expect(event).toEqual(events[0])
      break
    }
    await closed.happened
  })
})

describe('credentials', () => {
  function rotating(values: Credential[]) {
    let at = 0
    return {
      current: async () => values[Math.min(at, values.length - 1)] as Credential,
      refused: () => {
        at++
      },
    }
  }
  const whoAmI: Answer = ({ headers }, response) =>
    headers.authorization === 'Bearer new'
      ? sendJson(response, { who: 'me' })
      : sendJson(response, { kind: 'Status' }, 401)

  it('are replaced once when the server refuses them and there are newer ones', async () => {
    const credentials = rotating([{ authorization: 'Bearer old' }, { authorization: 'Bearer new' }])
    const { server, transport } = await serve(whoAmI, { tls: true, credentials })
    const post = { method: 'POST', path: '/api', body: { a: 1 } } as const
    expect(await transport.request(post)).toMatchObject({ status: 200, body: { who: 'me' } })
    expect(server.requests.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}'])
  })

  it('that stay the same are not tried again', async () => {
    const { server, transport } = await serve(whoAmI, {
      tls: true,
      credentials: fixedCredential({ authorization: 'Bearer old' }),
    })
    expect((await transport.request(GET)).status).toBe(401)
    expect(server.requests).toHaveLength(1)
  })

  it('are never sent in the clear', async () => {
    const { server, transport } = await serve((_, response) => sendJson(response, {}), {
      credentials: fixedCredential({ authorization: 'Bearer secret' }),
    })
    await transport.request(GET)
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
  })

  it('may be a client certificate', async () => {
    const certificate = { cert: testCertificate('client.crt'), key: testCertificate('client.key') }
    const { server, transport } = await serve((_, response) => sendJson(response, {}), {
      tls: true,
      credentials: fixedCredential({ certificate }),
    })
    await transport.request(GET)
    expect(server.requests[0]?.certificate).toBe('tester')
  })
})

describe('TLS', () => {
  const ok: Answer = (_, response) => sendJson(response, {})

  it('trusts the given authority alone', async () => {
    const { server } = await serve(ok, { tls: true })
    await expect(transportTo(server).request(GET)).rejects.toThrow(ConnectionFailure)
  })

  it('trusts everybody when told to', async () => {
    const { server } = await serve(ok, { tls: true })
    expect((await transportTo(server, { insecureSkipTlsVerify: true }).request(GET)).status).toBe(200)
  })

  it('expects the name it was told', async () => {
    const { server } = await serve(ok, { tls: true })
    const ca = testCertificate('ca.crt')
    expect((await transportTo(server, { ca, serverName: 'kube.test' }).request(GET)).status).toBe(200)
    await expect(transportTo(server, { ca, serverName: 'other.test' }).request(GET)).rejects.toThrow(/other\.test/)
  })
})

describe('an upgrade', () => {
  it('carries messages both ways under the protocol that the server chose', async () => {
    const { server, transport } = await serve(() => {}, {
      tls: true,
      credentials: fixedCredential({ authorization: 'Bearer t' }),
    })
    const sockets = new WebSocketServer({ server: server.server, handleProtocols: offered => [...offered][1] ?? false })
    sockets.on('connection', (socket, request) => {
      socket.send(Buffer.from(request.headers.authorization ?? ''))
      socket.on('message', message => socket.send(message))
    })
    const { protocol, socket } = await transport.upgrade(GET, ['v5.channel.k8s.io', 'v4.channel.k8s.io'])
    expect(protocol).toBe('v4.channel.k8s.io')
    socket.write(Buffer.from('one'))
    socket.write(Buffer.from('two'))
    const seen: string[] = []
    for await (const message of socket as AsyncIterable<Buffer>) {
      seen.push(message.toString())
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['Bearer t', 'one', 'two'])
    sockets.close()
  })

  it('that is refused is an ApiError', async () => {
    const { server, transport } = await serve(() => {})
    server.server.on('upgrade', (_request, socket) => {
      const body = JSON.stringify({ kind: 'Status', message: 'pods "x" not found', reason: 'NotFound', code: 404 })
      socket.end(
        `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    })
    await expect(transport.upgrade(GET, ['v5.channel.k8s.io'])).rejects.toThrow('pods "x" not found')
  })
})

function withSignal() {
  let set!: () => void
  const happened = new Promise<void>(resolve => {
    set = resolve
  })
  return { happened, set }
}
