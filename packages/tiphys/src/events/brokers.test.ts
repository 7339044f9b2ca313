import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { GrpcProcess, noGrpcServer, noRedisServer, RedisProcess } from '@tiphys/events/testing'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'

let scene: EngineScene

beforeEach(async () => {
  scene = await EngineScene.start({ access: { outbound: { allow: LOOPBACK_RANGES } } })
  await scene.apply(BUS)
})
afterEach(() => scene.close())

/** Waits for what comes from another process. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) {
    await scene.recorder.settled()
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  await scene.settled()
}

const source = (name: string, spec: string) => `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: ${name}}
spec: ${spec}
`

const sensor = (of: string, entry: string, template: string, dependency = '') => `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: sensor}
spec:
  dependencies: [{name: dep, eventSourceName: ${of}, eventName: ${entry}${dependency}}]
  triggers: [{template: {name: act, ${template}}}]
`

/** Makes a ConfigMap whose name the event decides. */
const named = (path: string) =>
  `k8s: {source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: of-}}}, parameters: [{src: {dependencyName: dep, dataKey: ${path}}, dest: metadata.name, operation: append}]}`

/** A status is written at most once in ten seconds, which have to pass. */
const isActive = async (name: string) => {
  await scene.clock.advance(100)
  return (await scene.condition('EventSource', name, 'Healthy'))?.status === 'True' && scene.engine.isIdle()
}

