import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { RetryableFailure, silentLog, systemRandom, TerminalFailure, VirtualClock } from '@tiphys/env'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpSpec, httpTrigger } from './http-trigger.ts'
import type { TriggerHost } from './trigger.ts'
import { triggerHost } from './trigger-scene.ts'

interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

let received: Received[]
let answer: (response: ServerResponse) => void
let port: number
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    const { method = '', url = '', headers } = request
    received.push({ method, url, headers, body })
    answer(response)
  })
})

beforeEach(async () => {
  received = []
  answer = response => response.end('fine')
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

const access = { outbound: { allow: LOOPBACK_RANGES } }
const run = (spec: HttpSpec, more: Partial<TriggerHost> = {}) =>
  httpTrigger.execute({ url: `http://127.0.0.1:${port}/hook?a=1`, ...spec }, triggerHost({ access, ...more }))
const failing = (spec: HttpSpec, more: Partial<TriggerHost> = {}) => run(spec, more).catch((thrown: unknown) => thrown)
const answering = (status: number, headers = {}, body = '') => {
  answer = response => response.writeHead(status, headers).end(body)
}

describe('the request', () => {
  it('is a POST of the payload, with a key that is the same on every repeat', async () => {
    const payload = [
      { src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'value' },
      { src: { dependencyName: 'dep', dataKey: 'body.count', useRawData: true }, dest: 'count' },
    ]
    const outcome = await run({ payload })
    await run({ payload })
    expect(outcome).toEqual({
      summary: `POST http://127.0.0.1:${port}/hook?a=1 was answered with 200`,
      status: 200,
      body: 'fine',
    })
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(2).fill('0123456789abcdef0123456789abcdef'),
    )
    expect(received[0]).toMatchObject({ method: 'POST', url: '/hook?a=1', body: '{"value":"seven","count":7}' })
  })

  it('has headers from the manifest, from events and from Secrets, basic authentication and another host', async () => {
    await run({
      method: 'PUT',
      host: 'elsewhere.test',
      headers: { 'X-Fixed': 'a', 'x-twice': 'first' },
      dynamicHeaders: [
        { src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'X-Dynamic' },
        { src: { dependencyName: 'other', dataKey: 'body' }, dest: 'X-Absent' },
      ],
      secureHeaders: [
        { name: 'X-Twice', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'X-Config', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
      ],
      basicAuth: { username: { name: 'b', key: 'user' }, password: { name: 'b', key: 'pass' } },
    })
    expect(received[0]).toMatchObject({ method: 'PUT', body: '' })
    expect(received[0]?.headers).toMatchObject({
      host: 'elsewhere.test',
      'x-fixed': 'a',
      'x-dynamic': 'seven',
      'x-twice': 'secret s/k',
      'x-config': 'config c/k',
      authorization: `Basic ${Buffer.from('secret b/user:secret b/pass').toString('base64')}`,
    })
    expect(received[0]?.headers['x-absent']).toBeUndefined()
  })

  it('goes where parameters lead it', async () => {
    const parameters = [{ src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'url', operation: 'append' }]
    await run({ url: `http://127.0.0.1:${port}/number/`, parameters })
    expect(received[0]?.url).toBe('/number/seven')
  })

  it('is not made when a value is missing', async () => {
    const payload = [{ src: { dependencyName: 'dep', dataKey: 'body.none' }, dest: 'value' }]
    expect(await failing({ payload })).toMatchObject({ code: 'trigger-invalid', what: 'The payload cannot be made' })
    expect(received).toEqual([])
  })

  it('is not made with headers that would be two', async () => {
    expect(await failing({ headers: { 'X-Bad': 'a\r\nX-Injected: b' } })).toMatchObject({ code: 'outbound-invalid' })
    expect(received).toEqual([])
  })
})

describe('the answer', () => {
  it.each([400, 404, 500])('%d is a failure, with what the receiver says', async status => {
    answering(status, {}, 'because')
    const failure = await failing({})
    expect(failure).toBeInstanceOf(TerminalFailure)
    expect(failure).toMatchObject({ message: `The receiver answered with the status ${status}: because` })
  })

  it.each([429, 503])('%d is tried again', async status => {
    answering(status)
    expect(await failing({})).toBeInstanceOf(RetryableFailure)
  })

  it('is what the policy allows, and nothing else', async () => {
    const policy = { status: { allow: [404] } }
    expect(await failing({}, { policy })).toMatchObject({
      what: 'policy application resulted in failure. http response status 200 is not allowed',
    })
    answering(404)
    expect(await run({}, { policy })).toMatchObject({ status: 404 })
  })

  it('is read up to a limit', async () => {
    answering(200, {}, 'x'.repeat(1_000_000))
    expect((await run({})).body).toHaveLength(65_536)
  })

  it('may take as long as the timeout says', async () => {
    const clock = new VirtualClock()
    answer = () => void clock.advance(2000)
    const failure = await failing({ timeout: 2 }, { env: { clock, random: systemRandom, log: silentLog } })
    expect(failure).toBeInstanceOf(TerminalFailure)
    expect(failure).toMatchObject({ code: 'outbound-no-answer', why: 'there was no answer within 2 s' })
  })

  it('that never comes is a failure for good, for nobody knows what the receiver did', async () => {
    answer = response => response.destroy()
    expect(await failing({})).toMatchObject({ code: 'outbound-no-answer' })
  })

  it('that cannot come yet is waited for', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port: unused } = closed.address() as AddressInfo
    await new Promise(resolve => closed.close(resolve))
    const failure = await failing({ url: `http://127.0.0.1:${unused}/` })
    expect(failure).toBeInstanceOf(RetryableFailure)
    expect(failure).toMatchObject({ code: 'outbound-not-reached', why: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('forged requests', () => {
  it('are not sent to this machine unless that is allowed', async () => {
    for (const host of ['127.0.0.1', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]'])
      expect(await failing({ url: `http://${host}:${port}/` }, { access: {} })).toMatchObject({
        code: 'outbound-address-refused',
      })
    expect(received).toEqual([])
  })

  it('are not made of redirects', async () => {
    answering(302, { location: `http://127.0.0.1:${port}/secret` })
    expect(await failing({})).toMatchObject({
      what: 'The receiver answered with the status 302, and redirects are not followed',
    })
    expect(received.map(({ url }) => url)).toEqual(['/hook?a=1'])
  })

  it('are not made of a name that means another address the second time', async () => {
    const answers = ['127.0.0.1', '127.0.0.2']
    const resolve = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([{ address: answers.shift() ?? '', family: 4 }])
    const outbound = { allow: ['127.0.0.1/32'], resolve }
    await run({ url: `http://moving.test:${port}/` }, { access: { outbound } })
    expect(received[0]?.headers.host).toBe(`moving.test:${port}`)
    expect(answers).toEqual(['127.0.0.2'])
    expect(await failing({ url: `http://moving.test:${port}/` }, { access: { outbound } })).toMatchObject({
      code: 'outbound-address-refused',
    })
  })
})

it('says what is wrong with a manifest', () => {
  expect(httpTrigger.check({ url: 'file:///etc/passwd', metod: 'GET' } as HttpSpec)).toEqual([
    { path: 'metod', message: 'unknown field "metod"', severity: 'warning' },
    { path: 'url', message: '"file:///etc/passwd" cannot be requested: only http and https are', severity: 'error' },
  ])
})
