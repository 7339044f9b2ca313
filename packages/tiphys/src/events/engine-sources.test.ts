import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene, EVERYTHING_ALLOWED } from './engine-scene.ts'

let scene: EngineScene

afterEach(() => scene.close())

const source = (spec: string, annotations = '{}') => `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: source, annotations: ${annotations}}
spec: ${spec}
`

const MAPS = 'namespace: default, group: "", version: v1, resource: configmaps'
const maps = (more: string) => `{resource: {changed: {${MAPS}, ${more}}}}`

/** What was published, as `type name` or as the payload. */
function story(): string[] {
  return scene.recordsOf('event').map(({ body, object }) => {
    const { type } = body as { type?: string }
    return type === undefined ? JSON.stringify(body) : `${type} ${object?.name}`
  })
}

async function start(spec: string, annotations?: string): Promise<void> {
  scene = await EngineScene.start()
  await scene.apply(`${BUS}---${source(spec, annotations)}`)
}

/** Creates, changes, changes the labels of, and deletes a ConfigMap. */
async function live(name: string): Promise<void> {
  await scene.writeConfigMap(name, { value: '1' })
  await scene.settled()
  await scene.writeConfigMap(name, { value: '2' })
  await scene.settled()
  await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name })
  await scene.settled()
}

describe('an EventSource of resources', () => {
  it.each([
    ['all changes', 'eventTypes: [ADD, UPDATE, DELETE]', ['ADD in-a', 'UPDATE in-a', 'DELETE in-a']],
    ['changes alone', 'eventTypes: [UPDATE]', ['UPDATE in-a']],
    ['deletions alone', 'eventTypes: [DELETE]', ['DELETE in-a']],
    ['names that begin so', 'eventTypes: [ADD], filter: {prefix: out-}', []],
    ['labels that are not there', 'eventTypes: [ADD], filter: {labels: [{key: app, value: web}]}', []],
    [
      'a field that matches',
      'eventTypes: [UPDATE], filter: {fields: [{key: data.value, operation: ==, value: "2"}]}',
      ['UPDATE in-a'],
    ],
  ])('tells of %s', async (_, spec, expected) => {
    await start(maps(spec))
    await live('in-a')
    expect(story().filter(line => line.endsWith('in-a'))).toEqual(expected)
  })

  it('tells of what was there only when it is asked to', async () => {
    scene = await EngineScene.start()
    await scene.writeConfigMap('in-before')
    await scene.apply(`${BUS}---${source(maps('eventTypes: [ADD, UPDATE], filter: {prefix: in-, afterStart: true}'))}`)
    expect(story()).toEqual([])
    await scene.writeConfigMap('in-before', { value: '2' })
    await scene.settled()
    expect(story()).toEqual(['UPDATE in-before'])
  })

  it('compares without status and bookkeeping where it is asked to', async () => {
    await start(maps('eventTypes: [UPDATE], filter: {prefix: in-}'), '{tiphys.dev/changes: spec}')
    await scene.writeConfigMap('in-a', { value: '1' })
    await scene.client.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'in-a', namespace: 'default' }, data: { value: '1' } },
      { fieldManager: 'somebody', force: true },
    )
    await scene.settled()
    expect(story()).toEqual([])
  })

  it('tells of everything again at every tick', async () => {
    await start(maps('eventTypes: [ADD, UPDATE], filter: {prefix: in-}'), '{tiphys.dev/resync: 10m}')
    await scene.writeConfigMap('in-a')
    await scene.advance(600_000)
    expect(story()).toEqual(['ADD in-a', 'UPDATE in-a'])
  })

  it('starts only those entries anew that have changed', async () => {
    const two = (prefix: string) =>
      `{resource: {kept: {${MAPS}, eventTypes: [ADD], filter: {prefix: in-}}, edited: {${MAPS}, eventTypes: [ADD], filter: {prefix: ${prefix}}}}}`
    await start(two('x-'))
    const lists: string[] = []
    const { client } = scene
    const watch = client.watch.bind(client)
    client.watch = ((...args: Parameters<typeof watch>) => {
      lists.push(args[0].kind)
      return watch(...args)
    }) as typeof client.watch
    await scene.apply(source(two('in-')))
    await scene.writeConfigMap('in-a')
    await scene.settled()
    expect(
      scene
        .recordsOf('event')
        .map(({ source: of }) => of.part)
        .sort(),
    ).toEqual(['edited', 'kept'])
    // The entry that stayed had no reason to list again.
    expect(lists.filter(kind => kind === 'ConfigMap').length).toBeLessThanOrEqual(1)
  })
})

