import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { RetryableFailure, systemClock, TerminalFailure, VirtualClock } from '@tiphys/env'
import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificates } from '../testing/certificates.ts'
import { createNatsTrigger, type NatsTriggerSpec } from './nats-trigger.ts'
import type { TriggerHost } from './trigger.ts'
import { triggerHost } from './trigger-scene.ts'

const access = { outbound: { allow: LOOPBACK_RANGES } }
const payload = [
  { src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'value' },
  { src: { dependencyName: 'dep', dataKey: 'body.count', useRawData: true }, dest: 'count' },
]

describe.skipIf(noNatsServer !== '')(`with a NATS server${noNatsServer}`, () => {
  let nats: NatsServer
  let other: NatsConnection
  let received: Msg[]
  const config = `authorization { users: [
    { user: ann, password: sesame, permissions: { publish: "allowed.>", subscribe: ">" } },
    { user: reader, password: reader },
  ] }`

  beforeAll(async () => {
    nats = await NatsServer.start({ config })
  })
  afterAll(() => nats.dispose())
  beforeEach(async () => {
    received = []
    other = await connect({ servers: nats.address, user: 'reader', pass: 'reader', reconnect: false })
    other.subscribe('>', { callback: (_, message) => void received.push(message) })
    await other.flush()
  })
  afterEach(() => other.close())

  const ref = (key: string) => ({ name: 'nats', key })
  const secrets: Readonly<Record<string, string>> = { user: 'ann', password: 'sesame' }
  const hostOf = (more: Partial<TriggerHost> = {}) =>
    triggerHost({
      access,
      env: { ...triggerHost().env, clock: new VirtualClock() },
      secret: ({ key }) => Promise.resolve(secrets[key] ?? ''),
      ...more,
    })
  const spec = (more: Partial<NatsTriggerSpec> = {}): NatsTriggerSpec => ({
    url: `nats://${nats.address}`,
    subject: 'allowed.orders',
    auth: { basic: { username: ref('user'), password: ref('password') } },
    payload,
    ...more,
  })

  it('publishes the payload with a key that is equal on every repeat', async () => {
    const trigger = createNatsTrigger()
    expect(await trigger.execute(spec(), hostOf())).toEqual({
      summary: `published a message to allowed.orders at nats://${nats.address}`,
    })
    await trigger.execute(spec(), hostOf())
    await other.flush()
    expect(received.map(message => message.string())).toEqual([
      '{"value":"seven","count":7}',
      '{"value":"seven","count":7}',
    ])
    const keys = received.map(({ headers }) => [headers?.get('Nats-Msg-Id'), headers?.get('Tiphys-Event')])
    expect(keys).toEqual([
      [triggerHost().actionKey, 'event-id'],
      [triggerHost().actionKey, 'event-id'],
    ])
  })

  it('a stream of JetStream takes a repeat once', async () => {
    const streams = (subject: string, body: string) => other.request(subject, body).then(answer => answer.json())
    await streams(
      '$JS.API.STREAM.CREATE.orders',
      JSON.stringify({ name: 'orders', subjects: ['allowed.kept'], duplicate_window: 60e9 }),
    )
    const trigger = createNatsTrigger()
    for (let i = 0; i < 3; i++) await trigger.execute(spec({ subject: 'allowed.kept' }), hostOf())
    await trigger.execute(spec({ subject: 'allowed.kept' }), hostOf({ actionKey: 'another' }))
    // The stream says which one this is: the third.
    expect(await streams('allowed.kept', 'end')).toMatchObject({ seq: 3 })
  })

  it('takes its subject from the event', async () => {
    const parameters = [{ src: { dependencyName: 'dep', dataKey: 'body.value' }, dest: 'subject', operation: 'append' }]
    await createNatsTrigger().execute(spec({ subject: 'allowed.', parameters }), hostOf())
    await other.flush()
    expect(received.map(({ subject }) => subject)).toEqual(['allowed.seven'])
  })

  it('says what the server refuses', async () => {
    const refused = createNatsTrigger().execute(spec({ subject: 'forbidden' }), hostOf())
    await expect(refused).rejects.toBeInstanceOf(TerminalFailure)
    await expect(refused).rejects.toThrow(/refuses messages to forbidden.*[Pp]ermissions/)
    const stranger = createNatsTrigger().execute(spec({ auth: {} }), hostOf())
    await expect(stranger).rejects.toThrow(/was not reached: .*[Aa]uthorization/)
  })

  it('tries again when the server was not there, and goes on when it is back', async () => {
    const trigger = createNatsTrigger()
    const clock = new VirtualClock()
    const host = hostOf({ env: { ...triggerHost().env, clock } })
    await trigger.execute(spec(), host)
    await clock.advance(1000)
    await nats.kill()
    await expect(trigger.execute(spec(), host)).rejects.toBeInstanceOf(RetryableFailure)
    await nats.start()
    await trigger.execute(spec(), host)
  })

  it('does not know what became of a message when the server ends under it', async () => {
    const trigger = createNatsTrigger()
    await trigger.execute(spec(), hostOf())
    nats.pause()
    const sending = expect(trigger.execute(spec(), hostOf())).rejects.toMatchObject({ code: 'trigger-no-answer' })
    await nats.kill()
    await sending
    await nats.start()
  })

  it('closes its connection a moment after the last message', async () => {
    const clock = new VirtualClock()
    await createNatsTrigger().execute(spec(), hostOf({ env: { ...triggerHost().env, clock } }))
    const connections = async () =>
      ((await (await fetch(`${nats.monitor}/connz`)).json()) as { num_connections: number }).num_connections
    const before = await connections()
    await clock.advance(1000)
    while ((await connections()) === before) await new Promise(resolve => setImmediate(resolve))
  })

  it('speaks TLS to a server that it knows', async () => {
    const made = makeCertificates()
    const tls = `tls { cert_file: "${made.certificateFile}", key_file: "${made.keyFile}" }`
    const secure = await NatsServer.start({ config: tls })
    try {
      const host = hostOf({
        secret: () => Promise.resolve(made.certificate),
        env: { ...triggerHost().env, clock: systemClock },
      })
      const to = { url: `localhost:${secure.port}`, subject: 'a', payload }
      await createNatsTrigger().execute({ ...to, tls: { caCertSecret: ref('ca') } }, host)
      await expect(createNatsTrigger().execute(to, host)).rejects.toThrow(/self-signed certificate/)
    } finally {
      await secure.dispose()
      made.dispose()
    }
  })

  it('goes to no address that is not allowed, however it is written', async () => {
    const { port } = nats
    for (const url of [
      `127.0.0.1:${port}`,
      `nats://0x7f.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      'tls://169.254.169.254:4222',
    ])
      await expect(createNatsTrigger().execute(spec({ url }), hostOf({ access: {} }))).rejects.toMatchObject({
        code: 'outbound-address-refused',
      })
    expect(received).toEqual([])
  })
})

describe('checks', () => {
  const problems = (spec: object) =>
    createNatsTrigger()
      .check(spec)
      .map(({ path, message }) => `${path} ${message}`)

  it('know what is missing and what is wrong', () => {
    expect(problems({})).toEqual([
      'url nats server url cannot be empty',
      'subject nats subject cannot be empty',
      'payload payload parameters are not specified',
    ])
    expect(problems({ url: 'nats://a:4222', subject: 'a.*', payload })).toEqual([
      'subject nothing can be published to "a.*"',
    ])
    expect(problems({ url: 'nats://a:4222', payload, parameters: [{ src: {}, dest: 'subject' }] })).toEqual([])
  })
})
