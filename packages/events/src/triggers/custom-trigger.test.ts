import { RetryableFailure, systemClock, TerminalFailure, VirtualClock } from '@tiphys/env'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificates } from '../testing/certificates.ts'
import { GrpcProcess, noGrpcServer } from '../testing/grpc-process.ts'
import { type CustomSpec, createCustomTrigger } from './custom-trigger.ts'
import type { TriggerHost } from './trigger.ts'
import { triggerHost } from './trigger-scene.ts'

const access = { outbound: { allow: LOOPBACK_RANGES } }
const payload = [{ src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'value' }]

describe.skipIf(noGrpcServer !== '')(`with a gRPC server in Go${noGrpcServer}`, () => {
  let server: GrpcProcess
  beforeAll(async () => {
    server = await GrpcProcess.start()
  }, 300_000)
  afterAll(() => server.kill())
  beforeEach(() => void server.calls.splice(0))

  const execute = (more: Partial<CustomSpec> = {}, host: Partial<TriggerHost> = {}) =>
    createCustomTrigger().execute(
      { serverURL: server.address, spec: { kind: 'thing', about: 'it' }, payload, ...more },
      triggerHost({ access, ...host }),
    )

  it('fetches, executes and applies the policy, with a key that is equal on every repeat', async () => {
    expect(await execute()).toEqual({
      summary: `${server.address} executed it`,
      body: 'did {"value":"seven"}about: it\nkind: thing\n',
    })
    const [fetched, executed, judged] = await server.called(3)
    expect(server.calls.map(({ call }) => call)).toEqual(['FetchResource', 'Execute', 'ApplyPolicy'])
    expect(fetched).toMatchObject({ resource: 'about: it\nkind: thing\n' })
    expect(executed).toMatchObject({ resource: 'about: it\nkind: thing\n', payload: '{"value":"seven"}' })
    expect(judged).toMatchObject({ request: 'did {"value":"seven"}about: it\nkind: thing\n' })
    for (const { headers } of server.calls)
      expect(headers).toMatchObject({ 'idempotency-key': triggerHost().actionKey, 'tiphys-event': 'event-id' })
  })

  it('sets its parameters in the resource that the server fetched', async () => {
    const parameters = [{ src: { dependencyName: 'dep', dataKey: 'body.count', useRawData: true }, dest: 'a.count' }]
    await execute({ spec: { resource: '{"a":{"b":1}}' }, parameters })
    expect((await server.called(3))[1]).toMatchObject({ resource: '{"a":{"b":1,"count":7}}' })
    await expect(execute({ parameters })).rejects.toThrow('The parameters cannot be set')
  })

  it('is a failure when the policy says no', async () => {
    await expect(execute({ spec: { resource: 'bad' } })).rejects.toMatchObject({
      code: 'trigger-policy',
      why: 'the policy has spoken',
    })
  })

  it('says what the server refuses, in its words', async () => {
    const refused = execute({ spec: { resource: 'refuse' } })
    await expect(refused).rejects.toBeInstanceOf(TerminalFailure)
    await expect(refused).rejects.toThrow(
      `${server.address} could not execute it: FAILED_PRECONDITION: it is refused: grüße 100%`,
    )
  })

  it('tries again when the server asks for it, or was not there', async () => {
    const busy = execute({ spec: { unavailable: 'later' } })
    await expect(busy).rejects.toBeInstanceOf(RetryableFailure)
    await expect(busy).rejects.toThrow('UNAVAILABLE: later')
    const away = execute({ serverURL: '127.0.0.1:1' })
    await expect(away).rejects.toBeInstanceOf(RetryableFailure)
    await expect(away).rejects.toThrow('127.0.0.1:1 was not reached')
  })

  it('gives up what takes longer than a minute, and does not know what became of it', async () => {
    const clock = new VirtualClock()
    const endless = execute({ spec: { resource: 'never' } }, { env: { ...triggerHost().env, clock } })
    const refused = expect(endless).rejects.toThrow('DEADLINE_EXCEEDED')
    while (!server.calls.some(({ call }) => call === 'Execute')) await new Promise(resolve => setImmediate(resolve))
    await clock.advance(60_000)
    await refused
  })

  it('does not know what became of it when the server ends in the middle', async () => {
    const endless = execute({ spec: { resource: 'never' } })
    const refused = expect(endless).rejects.toMatchObject({ code: 'trigger-no-answer' })
    while (!server.calls.some(({ call }) => call === 'Execute')) await new Promise(resolve => setImmediate(resolve))
    await server.kill()
    await refused
    await server.start()
  })

  it('ends at once when it is told to', async () => {
    const abort = new AbortController()
    const endless = execute({ spec: { resource: 'never' } }, { signal: abort.signal })
    const refused = expect(endless).rejects.toThrow('enough')
    while (!server.calls.some(({ call }) => call === 'Execute')) await new Promise(resolve => setImmediate(resolve))
    abort.abort(new Error('enough'))
    await refused
  })

  it('speaks TLS to a server that it knows, under another name when it is told to', async () => {
    const made = makeCertificates()
    const secure = await GrpcProcess.start(['-cert', made.certificateFile, '-key', made.keyFile])
    try {
      const host = {
        secret: () => Promise.resolve(made.certificate),
        env: { ...triggerHost().env, clock: systemClock },
      }
      const tls = { secure: true, certSecret: { name: 'grpc', key: 'ca' } }
      await execute({ serverURL: `localhost:${secure.port}`, ...tls }, host)
      await execute({ serverURL: secure.address, ...tls, serverNameOverride: 'localhost' }, host)
      await expect(
        execute({ serverURL: secure.address, ...tls, serverNameOverride: 'somebody.else' }, host),
      ).rejects.toThrow(/does not match certificate's altnames/)
      expect(await secure.called(6)).toHaveLength(6)
    } finally {
      await secure.kill()
      made.dispose()
    }
  })

  it('goes to no address that is not allowed, however it is written', async () => {
    const { port } = server
    for (const serverURL of [
      server.address,
      `0x7f.1:${port}`,
      `[::1]:${port}`,
      '169.254.169.254:80',
      `dns:///localhost:${port}`,
    ])
      await expect(execute({ serverURL }, { access: {} })).rejects.toMatchObject({ code: 'outbound-address-refused' })
    expect(server.calls).toEqual([])
  })
})

describe('checks', () => {
  const problems = (spec: object) =>
    createCustomTrigger()
      .check(spec)
      .map(({ path, message }) => `${path} ${message}`)

  it('know what is missing and what is wrong', () => {
    expect(problems({})).toEqual([
      'serverURL custom trigger gRPC server url is not defined',
      'spec trigger body not defined',
    ])
    expect(problems({ serverURL: 'https://a/b', spec: {}, secure: true })).toEqual([
      'serverURL "https://a/b" is no address of a gRPC server: it is HOST:PORT',
      'certSecret certSecret not defined',
    ])
    expect(problems({ serverURL: 'a:80', spec: { a: 'b' }, payload })).toEqual([])
  })
})
