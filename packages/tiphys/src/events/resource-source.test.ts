import { createApiServer } from '@tiphys/apiserver'
import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import type { BusLimits, ResourceSpec } from '@tiphys/events'
import { afterEach, describe, expect, it } from 'vitest'
import { configMaps, type Payload, Scene, turns } from './resource-scene.ts'

const scenes: Scene[] = []

async function begin(limits: BusLimits = {}): Promise<Scene> {
  const clock = new VirtualClock()
  const server = await createApiServer({ env: { clock, random: systemRandom, log: silentLog } })
  const scene = new Scene(server)
  await scene.openBus(limits)
  scenes.push(scene)
  return scene
}

afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    await scene.stop()
    await scene.bus.close()
    await scene.server.close()
  }
})

describe('while it runs', () => {
  it('publishes every change, with the payload of Argo Events', async () => {
    const scene = await begin()
    await scene.startAndWait({ ...configMaps, metadata: { team: 'a' } })
    const created = await scene.write('a', '1')
    const updated = await scene.write('a', '2')
    await scene.remove('a')
    await scene.storyIs(['ADD a=1', 'UPDATE a=1→2', 'DELETE a=2'])
    const [add, update, deletion] = await scene.events()
    const common = { group: '', version: 'v1', resource: 'configmaps', metadata: { team: 'a' } }
    expect(JSON.parse(add?.data ?? '')).toEqual({ type: 'ADD', body: created, oldBody: null, ...common })
    expect(JSON.parse(update?.data ?? '')).toEqual({ type: 'UPDATE', body: updated, oldBody: created, ...common })
    expect(JSON.parse(deletion?.data ?? '')).toMatchObject({ type: 'DELETE', oldBody: null, ...common })
    expect(Object.keys(JSON.parse(add?.data ?? ''))).toEqual([
      'type',
      'body',
      'oldBody',
      'group',
      'version',
      'resource',
      'metadata',
    ])
    expect(add).toMatchObject({
      key: 'ConfigMap default/test-a',
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'test-a', uid: created.metadata.uid },
    })
    for (const event of [add, update, deletion]) expect(event?.id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('finds what a cut in the history of the server hides (410)', async () => {
    const scene = await begin()
    await scene.write('a', '1')
    await scene.write('b', '1')
    await scene.startAndWait()
    await scene.stop()
    await scene.remove('b')
    await scene.write('a', '2')
    scene.server.storage.compact(scene.server.storage.revision)
    await scene.startAndWait()
    await scene.storyIs(['ADD a=1', 'ADD b=1', 'UPDATE a=1→2', 'DELETE b=1'])
  })
})

describe('after downtime', () => {
  it('publishes exactly the difference: a deletion with its last body, an update with the right old body', async () => {
    const scene = await begin()
    for (const name of ['kept', 'changed', 'deleted']) await scene.write(name, '1')
    await scene.startAndWait()
    await scene.storyIs(['ADD changed=1', 'ADD deleted=1', 'ADD kept=1'])
    await scene.stop()
    await scene.write('changed', '2')
    await scene.write('changed', '3')
    await scene.remove('deleted')
    await scene.write('new', '1')
    await scene.write('brief', '1')
    await scene.remove('brief')
    await scene.startAndWait()
    expect((await scene.story()).slice(3).sort()).toEqual(['ADD new=1', 'DELETE deleted=1', 'UPDATE changed=1→3'])
  })

  it('publishes DELETE then ADD for an object that was deleted and made again', async () => {
    const scene = await begin()
    await scene.write('a', 'old')
    await scene.startAndWait()
    await scene.stop()
    await scene.remove('a')
    await scene.write('a', 'new')
    await scene.startAndWait()
    await scene.storyIs(['ADD a=old', 'DELETE a=old', 'ADD a=new'])
  })

  it('repeats nothing when nothing has happened', async () => {
    const scene = await begin()
    await scene.write('a', '1')
    for (let i = 0; i < 3; i++) {
      await scene.startAndWait()
      await scene.stop()
    }
    await scene.storyIs(['ADD a=1'])
  })

  it('serves a source that asks for DELETE alone', async () => {
    const scene = await begin()
    scene.spec = { ...configMaps, eventTypes: ['DELETE'] }
    await scene.write('a', '1')
    await scene.startAndWait()
    await scene.write('a', '2')
    await scene.write('b', '1')
    await turns(50)
    await scene.stop()
    await scene.remove('a')
    await scene.remove('b')
    await scene.startAndWait()
    expect((await scene.story()).sort()).toEqual(['DELETE a=2', 'DELETE b=1'])
  })

  it('serves a source that asks for UPDATE alone', async () => {
    const scene = await begin()
    scene.spec = { ...configMaps, eventTypes: ['UPDATE'] }
    await scene.write('a', '1')
    await scene.startAndWait()
    await scene.stop()
    await scene.write('a', '2')
    await scene.write('b', '1')
    await scene.startAndWait()
    await scene.storyIs(['UPDATE a=1→2'])
  })

  it('knows the old body of an object that the filter dropped before', async () => {
    const scene = await begin()
    scene.spec = { ...configMaps, filter: { fields: [{ key: 'data.value', operation: '==', value: '^wanted' }] } }
    await scene.write('a', 'other')
    await scene.startAndWait()
    await scene.storyIs([])
    await scene.stop()
    await scene.write('a', 'wanted')
    await scene.startAndWait()
    await scene.storyIs(['UPDATE a=other→wanted'])
  })

  it('knows objects whose events the bus has long dropped', async () => {
    const scene = await begin({ maxEvents: 2, garbageBytes: 20_000 })
    await scene.write('old', '1')
    await scene.startAndWait()
    for (let i = 1; i <= 10; i++) await scene.write('busy', String(i))
    await scene.until(async () => (await scene.story()).includes('UPDATE busy=9→10'))
    await scene.stop()
    await scene.remove('old')
    await scene.startAndWait()
    expect((await scene.story()).at(-1)).toBe('DELETE old=1')
  })
})

describe('afterStart', () => {
  const spec = { ...configMaps, filter: { prefix: 'test-', afterStart: true } }

  it('publishes no ADD for what is there when the entry is first activated, but its later changes', async () => {
    const scene = await begin()
    await scene.write('a', '1')
    await scene.write('b', '1')
    await scene.startAndWait(spec)
    await scene.write('a', '2')
    await scene.write('c', '1')
    await scene.storyIs(['UPDATE a=1→2', 'ADD c=1'])
  })

  it('publishes what happened while it was down', async () => {
    const scene = await begin()
    for (const name of ['a', 'b']) await scene.write(name, '1')
    await scene.startAndWait(spec)
    await scene.stop()
    await scene.remove('a')
    await scene.write('b', '2')
    await scene.write('c', '1')
    await scene.startAndWait(spec)
    expect((await scene.story()).sort()).toEqual(['ADD c=1', 'DELETE a=1', 'UPDATE b=1→2'])
  })
})

describe('an edited entry', () => {
  it('that looks elsewhere takes nothing for deleted', async () => {
    const scene = await begin()
    await scene.write('a', '1')
    await scene.startAndWait()
    await scene.stop()
    await scene.startAndWait({ ...configMaps, namespace: 'kube-public', filter: {} })
    await scene.stop()
    await scene.startAndWait({ ...configMaps, resource: 'secrets' })
    await scene.storyIs(['ADD a=1'])
  })
})

describe('annotations', () => {
  it('tiphys.dev/changes: spec leaves out what changes nothing but status and bookkeeping', async () => {
    const scene = await begin()
    scene.annotations = { 'tiphys.dev/changes': 'spec' }
    const namespaces: ResourceSpec = {
      version: 'v1',
      resource: 'namespaces',
      eventTypes: ['UPDATE'],
      filter: { prefix: 'test' },
    }
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'test' }
    await scene.client.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'test', labels: { value: '1' } },
    })
    await scene.startAndWait(namespaces)
    const label = (value: string) =>
      scene.client.patch(ref, { type: 'merge', patch: { metadata: { labels: { value } } } })
    const status = { conditions: [{ type: 'NamespaceContentRemaining', status: 'False' }] }
    await scene.client.patch(ref, { type: 'merge', patch: { status } }, { subresource: 'status' })
    await label('2')
    await scene.storyIs(['UPDATE test=1→2'])
  })

  it('tiphys.dev/resync delivers everything again at every tick, each tick once', async () => {
    const scene = await begin()
    scene.annotations = { 'tiphys.dev/resync': '10m' }
    await scene.write('a', '1')
    await scene.startAndWait()
    await scene.storyIs(['ADD a=1'])
    await scene.clock.advance(10 * 60_000, () => turns(20))
    await scene.storyIs(['ADD a=1', 'UPDATE a=1→1'])
    await scene.stop()
    await scene.startAndWait()
    await scene.storyIs(['ADD a=1', 'UPDATE a=1→1'])
    await scene.stop()
    await scene.clock.advance(25 * 60_000)
    await scene.startAndWait()
    await scene.storyIs(['ADD a=1', 'UPDATE a=1→1', 'UPDATE a=1→1'])
  })
})