describe.skipIf(noRedisServer !== '')(`with a Redis server${noRedisServer}`, () => {
  let redis: RedisProcess
  let other: Socket
  const replies: string[] = []

  beforeAll(async () => {
    redis = await RedisProcess.start()
  })
  afterAll(() => redis.dispose())
  beforeEach(async () => {
    replies.length = 0
    other = await speakTo(redis.port)
    await say('FLUSHALL')
  })
  afterEach(() => other.destroy())

  async function speakTo(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    createInterface({ input: socket }).on('line', line => void replies.push(line))
    await once(socket, 'connect')
    return socket
  }

  /** Redis takes commands as lines; resolves with the first line of the answer. */
  async function say(line: string): Promise<string> {
    const before = replies.length
    other.write(`${line}\r\n`)
    while (replies.length <= before) await new Promise(resolve => setTimeout(resolve, 1))
    return replies[before] as string
  }

  it('messages of a channel become events, pass the filters of source and Sensor, and make objects', async () => {
    const spec = `{redis: {news: {hostAddress: "${redis.address}", channels: [news], jsonBody: true, filter: {expression: 'body.n > 1'}}}}`
    const filter = ', filters: {data: [{path: body.kind, type: string, value: [good]}]}'
    await scene.apply(`${sensor('messages', 'news', named('body.n'), filter)}---${source('messages', spec)}`)
    await until(() => isActive('messages'))
    for (const [n, kind] of [
      [1, 'good'],
      [2, 'good'],
      [3, 'bad'],
      [4, 'good'],
    ])
      expect(await say(`PUBLISH news '{"n":${n},"kind":"${kind}"}'`)).toBe(':1')
    await until(() => scene.recordsOf('decision').length === 4)
    expect(await scene.configMaps()).toEqual(['of-2', 'of-4'])
    // The first was ended by the filter of its own source.
    expect(scene.recordsOf('event').map(({ type, isEnded = false }) => [type, isEnded])).toEqual([
      ['redis', true],
      ['redis', false],
      ['redis', false],
      ['redis', false],
    ])
  })

  it('entries of a stream become events once, also those that came while the server or the engine was away', async () => {
    const spec = `{redisStream: {orders: {hostAddress: "${redis.address}", streams: [orders], consumerGroup: makers}}}`
    await say('XADD orders * item early')
    await scene.apply(`${sensor('stream', 'orders', named('values.item'))}---${source('stream', spec)}`)
    await until(() => isActive('stream'))
    await say('XADD orders * item one')
    await until(async () => (await scene.configMaps()).includes('of-one'))
    await scene.engine.stop()
    await say('XADD orders * item two')
    await scene.startEngine()
    await until(async () => (await scene.configMaps()).includes('of-two'))
    other.destroy()
    await redis.kill()
    // Its pauses are the clock's.
    await until(async () => {
      await scene.clock.advance(1000)
      return (await scene.condition('EventSource', 'stream', 'Healthy'))?.reason === 'NotConnected'
    })
    await redis.start()
    other = await speakTo(redis.port)
    await say('XADD orders * item three')
    await until(async () => {
      await scene.clock.advance(1000)
      return (await scene.configMaps()).includes('of-three')
    })
    // The group begins with what comes after it was made, as upstream's does.
    expect(await scene.configMaps()).toEqual(['of-one', 'of-three', 'of-two'])
    expect(scene.recordsOf('delivery').filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(3)
  })

  it('a password that is wrong is a condition, and mending the Secret is enough', async () => {
    await say('CONFIG SET requirepass secret')
    try {
      const secret = (text: string) =>
        `{apiVersion: v1, kind: Secret, metadata: {name: redis}, stringData: {password: ${text}}}\n`
      const spec = `{redis: {news: {hostAddress: "${redis.address}", channels: [news], password: {name: redis, key: password}}}}`
      await scene.apply(
        `${secret('wrong')}---${sensor('messages', 'news', named('body'))}---${source('messages', spec)}`,
      )
      await until(async () => (await scene.condition('EventSource', 'messages', 'Healthy'))?.status === 'False')
      expect(await scene.condition('EventSource', 'messages', 'Healthy')).toMatchObject({
        reason: 'NotConnected',
        message: expect.stringContaining('WRONGPASS'),
      })
      await scene.apply(secret('secret'))
      await until(async () => {
        await scene.clock.advance(1000)
        return isActive('messages')
      })
      expect(await say('PUBLISH news hello')).toBe(':1')
      await until(async () => (await scene.configMaps()).includes('of-hello'))
    } finally {
      await say('CONFIG SET requirepass ""')
    }
  })
})

describe.skipIf(noGrpcServer !== '')(`with a gRPC server in Go${noGrpcServer}`, () => {
  let server: GrpcProcess
  // It may have to be built first.
  beforeAll(async () => {
    server = await GrpcProcess.start()
  }, 300_000)
  afterAll(() => server.kill())
  beforeEach(() => void server.calls.splice(0))

  it('its stream becomes events, and its trigger carries out what comes of them, once for each', async () => {
    const script = JSON.stringify({ payloads: ['{"item":"a"}', '{"item":"b"}'], end: 'wait' })
    const spec = `{generic: {things: {url: "${server.address}", insecure: true, jsonBody: true, config: '${script}'}}}`
    const custom = `custom: {serverURL: "${server.address}", secure: false, spec: {kind: thing}, payload: [{src: {dependencyName: dep, dataKey: body.item}, dest: item}]}`
    await scene.apply(`${sensor('stream', 'things', custom)}---${source('stream', spec)}`)
    await until(() => scene.recordsOf('delivery').filter(({ outcome }) => outcome === 'succeeded').length === 2)
    expect(server.calls.find(({ call }) => call === 'StartEventSource')).toMatchObject({ name: 'things' })
    const executed = server.calls.filter(({ call }) => call === 'Execute')
    expect(new Set(executed.map(({ payload }) => payload))).toEqual(new Set(['{"item":"a"}', '{"item":"b"}']))
    const events = scene.recordsOf('event').map(({ trace }) => trace)
    expect(new Set(executed.map(({ headers }) => headers['tiphys-event']))).toEqual(new Set(events))
    expect(new Set(executed.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  it('is taken up again when it was killed, and the condition says so meanwhile', async () => {
    const spec = `{generic: {things: {url: "${server.address}", insecure: true, config: '{"payloads":["x"],"end":"wait"}'}}}`
    await scene.apply(`${sensor('stream', 'things', 'log: {}')}---${source('stream', spec)}`)
    await until(() => scene.recordsOf('event').length === 1)
    await server.kill()
    await until(async () => {
      await scene.clock.advance(1000)
      return (await scene.condition('EventSource', 'stream', 'Healthy'))?.reason === 'NotConnected'
    })
    await server.start()
    await until(async () => {
      await scene.clock.advance(1000)
      return scene.recordsOf('event').length === 2
    })
  })
})

describe('a trigger that gets garbage', () => {
  const webhook = source('hook', '{webhook: {push: {endpoint: /push, method: POST, port: "0"}}}')
  const fire = () => scene.engine.fire({ namespace: 'default', source: 'hook', entry: 'push', data: '{}', who: 'test' })
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  async function listening(server: Server | Http2Server): Promise<number> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => void server.close())
    return (server.address() as AddressInfo).port
  }

  /** Answers everybody with these bytes. */
  const answering = (bytes: string | Buffer) =>
    listening(
      createTcpServer(socket => {
        socket.once('data', () => socket.end(bytes))
        socket.on('error', () => {}) // Whoever called may have had enough.
      }),
    )

  /** What is wrong is said in the delivery that is parked and in the condition, and the other trigger has done its part. */
  async function parkedBy(template: string): Promise<string> {
    const other = `${named('body.none')}`.replace('name: of-', 'generateName: other-').replace(/, parameters.*$/, '}')
    const both = sensor('hook', 'push', template).replace('}}]', `}}, {template: {name: other, ${other}}}]`)
    await scene.apply(`${both}---${webhook}`)
    await fire()
    await until(async () => {
      // What may pass by itself is tried again, and given up after 20 attempts.
      await scene.advance(60_000)
      return (await scene.engine.parked()).length === 1
    })
    expect(await scene.configMaps()).toHaveLength(1)
    const [parked] = await scene.engine.parked()
    await scene.advance(10_000)
    expect((await scene.condition('Sensor', 'sensor', 'Healthy'))?.message).toContain('act')
    return parked?.error ?? ''
  }

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['is cut in its head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['is cut in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['has chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n'],
    ['is nothing at all', ''],
    ['is bytes', Buffer.from([0, 255, 254, 1, 2, 3])],
  ])('as the answer to a request, which %s, parks it', async (_, bytes) => {
    const error = await parkedBy(`http: {url: "http://127.0.0.1:${await answering(bytes)}/", method: POST}`)
    expect(error).toMatch(/no answer came|was not reached|answer/)
  })

  it('a status that is no number or out of place is no success', async () => {
    expect(
      await parkedBy(`http: {url: "http://127.0.0.1:${await answering('HTTP/1.1 999 ?\r\n\r\n')}/", method: POST}`),
    ).toContain('999')
  })

  it('a body that is no text does no harm to what succeeded', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'
    const port = await answering(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0, 0xc3, 0x28])]))
    await scene.apply(
      `${sensor('hook', 'push', `http: {url: "http://127.0.0.1:${port}/", method: POST}`)}---${webhook}`,
    )
    await fire()
    await until(() => scene.recordsOf('delivery').some(({ outcome }) => outcome === 'succeeded'))
    expect(await scene.engine.parked()).toEqual([])
  })

  /** A gRPC server whose messages are something else. */
  const grpcServer = (respond: (stream: ServerHttp2Stream) => void) => {
    const server = createServer()
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => {}) // Whoever called may have had enough.
      stream.resume().on('end', () => respond(stream))
    })
    return listening(server)
  }
  const frame = (message: Buffer, length = message.length) => {
    const head = Buffer.alloc(5)
    head.writeUInt32BE(length, 1)
    return Buffer.concat([head, message])
  }
  const ok = (stream: ServerHttp2Stream, body: Buffer) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(body)
  }

  it.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['is no protobuf', stream => ok(stream, frame(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])))],
    ['ends in a field', stream => ok(stream, frame(Buffer.from([0x0a, 0x7f, 1, 2])))],
    ['is shorter than it says', stream => ok(stream, frame(Buffer.from([0x0a, 0]), 100))],
    ['is larger than anybody may send', stream => ok(stream, frame(Buffer.from([0x0a, 0]), 0x7fffffff))],
    ['has no message', stream => ok(stream, Buffer.alloc(0))],
    [
      'is a page',
      stream => {
        stream.respond({ ':status': 200, 'content-type': 'text/html' })
        stream.end('<html>')
      },
    ],
    [
      'has no status',
      stream => stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { endStream: true }),
    ],
  ])('as the answer of a custom trigger, which %s, parks it', async (_, respond) => {
    const error = await parkedBy(
      `custom: {serverURL: "127.0.0.1:${await grpcServer(respond)}", secure: false, spec: {kind: thing}, payload: []}`,
    )
    expect(error).toContain('127.0.0.1:')
  })
})
