import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { BusFull } from '../bus/bus-failures.ts'
import type { HttpLimits } from './http-host.ts'
import { SourceStage } from './source-stage.ts'
import { type WebhookSpec, webhookSource } from './webhook-source.ts'

let stage: SourceStage
let url: string

afterEach(() => stage.close())

async function serve(spec: WebhookSpec = {}, limits: Partial<HttpLimits> = {}): Promise<void> {
  stage = new SourceStage(limits)
  const { listen } = stage.http
  stage.http.listen = async route => {
    const listening = await listen(route)
    url = listening.url
    return listening
  }
  stage.secrets.set('tokens/token', 'secret-token')
  stage.start(webhookSource, { endpoint: '/hook', method: 'POST', port: '0', ...spec })
  while (stage.reports.length === 0) await new Promise<void>(resolve => setImmediate(resolve))
}

async function send(init: RequestInit = {}, to = url): Promise<[number, string]> {
  const response = await fetch(to, { method: 'POST', ...init })
  return [response.status, await response.text()]
}

/** What a server answers to bytes that no proper client would send. */
function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', error => (answer === '' ? reject(error) : resolve(answer)))
  })
}

describe('a request', () => {
  it('becomes an event before it is answered with success', async () => {
    await serve({ metadata: { team: 'a' } })
    const body = '{"a":1,"big":12345678901234567890}'
    expect(await send({ body, headers: { 'content-type': 'application/json', 'x-custom': 'v' } })).toEqual([
      200,
      'success',
    ])
    expect(stage.events).toHaveLength(1)
    expect(stage.events[0]?.data).toContain('"big":12345678901234567890')
    expect(stage.events[0]?.id).toMatch(/^[0-9a-f]{32}$/)
    expect(stage.data[0]).toMatchObject({
      header: { 'Content-Type': ['application/json'], 'X-Custom': ['v'] },
      body: { a: 1 },
      metadata: { team: 'a' },
    })
    expect(Object.keys((stage.data[0] as { header: object }).header)).not.toContain('Host')
  })

  it('is work until the bus has taken it', async () => {
    await serve()
    let take = () => {}
    stage.publish = () => new Promise(resolve => (take = () => resolve('stored')))
    const answered = send({ body: '{}' })
    await stage.until(() => !stage.isIdle)
    take()
    expect(await answered).toEqual([200, 'success'])
    expect(stage.isIdle).toBe(true)
  })

  it('by GET has its query as the body', async () => {
    await serve({ method: 'GET' })
    expect(await send({ method: 'GET' }, `${url}?b=2&a=1&b=3`)).toEqual([200, 'success'])
    expect(stage.data[0]).toMatchObject({ body: { a: ['1'], b: ['2', '3'] } })
    expect(stage.data[0]).not.toHaveProperty('metadata')
  })

  it('with a form has the form as the body', async () => {
    await serve()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await send({ body: 'a=1&b=x%20y&a=2', headers })).toEqual([200, 'success'])
    expect(stage.data[0]).toMatchObject({ body: { a: ['1', '2'], b: ['x y'] } })
  })

  it('that is repeated under its key is one event', async () => {
    await serve()
    for (let i = 0; i < 2; i++)
      expect(await send({ body: '{}', headers: { 'idempotency-key': 'k1' } })).toEqual([200, 'success'])
    expect(stage.events).toHaveLength(1)
  })
})

describe('it refuses', () => {
  it.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['bytes', new Uint8Array([0, 255, 254, 1])],
    ['half of a JSON text', '{"a":'],
  ])('%s with 400', async (_, body) => {
    await serve()
    const [status, text] = await send({ body })
    expect([status, text.slice(0, 19)]).toEqual([400, 'the body is no JSON'])
    expect(stage.events).toEqual([])
  })

  it('another method and another path', async () => {
    await serve()
    expect(await send({ method: 'PUT', body: '{}' })).toEqual([400, 'http method does not match'])
    expect(await send({ body: '{}' }, `${url}/more`)).toEqual([404, '404 page not found\n'])
  })

  it('a method that upstream does not serve', async () => {
    await serve({ method: 'PUT' })
    expect(await send({ method: 'PUT', body: '{}' })).toEqual([400, 'unsupoorted method: PUT'])
  })

  it('a body that is too large, before it is read', async () => {
    await serve({ maxPayloadSize: 1000 })
    expect(await send({ body: `"${'x'.repeat(998)}"` })).toEqual([200, 'success'])
    const [status] = await send({ body: `"${'x'.repeat(999)}"` })
    expect(status).toBe(413)
    const head = 'POST /hook HTTP/1.1\r\nHost: x\r\n'
    expect(await raw(`${head}Content-Length: 1000000000\r\n\r\n`)).toMatch(/^HTTP\/1.1 413 /)
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).toMatch(/^HTTP\/1.1 413 /)
    expect(stage.events).toHaveLength(1)
  })

  it('a body that does not come, with 408', async () => {
    await serve()
    const answer = raw('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"a"')
    while (stage.clock.waiting === 0) await new Promise<void>(resolve => setImmediate(resolve))
    await stage.clock.advance(30_000)
    expect(await answer).toMatch(/^HTTP\/1.1 408 /)
  })

  it('headers that do not come, with 408; a connection that asks for nothing ends without an answer', async () => {
    await serve({}, { headersTimeoutMs: 20 })
    expect(await raw('POST /hook HTTP/1.1\r\nHost: x\r\n')).toMatch(/^HTTP\/1.1 408 /)
    expect(await raw('')).toBe('')
  })

  it('more at once than it can hold, with 429', async () => {
    await serve({}, { bytes: 1000 })
    const head = 'POST /hook HTTP/1.1\r\nHost: x\r\n'
    expect(await raw(`${head}Content-Length: 2000\r\n\r\n${'x'.repeat(2000)}`)).toMatch(
      /^HTTP\/1.1 429 [^]*retry-after: 1/,
    )
    expect(await send({ body: '{}' })).toEqual([200, 'success'])
  })

  it('what the bus does not take, with 503', async () => {
    await serve()
    stage.refusal = new BusFull('slow', 7, 'it holds 7 events')
    expect(await send({ body: '{}' })).toEqual([503, 'failed to record event'])
    stage.refusal = new Error('broken')
    expect(await send({ body: '{}' })).toEqual([500, 'failed to record event'])
  })
})

