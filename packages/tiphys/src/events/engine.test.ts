import { type Client, type KubeObject, parseYaml } from '@tiphys/kube'
import { afterEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene, SENSOR, SOURCE } from './engine-scene.ts'

let scene: EngineScene

afterEach(() => scene.close())

const ALL = [BUS, SENSOR, SOURCE].join('---')
const BOUND = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'everything' }

/** Runs what every program of a Sensor is taken for. */
const transforming = (transform: (body: KubeObject & { data?: Record<string, string> }) => unknown) => ({
  run: async ({ input }: { input: string }) =>
    JSON.stringify(transform((JSON.parse(input) as { body: KubeObject & { data?: Record<string, string> } }).body)),
})

describe('the event engine', () => {
  it('makes a child for an object, through EventSource, bus and Sensor', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(await scene.configMaps()).toEqual(['in-one', 'out-in-one'])
    for (const [kind, name] of Object.entries({ EventBus: 'default', EventSource: 'maps', Sensor: 'copy' })) {
      const { status, metadata } = await scene.get(kind, name)
      const { conditions, observedGeneration } = status as {
        conditions: { status: string }[]
        observedGeneration: number
      }
      expect(conditions.map(condition => condition.status)).not.toContain('False')
      expect(observedGeneration).toBe(metadata.generation)
    }
  })

  it('records every hop with the id of the event as its trace', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one', { value: '1' })
    await scene.settled()
    const [event] = scene.recordsOf('event')
    const trail = scene.records.filter(({ trace }) => trace === event?.trace)
    const child = await scene.get('ConfigMap', 'out-in-one')
    expect(trail).toMatchObject([
      { kind: 'event', source: { name: 'maps', part: 'changed' }, object: { name: 'in-one' }, body: { type: 'ADD' } },
      {
        kind: 'decision',
        verdict: 'passed',
        trigger: { name: 'copy', part: 'make' },
        inputs: [{ path: 'type', value: 'ADD' }],
      },
      {
        kind: 'write',
        verb: 'create',
        uid: child.metadata.uid,
        resourceVersion: child.metadata.resourceVersion,
        as: 'system:serviceaccount:default:default',
      },
      { kind: 'delivery', outcome: 'succeeded', message: 'created ConfigMap default/out-in-one' },
    ])
    await scene.writeConfigMap('in-one', { value: '2' })
    await scene.settled()
    expect(scene.recordsOf('decision').at(-1)).toMatchObject({
      verdict: 'filtered',
      by: 'data',
      inputs: [{ path: 'type', value: 'UPDATE' }],
    })
  })

  it('records of an event that no Sensor depends on that nothing comes of it', async () => {
    scene = await EngineScene.start()
    await scene.apply([BUS, SOURCE, SENSOR.replace('eventName: changed', 'eventName: another')].join('---'))
    await scene.writeConfigMap('in-one')
    await scene.settled()
    await scene.apply(SENSOR)
    await scene.settled()
    await scene.writeConfigMap('in-two')
    await scene.settled()
    await scene.client.delete({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Sensor',
      namespace: 'default',
      name: 'copy',
    })
    await scene.settled()
    await scene.writeConfigMap('in-three')
    await scene.settled()
    const events = scene.recordsOf('event').filter(({ object }) => object?.name.startsWith('in-'))
    expect(events.map(({ object, isUnheard }) => [object?.name, isUnheard])).toEqual([
      ['in-one', true],
      ['in-two', undefined],
      ['in-three', true],
    ])
  })

  it('records what a write changed, and nothing of what a Secret holds', async () => {
    scene = await EngineScene.start()
    const canary = 'canary8f3a1'
    const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
    const secret = (size: string, value: string) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'out',
          labels: { 'example.com/size': size },
          annotations: {
            [lastApplied]: JSON.stringify({ kind: 'Secret', data: { key: value } }),
            'example.com/copy': value,
          },
        },
        stringData: { 'tls.key': value },
      })
    await scene.apply(secret('small', 'before'))
    await scene.apply(
      ALL.replace('operation: create', 'operation: patch')
        .replace(/resource:\n +apiVersion: v1\n[^]*?{name: out-}/, `resource: ${secret('large', canary)}`)
        .replace(/ +parameters:\n.*/, ''),
    )
    await scene.writeConfigMap('in-one')
    await scene.settled()
    const [write] = scene.recordsOf('write')
    expect(write).toMatchObject({ verb: 'patch', outcome: 'changed', object: { kind: 'Secret', name: 'out' } })
    expect(write?.diff).toEqual([
      { path: 'data["tls.key"]', from: '(masked)', to: '(masked)' },
      { path: 'metadata.annotations["example.com/copy"]', from: '(masked)', to: '(masked)' },
      { path: 'metadata.labels["example.com/size"]', from: 'small', to: 'large' },
    ])
    for (const hidden of [canary, 'before'])
      for (const text of [hidden, Buffer.from(hidden).toString('base64')])
        expect(JSON.stringify(scene.recordsOf('write'))).not.toContain(text)
  })

  it('records what every filter said, as it read then, and what a transformation made of the event', async () => {
    scene = await EngineScene.start({
      scripts: transforming(({ metadata, data }) => ({ name: metadata.name, size: Number(data?.value), all: data })),
    })
    const filters = {
      exprs: [
        {
          expr: 'size > 3 && name != "x"',
          fields: [
            { name: 'size', path: 'size' },
            { name: 'name', path: 'name' },
          ],
        },
      ],
      data: [
        { path: 'name', type: 'string', value: ['in-', 'out-'] },
        { path: 'size', type: 'number', comparator: '>=', value: ['5'] },
        { path: 'size', type: 'number', comparator: '<', value: ['9'] },
      ],
      context: { type: 'resource' },
      time: { start: '00:00:00', stop: '23:59:59', timezone: 'Europe/Berlin' },
    }
    const transform = { jq: '{name: .body.metadata.name, size: (.body.data.value | tonumber), all: .body.data}' }
    await scene.apply(
      ALL.replace(/filters: .*/, `filters: ${JSON.stringify(filters)}, transform: ${JSON.stringify(transform)}}`),
    )
    await scene.writeConfigMap('in-one', { value: '4' })
    await scene.settled()
    const expr = { by: 'exprs', says: 'size > 3 && name != "x"', paths: ['size', 'name'], passed: true }
    const name = { by: 'data', says: '= in- or out-', paths: ['name'], passed: true }
    const others = [
      { by: 'context', says: 'type = resource', passed: true },
      { by: 'time', says: '00:00:00 – 23:59:59 Europe/Berlin', passed: true },
    ]
    expect(scene.recordsOf('decision').at(-1)).toMatchObject({
      verdict: 'filtered',
      by: 'data',
      inputs: [
        { path: 'name', value: 'in-one' },
        { path: 'size', value: 4 },
        { path: 'context.type', value: 'resource' },
        { path: 'context.time', value: '2026-03-04T05:06:07Z' },
      ],
      filters: [
        expr,
        name,
        { by: 'data', says: '>= 5', paths: ['size'], passed: false },
        // Nobody asked it any more.
        { by: 'data', says: '< 9', paths: ['size'] },
        ...others,
      ],
      transform: { output: { name: 'in-one', size: 4, all: { value: '4' } } },
    })
    expect(scene.recordsOf('decision').at(-1)?.filters?.[3]).not.toHaveProperty('passed')
    expect(scene.recordsOf('decision').at(-1)?.transform).not.toHaveProperty('input')
    await scene.writeConfigMap('in-two', { value: '6', long: 'x'.repeat(5000) })
    await scene.settled()
    expect(scene.recordsOf('decision').at(-1)).toMatchObject({
      verdict: 'passed',
      filters: [expr, name, { says: '>= 5', passed: true }, { says: '< 9', passed: true }, ...others],
      inputs: [
        { path: 'name', value: 'in-two' },
        { path: 'size', value: 6 },
        { path: 'context.type', value: 'resource' },
        { path: 'context.time', value: '2026-03-04T05:06:07Z' },
      ],
      transform: { output: expect.stringMatching(/^\(5\d\d\d characters\)$/) },
    })
  })

  it('records nothing of filters and transformations where there are none', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL.replace(/, filters: .*/, '}'))
    await scene.writeConfigMap('in-one')
    await scene.settled()
    const [decision] = scene.recordsOf('decision')
    expect(decision).toMatchObject({ verdict: 'passed' })
    for (const field of ['filters', 'transform', 'inputs']) expect(decision).not.toHaveProperty(field)
    expect(scene.recordsOf('delivery').at(-1)).not.toHaveProperty('heldBackMs')
  })

  it('records nothing of a Secret in what its transformation and its filters made of it', async () => {
    scene = await EngineScene.start({
      scripts: transforming(body => ({ word: Buffer.from(body.data?.key ?? '', 'base64').toString(), all: body })),
    })
    const canary = 'canary8f3a1'
    const filters = {
      data: [{ path: 'word', type: 'string', value: ['other'] }],
      exprs: [{ expr: 'all != ""', fields: [{ name: 'all', path: 'all' }] }],
    }
    const transform = { jq: '{word: (.body.data.key | @base64d), all: .body}' }
    await scene.apply(
      ALL.replace('resource: configmaps', 'resource: secrets').replace(
        /filters: .*/,
        `filters: ${JSON.stringify(filters)}, transform: ${JSON.stringify(transform)}}`,
      ),
    )
    await scene.apply(`{apiVersion: v1, kind: Secret, metadata: {name: in-one}, stringData: {key: ${canary}}}`)
    await scene.apply(
      ALL.replaceAll(/name: (copy|maps)\b/g, 'name: $1-plain')
        .replaceAll('eventSourceName: maps', 'eventSourceName: maps-plain')
        .replace('resource: configmaps', 'resource: secrets')
        .replace(
          /filters: .*/,
          'filters: {data: [{path: body, type: string, value: [other]}, {path: body.data, type: string, value: [x]}]}}',
        ),
    )
    await scene.apply(`{apiVersion: v1, kind: Secret, metadata: {name: in-two}, stringData: {key: ${canary}}}`)
    expect(scene.recordsOf('decision')[0]).toMatchObject({
      verdict: 'filtered',
      inputs: [
        { path: 'word', value: '(masked)' },
        { path: 'all', value: '(masked)' },
      ],
      transform: { output: '(masked)' },
    })
    const plain = scene.recordsOf('decision').filter(({ trigger }) => trigger.name === 'copy-plain')
    expect(plain.at(-1)).toMatchObject({
      verdict: 'filtered',
      inputs: [
        { path: 'body', value: expect.stringMatching(/^\(\d+ characters\)$/) },
        { path: 'body.data', value: '(masked)' },
      ],
    })
    for (const text of [canary, Buffer.from(canary).toString('base64')])
      expect(JSON.stringify(scene.records)).not.toContain(text)
  })

  it.each([
    ['transform', { transform: { jq: '.body.data.key[]' } }],
    ['exprs', { filters: { exprs: [{ expr: 'key > 3', fields: [{ name: 'key', path: 'body.data.key' }] }] } }],
  ])('says nothing of a Secret that its %s cannot do with, nowhere', async (by, fields) => {
    const encoded = Buffer.from('canary8f3a1').toString('base64')
    scene = await EngineScene.start({
      scripts: transforming(({ data }) => {
        throw new Error(`cannot iterate over: string (${JSON.stringify(data?.key)})`)
      }),
    })
    await scene.apply(
      ALL.replace('resource: configmaps', 'resource: secrets').replace(/filters: .*/, JSON.stringify(fields).slice(1)),
    )
    await scene.apply(`{apiVersion: v1, kind: Secret, metadata: {name: in-one}, data: {key: ${encoded}}}`)
    await scene.advance(20_000)
    expect(scene.recordsOf('decision')).toMatchObject([{ verdict: 'failed', by }])
    expect(await scene.condition('Sensor', 'copy', 'Deployed')).toBeDefined()
    expect(JSON.stringify([scene.records, await scene.get('Sensor', 'copy'), scene.logged])).not.toContain(encoded)
  })

  it('records how long a delivery was held back by its rate limit', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL.replace('- template:', '- rateLimit: {unit: Second, requestsPerUnit: 1}\n      template:'))
    for (const name of ['in-one', 'in-two']) await scene.writeConfigMap(name)
    await scene.settled()
    await scene.advance(2000)
    const delivered = scene.recordsOf('delivery').filter(({ outcome }) => outcome === 'succeeded')
    expect(delivered).toHaveLength(2)
    expect(delivered.map(({ heldBackMs }) => heldBackMs)).toEqual([undefined, 1000])
  })

  it('says what is missing, and goes on when it comes', async () => {
    scene = await EngineScene.start()
    await scene.apply([SENSOR, SOURCE].join('---'))
    for (const [kind, name] of [
      ['EventSource', 'maps'],
      ['Sensor', 'copy'],
    ] as const)
      expect(await scene.condition(kind, name, 'Deployed')).toMatchObject({
        status: 'False',
        reason: 'EventBusMissing',
        message: expect.stringContaining('There is no EventBus default in the namespace default'),
      })
    await scene.writeConfigMap('in-one')
    await scene.apply(BUS)
    await scene.advance(10_000)
    expect(await scene.configMaps()).toContain('out-in-one')
    expect(await scene.condition('Sensor', 'copy', 'Deployed')).toMatchObject({ status: 'True' })
    const events = await scene.list('Event')
    expect(events.map(({ type, reason }) => `${String(type)} ${String(reason)}`)).toEqual(
      expect.arrayContaining(['Warning EventBusMissing', 'Normal Recovered']),
    )
  })

  it('waits for its own kinds', async () => {
    scene = await EngineScene.start({ withDefinitions: false })
    await scene.define()
    await scene.advance(60_000)
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(await scene.configMaps()).toContain('out-in-one')
  })

  it('waits for the kind that a source watches, and names it', async () => {
    scene = await EngineScene.start()
    await scene.apply(`${BUS}---${SOURCE.replace('group: ""', 'group: example.com').replace('configmaps', 'widgets')}`)
    await scene.advance(1000)
    expect(await scene.condition('EventSource', 'maps', 'Healthy')).toMatchObject({
      status: 'False',
      reason: 'KindMissing',
      message: expect.stringContaining('widgets.example.com'),
    })
    await scene.apply(widgets)
    await scene.untilEstablished('widgets.example.com')
    await scene.advance(60_000)
    expect(await scene.condition('EventSource', 'maps', 'Healthy')).toMatchObject({ status: 'True' })
  })

  it('tells a Sensor without rights which one is missing, and delivers when it is granted', async () => {
    scene = await EngineScene.start()
    await scene.client.delete(BOUND)
    await scene.apply(readers)
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.settled()
    await scene.advance(10_000)
    expect(await scene.configMaps()).toEqual(['in-one'])
    expect(await scene.condition('Sensor', 'copy', 'Healthy')).toMatchObject({
      status: 'False',
      reason: 'Forbidden',
      message: expect.stringMatching(/system:serviceaccount:default:default.*verb create on resource "configmaps"/),
    })
    await scene.apply(writers)
    await scene.apply(retry)
    await scene.advance(10_000)
    expect(await scene.configMaps()).toContain('out-in-one')
    expect(await scene.condition('Sensor', 'copy', 'Healthy')).toMatchObject({ status: 'True' })
    expect((await scene.get('Retry', 'again')).status).toMatchObject({ phase: 'Succeeded', total: 1, done: 1 })
  })

  it('acts as the ServiceAccount that the manifest names', async () => {
    scene = await EngineScene.start()
    await scene.client.delete(BOUND)
    await scene.apply(readers)
    await scene.apply(writers.replaceAll('name: default', 'name: writer'))
    await scene.apply(
      [BUS, SOURCE, SENSOR.replace('spec:', 'spec:\n  template: {serviceAccountName: writer}')].join('---'),
    )
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(scene.recordsOf('write')).toMatchObject([{ as: 'system:serviceaccount:default:writer' }])
  })

  it('is not stopped by objects that make no sense', async () => {
    scene = await EngineScene.start()
    const nonsense = [
      '{}',
      '{resource: 7}',
      '{resource: {a: null}}',
      '{webhook: {a: {port: [1]}}}',
      '{calendar: {a: {schedule: x}}}',
    ]
    const sensors = [
      '{}',
      '{dependencies: 7, triggers: x}',
      '{dependencies: [1], triggers: [{template: 3}]}',
      '{triggers: [null]}',
    ]
    for (const [i, spec] of nonsense.entries()) await scene.apply(object('EventSource', `bad-${i}`, spec))
    for (const [i, spec] of sensors.entries()) await scene.apply(object('Sensor', `bad-${i}`, spec))
    for (const [i, spec] of ['{}', '{nats: 1}', '{jetstream: {streamConfig: "{"}}', '{kafka: {url: x}}'].entries())
      await scene.apply(object('EventBus', `bad-${i}`, spec))
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(await scene.configMaps()).toContain('out-in-one')
    expect(await scene.condition('EventBus', 'bad-3', 'Configured')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('kafka is not supported by Tiphys yet'),
    })
    expect(await scene.condition('Sensor', 'bad-2', 'TriggersProvided')).toMatchObject({ status: 'False' })
    expect(scene.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('says which fields upstream would ignore', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL.replace('template:\n', 'atLeastOnec: true\n      template:\n'))
    expect(await scene.condition('Sensor', 'copy', 'FieldsKnown')).toMatchObject({
      status: 'False',
      message: 'spec.triggers[0].atLeastOnec: unknown field "atLeastOnec", did you mean "atLeastOnce"?',
    })
  })

  it('does not wake itself: a Sensor that applies what its source watches runs once', async () => {
    scene = await EngineScene.start()
    await scene.apply([BUS, applyingSensor, deploymentSource, deployment].join('---'))
    await scene.advance(60_000)
    const before = scene.server.storage.revision
    const events = scene.recordsOf('event').length
    await scene.advance(600_000)
    expect(scene.server.storage.revision).toBe(before)
    expect(scene.recordsOf('event').length).toBe(events)
    expect(scene.recordsOf('write').length).toBeLessThanOrEqual(1)
  })

  it('starts a new Sensor at its creation, keeps its place when it is edited, and frees it when it is deleted', async () => {
    scene = await EngineScene.start()
    await scene.apply([BUS, SOURCE].join('---'))
    await scene.writeConfigMap('in-before')
    await scene.settled()
    await scene.apply(SENSOR)
    await scene.writeConfigMap('in-after')
    await scene.settled()
    expect(await scene.configMaps()).toEqual(['in-after', 'in-before', 'out-in-after'])
    await scene.engine.stop()
    await scene.apply(SENSOR.replace('name: out-', 'name: edited-'))
    await scene.writeConfigMap('in-meanwhile')
    await scene.startEngine()
    await scene.settled()
    expect(await scene.configMaps()).toContain('edited-in-meanwhile')
    await scene.client.delete({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Sensor',
      namespace: 'default',
      name: 'copy',
    })
    await scene.settled()
    expect(scene.engine.metrics()).not.toContain('tiphys_consumer_backlog{')
    await scene.writeConfigMap('in-unseen')
    await scene.settled()
    await scene.apply(SENSOR)
    await scene.settled()
    expect(await scene.configMaps()).not.toContain('out-in-unseen')
  })

  it('gives a new Sensor what happens right after it was made, however late its watch tells of it', async () => {
    scene = await EngineScene.start()
    await scene.apply([BUS, SOURCE].join('---'))
    for (let i = 0; i < 10; i++) {
      const name = `copy-${i}`
      const sensor = SENSOR.replace('name: copy', `name: ${name}`).replace('name: out-', `name: ${name}-`)
      await scene.writeConfigMap(`in-before-${i}`)
      await scene.settled()
      const { metadata, ...rest } = (await parseYaml(sensor)).value as KubeObject
      await scene.client.create({ ...rest, metadata: { ...metadata, namespace: 'default' } })
      await scene.writeConfigMap(`in-after-${i}`)
      await scene.settled()
      expect(await scene.configMaps()).toContain(`copy-${i}-in-after-${i}`)
      expect(await scene.configMaps()).not.toContain(`copy-${i}-in-before-${i}`)
    }
  })

  it('writes a status at most once in ten seconds, and only when something has changed', async () => {
    scene = await EngineScene.start()
    await scene.client.delete(BOUND)
    await scene.apply(readers)
    await scene.apply(ALL)
    const version = async () => (await scene.get('Sensor', 'copy')).metadata.resourceVersion
    const [first] = [await version()]
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(await version()).toBe(first)
    await scene.advance(10_000)
    const second = await version()
    expect(second).not.toBe(first)
    for (let i = 0; i < 5; i++) await scene.writeConfigMap(`in-more-${i}`)
    await scene.advance(60_000)
    expect(await version()).toBe(second)
  })

  it('restarts without doing anything twice, and catches up with what it missed', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.settled()
    await scene.engine.stop()
    await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'out-in-one' })
    await scene.writeConfigMap('in-two')
    await scene.startEngine()
    await scene.settled()
    expect(await scene.configMaps()).toEqual(['in-one', 'in-two', 'out-in-two'])
  })

  it('finishes what is under way when it is stopped, and does not do it again', async () => {
    scene = await EngineScene.start()
    const held: (() => void)[] = []
    let creates = 0
    const { client } = scene
    const slow = new Proxy(client, {
      get(_, name: string) {
        if (name !== 'create') return (client[name as keyof Client] as () => unknown).bind(client)
        return async (...args: Parameters<Client['create']>) => {
          creates++
          await new Promise<void>(resolve => held.push(resolve))
          return client.create(...args)
        }
      },
    })
    await scene.engine.stop()
    await scene.startEngine({ actAs: () => slow })
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.until(() => held.length === 1)
    const stopped = scene.engine.stop()
    held[0]?.()
    await stopped
    expect(await scene.configMaps()).toContain('out-in-one')
    await scene.startEngine({ actAs: () => slow })
    await scene.settled()
    expect(creates).toBe(1)
  })

  it('serves the namespaces that it is told to, and no others', async () => {
    scene = await EngineScene.start({ namespaces: ['default'] })
    await scene.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.apply(ALL)
    await scene.apply(
      ALL.replaceAll(/metadata: \{name: (default|maps|copy)\}/g, 'metadata: {name: $1, namespace: other}'),
    )
    await scene.writeConfigMap('in-one')
    await scene.settled()
    expect(await scene.configMaps()).toContain('out-in-one')
    expect((await scene.get('EventBus', 'default', 'other')).status).toBeUndefined()
    expect(scene.engine.buses().map(({ namespace }) => namespace)).toEqual(['default'])
  })

  it('publishes a hand-made event, and notes who made it', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL)
    const data = JSON.stringify({ type: 'ADD', body: { metadata: { name: 'by-hand' } } })
    const id = await scene.engine.fire({ namespace: 'default', source: 'maps', entry: 'changed', data, who: 'ann' })
    await scene.settled()
    expect(await scene.configMaps()).toEqual(['out-by-hand'])
    expect(scene.recordsOf('audit')).toMatchObject([{ did: 'fire', who: 'ann', trace: id }])
    await expect(
      scene.engine.fire({ namespace: 'default', source: 'maps', entry: 'other', data, who: 'ann' }),
    ).rejects.toThrow('No entry other of an EventSource default/maps is running. It is one of changed')
  })

  it('counts under the names that Argo Events uses', async () => {
    scene = await EngineScene.start()
    await scene.apply(ALL)
    await scene.writeConfigMap('in-one')
    await scene.settled()
    const metrics = scene.engine.metrics()
    for (const line of [
      'argo_events_event_service_running_total{namespace="default",eventsource_name="maps"} 1',
      'argo_events_events_sent_total{namespace="default",eventsource_name="maps",event_name="changed"} 1',
      'argo_events_action_triggered_total{namespace="default",sensor_name="copy",trigger_name="make"} 1',
      'argo_events_action_duration_milliseconds_count{namespace="default",sensor_name="copy",trigger_name="make"} 1',
      'tiphys_consumer_backlog{namespace="default",sensor_name="copy",trigger_name="make"} 0',
      'tiphys_bus_events{namespace="default",eventbus_name="default"} 1',
      'tiphys_source_waiting{namespace="default",eventsource_name="maps",event_name="changed"} 0',
    ])
      expect(metrics).toContain(`${line}\n`)
    const value = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(metrics)?.[1])
    expect(value('tiphys_consumer_position')).toBe(value('tiphys_bus_head'))
    expect(value('tiphys_checkpoint_objects')).toBeGreaterThan(0)
    expect(value('tiphys_checkpoint_version')).toBeGreaterThan(0)
    expect(value('tiphys_watch_silence_milliseconds')).toBeGreaterThanOrEqual(0)
  })
})

function object(kind: string, name: string, spec: string): string {
  return `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`
}

const retry = `
apiVersion: tiphys.dev/v1alpha1
kind: Retry
metadata: {name: again}
spec: {sensor: copy}
`

const roleOf = (name: string, verbs: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ${name}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: ${verbs}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}}
subjects: [{kind: ServiceAccount, name: default, namespace: default}]
`
const readers = roleOf('readers', '[get, list, watch]')
const writers = roleOf('writers', '[create]')

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`

const deploymentSource = `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: deployments}
spec:
  resource:
    all: {namespace: default, group: apps, version: v1, resource: deployments, eventTypes: [ADD, UPDATE, DELETE]}
`

const applyingSensor = `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: scale}
spec:
  dependencies: [{name: any, eventSourceName: deployments, eventName: all}]
  triggers:
    - template:
        name: apply
        k8s:
          operation: apply
          source:
            resource:
              apiVersion: apps/v1
              kind: Deployment
              metadata: {name: web}
              spec:
                replicas: 3
                selector: {matchLabels: {app: web}}
                template:
                  metadata: {labels: {app: web}}
                  spec: {containers: [{name: web, image: web}]}
`
