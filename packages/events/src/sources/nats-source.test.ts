import { connect, headers, type NatsConnection, nkeys } from '@nats-io/transport-node'
import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificates } from '../testing/certificates.ts'
import { natsSource } from './nats-source.ts'
import { SourceStage } from './source-stage.ts'

const user = nkeys.createUser()

describe.skipIf(noNatsServer !== '')(`with a NATS server${noNatsServer}`, () => {
  let nats: NatsServer
  let other: NatsConnection
  let stage: SourceStage

  beforeAll(async () => {
    nats = await NatsServer.start()
  })
  afterAll(() => nats.dispose())
  beforeEach(async () => {
    stage = new SourceStage()
    other = await connect({ servers: nats.address })
  })
  afterEach(async () => {
    await stage.close()
    await other.close()
  })

  const isActive = () => stage.reports.at(-1)?.state === 'active'
  const spec = () => ({ url: `nats://${nats.address}`, subject: 'orders.*' })

  it('makes an event of every message of its subjects', async () => {
    stage.start(natsSource, { ...spec(), metadata: { a: 'b' } })
    await stage.until(isActive)
    other.publish('orders.new', 'hello')
    other.publish('other', 'not for us')
    const given = headers()
    given.append('X-One', '1')
    given.append('X-One', '2')
    other.publish('orders.paid', new Uint8Array([0, 255, 10]), { headers: given })
    other.publish('orders.empty')
    await stage.until(() => stage.events.length === 3)
    expect(stage.data).toEqual([
      { subject: 'orders.new', body: Buffer.from('hello').toString('base64'), metadata: { a: 'b' } },
      { subject: 'orders.paid', body: 'AP8K', header: { 'X-One': ['1', '2'] }, metadata: { a: 'b' } },
      { subject: 'orders.empty', body: '', metadata: { a: 'b' } },
    ])
  })

  it('keeps JSON as it was written, and says when it is none', async () => {
    stage.start(natsSource, { ...spec(), jsonBody: true })
    await stage.until(isActive)
    other.publish('orders.new', ' {"big":9007199254740993} ')
    other.publish('orders.new', 'no json')
    await stage.until(() => stage.reports.length === 2)
    expect(stage.events.map(({ data }) => data)).toEqual(['{"subject":"orders.new","body":{"big":9007199254740993}}'])
    expect(stage.reports[1]).toMatchObject({ state: 'failing', reason: 'BadMessage' })
  })

  it('takes a message that its sender names once', async () => {
    stage.start(natsSource, spec())
    await stage.until(isActive)
    const named = headers()
    named.set('Nats-Msg-Id', 'order-7')
    for (let i = 0; i < 3; i++) other.publish('orders.new', 'x', { headers: named })
    other.publish('orders.new', 'y')
    await stage.until(() => stage.events.length === 2)
    await stage.stop()
    expect(stage.events).toHaveLength(2)
  })

  it('shares the messages of a queue with others', async () => {
    stage.start(natsSource, { ...spec(), queue: 'workers' })
    await stage.until(isActive)
    let elsewhere = 0
    other.subscribe('orders.*', { queue: 'workers', callback: () => void elsewhere++ })
    await other.flush()
    for (let i = 0; i < 200; i++) other.publish('orders.new', String(i))
    await other.flush()
    await stage.until(() => stage.events.length + elsewhere === 200)
    expect(elsewhere).toBeGreaterThan(0)
    expect(stage.events.length).toBeGreaterThan(0)
  })

  it('says that it is not connected, and listens again when the server is back', async () => {
    stage.start(natsSource, spec())
    await stage.until(isActive)
    await nats.kill()
    await stage.until(() => stage.reports.at(-1)?.state === 'failing')
    expect(stage.reports.at(-1)).toMatchObject({
      reason: 'NotConnected',
      message: expect.stringContaining(`Does not listen to NATS at nats://${nats.address}, messages may be lost`),
    })
    await nats.start()
    await stage.until(isActive)
    await other.close()
    other = await connect({ servers: nats.address })
    other.publish('orders.new', 'back')
    await stage.until(() => stage.events.length === 1)
  })

  it('publishes what has come when it is stopped', async () => {
    stage.start(natsSource, spec())
    await stage.until(isActive)
    for (let i = 0; i < 500; i++) other.publish('orders.new', String(i))
    await other.flush()
    await stage.until(() => stage.events.length > 0)
    await stage.until(() => stage.events.length === 500)
    await stage.stop()
    expect(stage.data).toHaveLength(500)
  })

  describe('whoever asks', () => {
    const ref = (key: string) => ({ name: 'nats', key })
    const config = `authorization { users: [
      { user: ann, password: sesame },
      { nkey: ${user.getPublicKey()} }
    ] }`

    it('shows a name and a password, or a key, and is refused with neither', async () => {
      const guarded = await NatsServer.start({ config })
      try {
        stage.secrets
          .set('nats/user', 'ann')
          .set('nats/password', 'sesame\n')
          .set('nats/seed', Buffer.from(user.getSeed()).toString())
        const base = { url: guarded.address, subject: 'a' }
        stage.start(natsSource, { ...base, auth: { basic: { username: ref('user'), password: ref('password') } } })
        await stage.until(isActive)
        await stage.stop()
        stage.start(natsSource, { ...base, auth: { nkey: ref('seed') } })
        await stage.until(() => stage.reports.length === 2 && isActive())
        await stage.stop()
        stage.start(natsSource, base)
        await stage.until(() => stage.reports.at(-1)?.state === 'failing')
        expect(stage.reports.at(-1)).toMatchObject({ message: expect.stringMatching(/authorization/i) })
      } finally {
        await stage.stop()
        await guarded.dispose()
      }
    })

    it('shows a token, over TLS, to a server that it knows', async () => {
      const made = makeCertificates()
      const tls = `tls { cert_file: "${made.certificateFile}", key_file: "${made.keyFile}" }\nauthorization { token: "t0ken" }`
      const secure = await NatsServer.start({ config: tls })
      try {
        stage.secrets.set('nats/token', 't0ken').set('nats/ca', made.certificate)
        const base = { url: `tls://localhost:${secure.port}`, subject: 'a', auth: { token: ref('token') } }
        stage.start(natsSource, { ...base, tls: { caCertSecret: ref('ca') } })
        await stage.until(isActive)
        await stage.stop()
        stage.start(natsSource, base)
        await stage.until(() => stage.reports.at(-1)?.state === 'failing')
        expect(stage.reports.at(-1)).toMatchObject({ message: expect.stringMatching(/self-signed certificate/) })
      } finally {
        await stage.stop()
        await secure.dispose()
        made.dispose()
      }
    })
  })
})

describe('checks', () => {
  const problems = (spec: object) => natsSource.check(spec).map(({ path, message }) => `${path} ${message}`)

  it('know what is missing and what is wrong', () => {
    expect(problems({})).toEqual(['url url must be specified', 'subject subject must be specified'])
    expect(problems({ url: 'nats://a:4222,tls://[::1]:4443', subject: 'a.*.>' })).toEqual([])
    expect(problems({ url: 'ws://a', subject: 'a..b', queue: '' })).toEqual([
      'url "ws://a" is no address of a NATS server: it is nats://HOST:PORT',
      'subject "a..b" is no subject',
      'queue queue group cannot be empty if specified',
    ])
    expect(problems({ url: 'nats://ann:sesame@host', subject: 'a' })[0]).toMatch(/name a Secret in auth instead/)
  })
})