describe('a token', () => {
  const authSecret = { name: 'tokens', key: 'token' }

  it('is asked for before the body, and does not reach the event', async () => {
    await serve({ authSecret })
    expect(await send({ body: '{}' })).toEqual([401, 'Invalid Authorization Header'])
    expect(await send({ body: '{}', headers: { authorization: 'Basic x' } })).toEqual([
      401,
      'Invalid Authorization Header',
    ])
    expect(await send({ body: '{}', headers: { authorization: 'Bearer wrong' } })).toEqual([401, 'Invalid Auth token'])
    expect(await raw('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n')).toMatch(/^HTTP\/1.1 401 /)
    expect(await send({ body: '{}', headers: { authorization: 'Bearer secret-token' } })).toEqual([200, 'success'])
    expect(stage.events).toHaveLength(1)
    expect(stage.data[0]).toMatchObject({ header: { Authorization: ['*** Masked Auth Secret ***'] } })
    expect(stage.events[0]?.data).not.toContain('secret-token')
  })

  it('that changes counts from the next request on; one that is missing lets nobody in', async () => {
    await serve({ authSecret })
    stage.secrets.set('tokens/token', 'new')
    expect(await send({ body: '{}', headers: { authorization: 'Bearer new' } })).toEqual([200, 'success'])
    stage.secrets.clear()
    expect(await send({ body: '{}', headers: { authorization: 'Bearer new' } })).toEqual([
      500,
      'Error loading auth token',
    ])
  })

  it('is masked also where none is asked for', async () => {
    await serve()
    await send({ body: '{}', headers: { authorization: 'Bearer other' } })
    expect(stage.events[0]?.data).not.toContain('other')
  })
})

describe('a port', () => {
  it('tells its health, and is shared by entries', async () => {
    await serve()
    const health = new URL('/health', url).href
    expect(await send({ method: 'GET' }, health)).toEqual([200, 'OK'])
    const second = await stage.http.listen({
      port: 0,
      path: '/second',
      method: 'GET',
      bodyLimit: 1,
      handle: async () => ({ status: 200, body: 'second' }),
    })
    expect(new URL(second.url).port).toBe(new URL(url).port)
    expect(await send({ method: 'GET' }, second.url)).toEqual([200, 'second'])
    await second.stop()
    expect((await send({ method: 'GET' }, second.url))[0]).toBe(404)
    await stage.stop()
    await expect(fetch(health)).rejects.toThrow()
  })

  it('serves paths of a kind by one entry, and what another entry names by that one', async () => {
    await serve({ endpoint: '/hook/{id}' })
    const at = (path: string) => new URL(path, url).href
    const second = await stage.http.listen({
      port: 0,
      path: '/hook/own',
      method: 'POST',
      bodyLimit: 1,
      handle: async () => ({ status: 200, body: 'second' }),
    })
    expect(await send({ body: '{"a":1}' }, at('/hook/7'))).toEqual([200, 'success'])
    expect(await send({}, at('/hook/own'))).toEqual([200, 'second'])
    expect((await send({ body: '{}' }, at('/hook/7/more')))[0]).toBe(404)
    // As upstream: nothing of the path is in the event.
    expect(stage.data).toEqual([{ header: expect.any(Object), body: { a: 1 } }])
    await second.stop()
  })

  it('that is taken is reported and waited for', async () => {
    await serve()
    const first = stage
    const { port } = new URL(url)
    const second = new SourceStage()
    second.start(webhookSource, { endpoint: '/hook', method: 'POST', port })
    while (second.reports.length === 0) await new Promise<void>(resolve => setImmediate(resolve))
    expect(second.reports[0]).toMatchObject({ state: 'failing', reason: 'NotServing' })
    await first.close()
    await second.clock.advance(1000)
    while (second.reports.length < 2) await new Promise<void>(resolve => setImmediate(resolve))
    expect(second.reports.at(-1)).toEqual({ state: 'active' })
    await second.close()
  })
})

it('checks an entry', () => {
  const check = (spec: object) => webhookSource.check(spec).map(({ path, severity }) => `${severity} ${path}`)
  expect(check({ endpoint: '/a', method: 'POST', port: '12000', url: 'x', filter: { expression: 'true' } })).toEqual([])
  expect(check({ method: 'POST' })).toEqual(['error endpoint', 'error port'])
  expect(check({ endpoint: '/a/{id', method: 'POST', port: '1' })).toEqual(['error endpoint'])
  expect(check({ endpoint: 'a', method: 'PUT', port: 'http', serverCertSecret: { key: 'a' }, endpiont: '' })).toEqual([
    'warning endpiont',
    'error endpoint',
    'error port',
    'warning method',
    'error serverCertSecret',
  ])
})
