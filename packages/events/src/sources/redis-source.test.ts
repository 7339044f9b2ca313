import { systemClock } from '@tiphys/env'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRedis, type RedisConnection } from '../redis/redis-connection.ts'
import { type Certificates, makeCertificates } from '../testing/certificates.ts'
import { noRedisServer, RedisProcess } from '../testing/redis-process.ts'
import { redisSource } from './redis-source.ts'
import { redisStreamSource } from './redis-stream-source.ts'
import { SourceStage } from './source-stage.ts'

describe.skipIf(noRedisServer !== '')(`with a Redis server${noRedisServer}`, () => {
  let redis: RedisProcess
  let other: RedisConnection
  let stage: SourceStage
  const leaving = new AbortController()

  const client = (port = redis.port, more: object = {}) =>
    openRedis({ host: '127.0.0.1', port, clock: systemClock, signal: leaving.signal, ...more })

  beforeAll(async () => {
    redis = await RedisProcess.start()
  })
  afterAll(() => redis.dispose())
  beforeEach(async () => {
    stage = new SourceStage()
    other = await client()
    await other.command('FLUSHALL')
  })
  afterEach(async () => {
    await stage.close()
    other.close()
  })

  const isActive = () => stage.reports.at(-1)?.state === 'active'

  describe('redis', () => {
    const spec = () => ({ hostAddress: redis.address, channels: ['news', 'more'] })

    it('makes an event of every message of its channels', async () => {
      stage.start(redisSource, { ...spec(), metadata: { from: 'redis' } })
      await stage.until(isActive)
      await other.command('PUBLISH', 'news', 'hello "world"')
      await other.command('PUBLISH', 'other', 'not for us')
      await other.command('PUBLISH', 'more', '{"a":1}')
      await stage.until(() => stage.events.length === 2)
      expect(stage.data).toEqual([
        { channel: 'news', pattern: '', body: 'hello "world"', metadata: { from: 'redis' } },
        { channel: 'more', pattern: '', body: '{"a":1}', metadata: { from: 'redis' } },
      ])
      expect(stage.events.every(({ id }) => /^[0-9a-f]{32}$/.test(id))).toBe(true)
    })

    it('keeps JSON as it was written, and says when it is none', async () => {
      stage.start(redisSource, { ...spec(), jsonBody: true })
      await stage.until(isActive)
      await other.command('PUBLISH', 'news', '{"big":9007199254740993}')
      await other.command('PUBLISH', 'news', 'no json')
      await stage.until(() => stage.reports.length === 2)
      await other.command('PUBLISH', 'news', '7')
      await stage.until(() => stage.events.length === 2)
      expect(stage.events.map(({ data }) => data)).toEqual([
        '{"channel":"news","pattern":"","body":{"big":9007199254740993}}',
        '{"channel":"news","pattern":"","body":7}',
      ])
      expect(stage.reports.slice(1)).toEqual([
        { state: 'failing', reason: 'BadMessage', message: expect.stringContaining('the body is no JSON') },
        { state: 'active' },
      ])
    })

    it('takes thousands of messages, holding the server back while the bus refuses', async () => {
      stage.start(redisSource, spec())
      await stage.until(isActive)
      stage.refusal = new Error('no room')
      for (let i = 0; i < 3000; i++) other.send('PUBLISH', 'news', i)
      for (let i = 0; i < 3000; i++) await other.read(10_000)
      await stage.until(() => stage.reports.some(({ state }) => state === 'waiting'))
      stage.refusal = undefined
      await stage.until(() => stage.events.length === 3000)
      const bodies = stage.data.map(data => Number((data as { body: string }).body))
      expect(new Set(bodies).size).toBe(3000)
    })

    it('says that it is not connected, and listens again when the server is back', async () => {
      stage.start(redisSource, spec())
      await stage.until(isActive)
      await redis.kill()
      await stage.until(() => stage.reports.at(-1)?.state === 'failing')
      expect(stage.reports.at(-1)).toMatchObject({
        reason: 'NotConnected',
        message: expect.stringContaining('messages may be lost'),
      })
      await redis.start()
      await stage.until(isActive)
      other.close()
      other = await client()
      await other.command('PUBLISH', 'news', 'back')
      await stage.until(() => stage.events.length === 1)
    })

    it('notices a server that is silent', async () => {
      stage.start(redisSource, spec())
      await stage.until(isActive)
      redis.pause()
      try {
        while (isActive()) await stage.clock.advance(10_000, () => new Promise(resolve => setTimeout(resolve, 5)))
      } finally {
        redis.resume()
      }
      expect(stage.reports.at(-1)).toMatchObject({
        state: 'failing',
        message: expect.stringContaining('the server has said nothing for 50 s'),
      })
      await stage.until(isActive)
    })

    it('ends at once when it is stopped', async () => {
      stage.start(redisSource, spec())
      await stage.until(isActive)
      await stage.stop()
      expect((await other.command('PUBSUB', 'NUMSUB', 'news')) as unknown[]).toEqual(['news', expect.any(Number)])
      await stage.until(() => true)
      while (((await other.command('PUBSUB', 'NUMSUB', 'news')) as unknown[])[1] !== 0);
    })
  })

  describe('redisStream', () => {
    const spec = () => ({ hostAddress: redis.address, streams: ['orders', 'returns'], metadata: { a: 'b' } })
    const pending = async (stream = 'orders') =>
      ((await other.command('XPENDING', stream, 'argo-events-cg')) as unknown[])[0]

    beforeEach(async () => {
      await other.command('XADD', 'orders', '1-0', 'old', 'before the group')
      await other.command('XADD', 'returns', '1-0', 'old', 'before the group')
    })

    it('makes an event of every entry that is new, and acknowledges it', async () => {
      stage.start(redisStreamSource, spec())
      await stage.until(isActive)
      await other.command('XADD', 'orders', '2-0', 'item', 'book', 'count', 3)
      await other.command('XADD', 'returns', '2-0', '__proto__', 'x')
      await stage.until(() => stage.events.length === 2)
      expect(stage.events.map(({ data }) => data).sort()).toEqual([
        '{"stream":"orders","message_id":"2-0","values":{"item":"book","count":"3"},"metadata":{"a":"b"}}',
        '{"stream":"returns","message_id":"2-0","values":{"__proto__":"x"},"metadata":{"a":"b"}}',
      ])
      while ((await pending()) !== 0);
    })

    it('does not acknowledge what the bus has not taken; it comes again after a crash, with the same id', async () => {
      stage.start(redisStreamSource, spec())
      await stage.until(isActive)
      stage.refusal = new Error('no room')
      await other.command('XADD', 'orders', '2-0', 'item', 'book')
      await stage.until(() => stage.reports.at(-1)?.state === 'waiting')
      expect(await pending()).toBe(1)
      // Stopped in the middle: nothing was acknowledged.
      await stage.stop()
      expect(await pending()).toBe(1)
      expect(stage.events).toEqual([])
      stage.refusal = undefined
      stage.start(redisStreamSource, spec())
      await stage.until(() => stage.events.length === 1)
      while ((await pending()) !== 0);
      expect(stage.data).toEqual([expect.objectContaining({ message_id: '2-0' })])
    })

    it('finds everything that came while it was away', async () => {
      stage.start(redisStreamSource, spec())
      await stage.until(isActive)
      await stage.stop()
      for (let i = 0; i < 35; i++) await other.command('XADD', 'orders', `${i + 2}-0`, 'n', i)
      stage.start(redisStreamSource, spec())
      await stage.until(() => stage.events.length === 35)
      expect(stage.data.map(data => (data as { message_id: string }).message_id)).toEqual(
        Array.from({ length: 35 }, (_, i) => `${i + 2}-0`),
      )
    })

    it('loses nothing and doubles nothing when the server is killed again and again', async () => {
      stage.start(redisStreamSource, { ...spec(), streams: ['orders'] })
      await stage.until(isActive)
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 25; i++) await other.command('XADD', 'orders', '*', 'n', round * 25 + i)
        // Everything that was answered is in the file before the next second is over.
        await other.command('CONFIG', 'SET', 'appendfsync', 'always')
        await redis.kill()
        await redis.start()
        other.close()
        other = await client()
      }
      await stage.until(() => stage.events.length >= 100)
      const numbers = stage.data.map(data => Number((data as { values: { n: string } }).values.n))
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i))
    })

    it('waits for a stream that is not there yet, and says so', async () => {
      await other.command('DEL', 'returns')
      stage.start(redisStreamSource, spec())
      await stage.until(() => stage.reports.length > 0)
      expect(stage.reports[0]).toMatchObject({
        state: 'failing',
        message: expect.stringContaining('there is no stream returns yet'),
      })
      await other.command('XADD', 'returns', '1-0', 'a', 'b')
      await stage.until(isActive)
    })
  })

  describe('whoever asks', () => {
    it('shows a user, a password and a database', async () => {
      const guarded = await RedisProcess.start({
        options: ['--requirepass', 'sesame', '--user', 'ann', 'on', '>secret', '~*', '&*', '+@all'],
      })
      try {
        stage.secrets.set('redis/password', 'sesame')
        stage.secrets.set('redis/ann', 'secret')
        stage.secrets.set('redis/wrong', 'wrong')
        const base = { hostAddress: guarded.address, channels: ['news'] }
        const password = { name: 'redis', key: 'password' }
        stage.start(redisSource, { ...base, password })
        await stage.until(isActive)
        await stage.stop()
        stage.start(redisSource, { ...base, username: 'ann', password: { name: 'redis', key: 'ann' } })
        await stage.until(() => stage.reports.length === 2 && isActive())
        await stage.stop()
        stage.start(redisSource, { ...base, password: { name: 'redis', key: 'wrong' } })
        await stage.until(() => stage.reports.at(-1)?.state === 'failing')
        expect(stage.reports.at(-1)).toMatchObject({ message: expect.stringContaining('WRONGPASS') })
        await stage.stop()
        const inside = await client(guarded.port, { password: 'sesame', db: 3 })
        await inside.command('XADD', 'orders', '1-0', 'a', 'b')
        stage.start(redisStreamSource, { hostAddress: guarded.address, password, db: 3, streams: ['orders'] })
        await stage.until(isActive)
        inside.close()
      } finally {
        await stage.stop()
        await guarded.dispose()
      }
    })

    it('speaks TLS, and believes nobody whom it does not know', async () => {
      const made: Certificates = makeCertificates()
      const files = ['--tls-cert-file', made.certificateFile, '--tls-key-file', made.keyFile, '--tls-ca-cert-file']
      const secure = await RedisProcess.start({
        tls: true,
        options: [...files, made.certificateFile, '--tls-auth-clients', 'yes'],
      })
      try {
        stage.secrets.set('tls/ca', made.certificate)
        stage.secrets.set('tls/cert', made.certificate)
        stage.secrets.set('tls/key', made.key)
        const ref = (key: string) => ({ name: 'tls', key })
        const base = { hostAddress: `localhost:${secure.port}`, channels: ['news'] }
        const own = { clientCertSecret: ref('cert'), clientKeySecret: ref('key') }
        stage.start(redisSource, { ...base, tls: { caCertSecret: ref('ca'), ...own } })
        await stage.until(isActive)
        await stage.stop()
        stage.start(redisSource, { ...base, tls: own })
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
  const problems = (list: readonly { path: string; message: string }[]) =>
    list.map(({ path, message }) => `${path} ${message}`)

  it('know what is missing and what is wrong', () => {
    expect(problems(redisSource.check({}))).toEqual([
      'channels channel/s must be specified',
      'hostAddress host address must be specified',
    ])
    expect(
      problems(redisStreamSource.check({ hostAddress: 'a:b:c', streams: ['x', 'x'], maxMsgCountPerRead: -1 })),
    ).toEqual([
      'streams a stream is there more than once',
      'maxMsgCountPerRead must be a whole number between 0 and 10000',
      'hostAddress "a:b:c" is not HOST:PORT',
    ])
    expect(problems(redisSource.check({ hostAddress: 'redis:6379', channels: ['a'], tls: {} }))[0]).toMatch(
      /^tls invalid tls/,
    )
    expect(problems(redisSource.check({ hostAddress: '[::1]:6379', channels: ['a'], db: 2, username: 'u' }))).toEqual(
      [],
    )
    expect(problems(redisSource.check({ hostAddress: 'r', channels: ['a'], chanels: [] } as object))).toEqual([
      'chanels unknown field "chanels"',
    ])
  })
})