describe('what is in its way', () => {
  it('waits for a kind that does not exist yet, says so, and then begins', async () => {
    const scene = await begin()
    scene.start({ group: 'example.com', version: 'v1', resource: 'widgets', eventTypes: ['ADD'] })
    await scene.until(() => scene.reports.length > 0)
    expect(scene.reports.at(-1)).toMatchObject({
      state: 'waiting',
      reason: 'KindMissing',
      message: expect.stringContaining('Waiting for widgets.example.com to exist'),
    })
    await scene.client.create(widgets)
    const isActive = () => scene.reports.at(-1)?.state === 'active'
    // It looks again within half a minute.
    for (let second = 0; second < 30 && !isActive(); second++) await scene.clock.advance(1000, () => turns(20))
    await scene.until(isActive)
    await scene.client.create({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a', namespace: 'default', labels: { value: '1' } },
    })
    await scene.storyIs(['ADD a=1'])
  })

  it('names the permission that is missing', async () => {
    const scene = await begin()
    scene.start(configMaps, scene.server.client({ name: 'nobody', groups: ['system:authenticated'] }))
    await scene.until(() => scene.reports.length > 0)
    expect(scene.reports.at(-1)).toEqual({
      state: 'failing',
      reason: 'Forbidden',
      message: expect.stringMatching(
        /^Not allowed to (list|watch) configmaps in namespace default: grant the verbs list and watch/,
      ),
    })
  })

  it('pauses while the bus is full, loses nothing, and goes on', async () => {
    const scene = await begin({ maxEvents: 3 })
    const consumer = scene.bus.consumer('slow')
    await scene.startAndWait()
    for (const name of ['a', 'b', 'c', 'd']) await scene.write(name, '1')
    await scene.until(() => scene.reports.at(-1)?.state === 'waiting')
    expect(scene.reports.at(-1)).toMatchObject({ state: 'waiting', reason: 'BusRefuses' })
    await scene.write('a', '2')
    await scene.remove('b')
    const delivered: string[] = []
    const abort = new AbortController()
    const consuming = (async () => {
      for await (const { position, event } of consumer.deliveries(abort.signal)) {
        const { type, body } = JSON.parse(event.data) as Payload
        delivered.push(`${type} ${body.metadata.name}`)
        consumer.done(position)
      }
    })()
    await scene.clock.advance(30_000, () => turns(20))
    await scene.until(() => delivered.length >= 6)
    expect(delivered.slice(0, 3)).toEqual(['ADD test-a', 'ADD test-b', 'ADD test-c'])
    expect(delivered.slice(3).sort()).toEqual(['ADD test-d', 'DELETE test-b', 'UPDATE test-a'])
    expect(scene.reports.at(-1)).toEqual({ state: 'active' })
    abort.abort()
    await consuming
  })
})

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