describe('an EventSource of another type', () => {
  it('takes webhooks, and answers when the event is stored', async () => {
    await start('{webhook: {hook: {endpoint: /push, method: POST, port: "18231"}}}')
    const answer = await fetch('http://127.0.0.1:18231/push', {
      method: 'POST',
      body: '{"a": 1}',
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, await answer.text()]).toEqual([200, 'success'])
    await scene.settled()
    expect(scene.recordsOf('event')).toMatchObject([{ type: 'webhook', body: { body: { a: 1 } } }])
  })

  it('counts an event that comes again, and records that it did; but not each of very many', async () => {
    await start('{webhook: {hook: {endpoint: /push, method: POST, port: "18231"}}}')
    const send = () =>
      fetch('http://127.0.0.1:18231/push', { method: 'POST', body: '{}', headers: { 'Idempotency-Key': 'order-7' } })
    for (let i = 0; i < 15; i++) expect((await send()).status).toBe(200)
    await scene.settled()
    const [event, ...more] = scene.recordsOf('event')
    expect(more).toEqual([])
    const common = { trace: event?.trace, verdict: 'repeated', by: 'id', dependency: '', trigger: { part: 'hook' } }
    expect(scene.recordsOf('decision')).toMatchObject([
      { ...common, message: 'it came again under its id, and was dropped' },
      { ...common, message: 'it came again under its id, 10 times by now, and was dropped' },
    ])
    expect(scene.engine.metrics()).toMatch(/tiphys_events_repeated_total\{.*event_name="hook"\} 14/)
  })

  it('records what its filter read of an event that it did not let through', async () => {
    await start(
      '{webhook: {hook: {endpoint: /push, method: POST, port: "18231", filter: {expression: "body.size > 3"}}}}',
    )
    await fetch('http://127.0.0.1:18231/push', { method: 'POST', body: '{"size": 2}' })
    await scene.settled()
    const [event, ...more] = scene.recordsOf('event')
    expect([event, more]).toMatchObject([{ type: 'webhook', isEnded: true, body: { body: { size: 2 } } }, []])
    expect(event).not.toHaveProperty('bus')
    const [decision] = scene.recordsOf('decision')
    expect(decision).toMatchObject({
      trace: event?.trace,
      trigger: event?.source,
      verdict: 'filtered',
      by: 'filter.expression',
      inputs: [{ path: 'body.size', value: 2 }],
      filters: [{ by: 'expression', says: 'body.size > 3', paths: ['body.size'], passed: false }],
    })
    expect(decision).not.toHaveProperty('payload')
  })

  it('reads a Secret as its ServiceAccount: what that may not read, the manifest does not get', async () => {
    scene = await EngineScene.start()
    await scene.client.delete({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      name: 'everything',
    })
    await scene.apply('{apiVersion: v1, kind: Secret, metadata: {name: token}, stringData: {key: s3cret}}')
    const hook = '{webhook: {hook: {endpoint: /x, method: POST, port: "18234", authSecret: {name: token, key: key}}}}'
    await scene.apply(`${BUS}---${source(hook)}`)
    await scene.advance(15_000)
    const post = (token: string) =>
      fetch('http://127.0.0.1:18234/x', {
        method: 'POST',
        body: '{}',
        headers: { authorization: `Bearer ${token}` },
      }).then(
        ({ status }) => status,
        () => 0, // nobody listens
      )
    expect(await post('s3cret')).not.toBe(200)
    await scene.apply(EVERYTHING_ALLOWED)
    await scene.advance(60_000)
    expect([await post('wrong'), await post('s3cret')]).toEqual([401, 200])
    await scene.settled()
    expect(JSON.stringify(scene.records)).not.toContain('s3cret')
  })

  it('keeps to a calendar', async () => {
    await start('{calendar: {tick: {interval: 10s}}}')
    await scene.advance(35_000)
    expect(story()).toHaveLength(3)
  })

  it('watches files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-files-'))
    try {
      await start(
        `{file: {dir: {eventType: CREATE, polling: true, watchPathConfig: {directory: ${folder}, pathRegexp: ".*"}}}}`,
      )
      await becomes('EventSource', 'source', 'Healthy', 'True')
      writeFileSync(join(folder, 'a.txt'), '')
      await scene.until(async () => {
        await scene.advance(100)
        return story().length > 0
      })
      expect(scene.recordsOf('event')).toMatchObject([{ type: 'file', body: { name: 'a.txt', op: 1 } }])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is accepted and reported when Tiphys does not have it', async () => {
    await start('{amqp: {queue: {url: x}}, calendar: {tick: {interval: 10s}}}')
    expect(await scene.condition('EventSource', 'source', 'SourcesProvided')).toMatchObject({
      status: 'False',
      reason: 'NotSupported',
      message: expect.stringMatching(/^amqp.queue: amqp is not supported by Tiphys yet: read it with/),
    })
    await scene.advance(10_000)
    expect(story()).toHaveLength(1)
  })

  it('that Tiphys does not have is no source to a Sensor, which says so; neither is what only looks like an entry', async () => {
    await start('{amqp: {queue: {url: x}}, template: {metadata: {}}}')
    await scene.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: waiting}
spec:
  dependencies:
    - {name: far, eventSourceName: source, eventName: queue}
    - {name: none, eventSourceName: source, eventName: metadata}
  triggers: [{template: {name: log, log: {}}}]
`)
    expect(await scene.condition('Sensor', 'waiting', 'DependenciesProvided')).toMatchObject({
      status: 'False',
      reason: 'SourceMissing',
      message: expect.stringMatching(
        /^far waits for source\/queue, but amqp is not supported by Tiphys yet: .*; none waits for source\/metadata, which does not exist$/,
      ),
    })
  })

  it('runs what it can of one with an entry that it cannot', async () => {
    await start('{calendar: {bad: {schedule: sometimes}, good: {interval: 10s}}}')
    expect(await scene.condition('EventSource', 'source', 'SourcesProvided')).toMatchObject({
      status: 'False',
      reason: 'InvalidSource',
      message: expect.stringContaining('calendar.bad.schedule'),
    })
    await scene.advance(10_000)
    expect(scene.recordsOf('event')).toMatchObject([{ source: { part: 'good' } }])
  })

  it('says that a port is taken', async () => {
    const occupied = await EngineScene.start()
    await occupied.apply(`${BUS}---${source('{webhook: {hook: {endpoint: /x, method: POST, port: "18232"}}}')}`)
    await start('{webhook: {hook: {endpoint: /x, method: POST, port: "18232"}}}')
    await scene.advance(1000)
    expect(await scene.condition('EventSource', 'source', 'Healthy')).toMatchObject({ status: 'False' })
    await occupied.close()
    await scene.advance(30_000)
    expect(await scene.condition('EventSource', 'source', 'Healthy')).toMatchObject({ status: 'True' })
  })
})

describe('an EventBus', () => {
  const bus = (spec: string) =>
    `{apiVersion: argoproj.io/v1alpha1, kind: EventBus, metadata: {name: default}, spec: ${spec}}`

  it.each([
    ['of STAN', '{nats: {native: {replicas: 3, auth: token}}}', 'True', 'Deployed'],
    ['of JetStream', '{jetstream: {version: latest, streamConfig: "maxMsgs: 10\\nmaxAge: 1h"}}', 'True', 'Deployed'],
    ['of somebody else’s STAN', '{nats: {exotic: {url: x}}}', 'False', 'NotSupported'],
    ['of Kafka', '{kafka: {url: x}}', 'False', 'NotSupported'],
    ['of nothing', '{}', 'False', 'NotSupported'],
    ['of a NATS that does not answer', '{jetstreamExotic: {url: "nats://127.0.0.1:1"}}', 'False', 'BusUnreachable'],
  ])('%s is deployed: %s %s %s', async (_, spec, status, reason) => {
    scene = await EngineScene.start()
    await scene.apply(bus(spec))
    await scene.advance(30_000)
    expect(await scene.condition('EventBus', 'default', 'Deployed')).toMatchObject({ status, reason })
  })

  it('that is full stops its sources and loses nothing', async () => {
    scene = await EngineScene.start()
    await scene.apply(
      [
        bus('{jetstream: {streamConfig: "maxMsgs: 5"}}'),
        blockedSensor,
        source(maps('eventTypes: [ADD], filter: {prefix: in-}')),
      ].join('\n---\n'),
    )
    for (let i = 0; i < 10; i++) await scene.writeConfigMap(`in-${i}`)
    await scene.advance(30_000)
    expect(await scene.condition('EventSource', 'source', 'Healthy')).toMatchObject({
      status: 'False',
      reason: 'BusFull',
    })
    await scene.client.delete({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Sensor',
      namespace: 'default',
      name: 'blocked',
    })
    await scene.advance(60_000)
    expect(new Set(story())).toEqual(new Set(Array.from({ length: 10 }, (_, i) => `ADD in-${i}`)))
    expect(await scene.condition('EventSource', 'source', 'Healthy')).toMatchObject({ status: 'True' })
  })

  it.skipIf(noNatsServer)(`on NATS says when the server is away, and so do its users${noNatsServer}`, async () => {
    const nats = await NatsServer.start()
    try {
      scene = await EngineScene.start()
      await scene.apply(bus(`{jetstreamExotic: {url: "nats://${nats.address}"}}`))
      await becomes('EventBus', 'default', 'Deployed', 'True')
      await scene.apply(source(maps('eventTypes: [ADD], filter: {prefix: in-}')))
      await becomes('EventSource', 'source', 'Healthy', 'True')
      await nats.kill()
      await becomes('EventBus', 'default', 'Healthy', 'False')
      await becomes('EventSource', 'source', 'Healthy', 'False')
      expect(await scene.condition('EventSource', 'source', 'Healthy')).toMatchObject({ reason: 'BusUnreachable' })
      await nats.start()
      await becomes('EventSource', 'source', 'Healthy', 'True')
      // The server has not been asked when it syncs, so that nobody knows.
      expect(await scene.condition('EventBus', 'default', 'Durable')).toMatchObject({
        status: 'False',
        reason: 'SyncSetting',
      })
      // What is kept on this machine is synced, and what was said of the server does not stay.
      await scene.apply(bus('{jetstream: {version: latest}}'))
      await becomes('EventBus', 'default', 'Durable', 'True')
    } finally {
      await nats.dispose()
    }
  })

  it('that is deleted leaves its users with a condition, and they go on when it is back', async () => {
    await start(maps('eventTypes: [ADD], filter: {prefix: in-}'))
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventBus', namespace: 'default', name: 'default' }
    await scene.client.delete(ref)
    await scene.writeConfigMap('in-meanwhile')
    await scene.advance(10_000)
    expect(await scene.condition('EventSource', 'source', 'Deployed')).toMatchObject({ reason: 'EventBusMissing' })
    await scene.apply(BUS)
    await scene.settled()
    expect(story()).toEqual(['ADD in-meanwhile'])
  })
})

/** Lets time pass until it is so; the world outside takes its own time. */
async function becomes(kind: string, name: string, type: string, status: string): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if ((await scene.condition(kind, name, type))?.status === status) return
    await scene.clock.advance(100)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  throw new Error(`${type} of ${kind} ${name} did not become ${status}`)
}

const blockedSensor = `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: blocked}
spec:
  dependencies: [{name: dep, eventSourceName: source, eventName: changed}]
  triggers:
    - template: {name: slow, log: {}}
      rateLimit: {unit: Hour, requestsPerUnit: 1}
`
