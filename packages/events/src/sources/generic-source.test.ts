import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GrpcProcess, noGrpcServer } from '../testing/grpc-process.ts'
import { genericSource } from './generic-source.ts'
import { SourceStage } from './source-stage.ts'

let stage: SourceStage
beforeEach(() => {
  stage = new SourceStage()
})
afterEach(() => stage.close())

const isActive = () => stage.reports.at(-1)?.state === 'active'

describe.skipIf(noGrpcServer !== '')(`with a gRPC server in Go${noGrpcServer}`, () => {
  let server: GrpcProcess
  // It may have to be built first.
  beforeAll(async () => {
    server = await GrpcProcess.start()
  }, 300_000)
  afterAll(() => server.kill())
  beforeEach(() => void server.calls.splice(0))

  const spec = (script: object, more: object = {}) => ({
    url: server.address,
    insecure: true,
    config: JSON.stringify(script),
    ...more,
  })

  it('asks with its name, its configuration and its token, and makes events of what comes', async () => {
    stage.secrets.set('grpc/token', 't0ken')
    const script = { payloads: ['hello', '', '{"a":1}'], end: 'wait' }
    stage.start(genericSource, spec(script, { metadata: { a: 'b' }, authSecret: { name: 'grpc', key: 'token' } }))
    await stage.until(() => stage.events.length === 3)
    expect(stage.data).toEqual([
      { body: 'aGVsbG8=', metadata: { a: 'b' } },
      { body: null, metadata: { a: 'b' } },
      { body: 'eyJhIjoxfQ==', metadata: { a: 'b' } },
    ])
    expect(server.calls[0]).toMatchObject({
      call: 'StartEventSource',
      name: 'entry',
      config: JSON.stringify(script),
      headers: { authorization: 'Bearer t0ken', 'content-type': 'application/grpc' },
    })
    await stage.stop()
    await stage.until(() => server.calls.some(({ call }) => call === 'left'))
  })

  it('keeps JSON as it was written, and says when it is none', async () => {
    const payloads = ['{"big":9007199254740993}', 'no json', ' [1, 2] ']
    stage.start(genericSource, spec({ payloads }, { jsonBody: true }))
    await stage.until(() => stage.events.length === 2)
    expect(stage.events.map(({ data }) => data)).toEqual(['{"body":{"big":9007199254740993}}', '{"body":[1, 2]}'])
    expect(stage.reports.map(report => ('reason' in report ? report.reason : report.state))).toEqual([
      'active',
      'BadMessage',
      'active',
    ])
  })

  it('takes large messages and many of them, holding the server back', async () => {
    stage.start(genericSource, spec({ payloads: ['x'.repeat(1_000_000)], times: 20 }))
    await stage.until(() => stage.events.length === 20)
    await stage.stop()
    stage.events.length = 0
    stage.start(genericSource, spec({ payloads: ['a', 'b', 'c'], times: 2000 }))
    await stage.until(() => stage.events.length === 6000)
    expect(stage.data.slice(0, 4)).toEqual([{ body: 'YQ==' }, { body: 'Yg==' }, { body: 'Yw==' }, { body: 'YQ==' }])
  })

  it('refuses a message that is larger than gRPC allows', async () => {
    stage.start(genericSource, spec({ payloads: ['x'.repeat(5_000_000)] }))
    await stage.until(() => stage.reports.at(-1)?.state === 'failing')
    expect(stage.reports.at(-1)).toMatchObject({ message: expect.stringContaining('RESOURCE_EXHAUSTED') })
  })

  it.each([
    ['end', 'the server has ended the stream'],
    ['all is lost: 100% grün', 'INTERNAL: all is lost: 100% grün'],
  ])('asks again when the stream ends with %j', async (end, message) => {
    stage.start(genericSource, spec({ payloads: ['a'], end }))
    await stage.until(() => server.calls.length === 3)
    expect(stage.reports).toContainEqual({
      state: 'failing',
      reason: 'NotConnected',
      message: `Gets no events from ${server.address}: ${message}`,
    })
  })

  it('is there again when the server is', async () => {
    stage.start(genericSource, spec({ payloads: ['a'] }))
    await stage.until(() => stage.events.length === 1)
    await server.kill()
    await stage.until(() => stage.reports.at(-1)?.state === 'failing')
    await server.start()
    await stage.until(() => stage.events.length === 2)
    expect(isActive()).toBe(true)
  })

  it('does not speak without TLS unless it is told to', async () => {
    stage.start(genericSource, spec({ payloads: ['a'] }, { insecure: false }))
    await stage.until(() => stage.reports.at(-1)?.state === 'failing')
    expect(server.calls.filter(({ call }) => call !== 'left')).toEqual([])
  })
})

it('says so when the server is something else', async () => {
  const web = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
  await new Promise(resolve => web.once('listening', resolve))
  const { port } = web.address() as AddressInfo
  stage.start(genericSource, { url: `127.0.0.1:${port}`, insecure: true, config: '{}' })
  await stage.until(() => stage.reports.some(({ state }) => state === 'failing'))
  await stage.stop()
  await new Promise(resolve => web.close(resolve))
})

it('checks know what is missing and what is wrong', () => {
  const problems = (spec: object) => genericSource.check(spec).map(({ path, message }) => `${path} ${message}`)
  expect(problems({})).toEqual(["url server url can't be empty", "config config can't be empty"])
  expect(problems({ url: 'http://a/b', config: 'x' })).toEqual([
    'url "http://a/b" is no address of a gRPC server: it is HOST:PORT',
  ])
  expect(problems({ url: 'dns:///server.ns.svc:8080', config: 'x', insecure: true, jsonBody: true })).toEqual([])
})
