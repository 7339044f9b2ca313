import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Archive, type EventDetail, openArchive } from '@tiphys/archive'
import { systemEnv } from '@tiphys/env'
import { eventDefinitions } from '@tiphys/events'
import { createMask, createRecorder, type Json, type Recorder } from '@tiphys/journal/records'
import { type KubeObject, readYaml } from '@tiphys/kube'
import { workflowDefinitions } from '@tiphys/workflows'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestCluster, type TestCluster } from '../testing.ts'
import { eventually } from '../tiphys-folder.ts'
import { dataFolder, prepareDataFolder } from './data-folder.ts'
import { installDefinitions } from './definitions.ts'
import { type Engines, startEngines } from './engines.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { archivedEvents } from './past-events.ts'
import { openFileStore, type Store } from './store.ts'

/** A bus that keeps five events, and a Sensor that makes a ConfigMap of each. */
const MANIFESTS = `
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everything}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: 'system:serviceaccounts'}]
---
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: {name: default}
spec: {jetstream: {version: latest, streamConfig: "maxMsgs: 5"}}
---
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: {name: default, namespace: other}
spec: {jetstream: {version: latest}}
---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: note}
spec:
  dependencies: [{name: in, eventSourceName: maps, eventName: changed, filters: {data: [{path: body.note, type: string, value: ['.+']}]}}]
  triggers:
    - template:
        name: make
        k8s:
          operation: create
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: note-}}}
          parameters: [{src: {dependencyName: in, dataKey: body.note}, dest: data.note}]
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: maps}
spec: {resource: {changed: {namespace: default, group: "", version: v1, resource: configmaps, eventTypes: [ADD], filter: {prefix: in-}}}}
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: maps, namespace: other}
spec: {resource: {changed: {namespace: other, group: "", version: v1, resource: configmaps, eventTypes: [ADD], filter: {prefix: in-}}}}
`

const NOTE = '{"body": {"note": "hello", "price": 1.50, "list": [1, {"a": null}]}, "type": "ADD"}'
const LONG_NUMBER = '12345678901234567890'

describe('a Replay with a bus that has dropped its events', () => {
  let path: string
  let cluster: TestCluster
  let store: Store
  let engines: Engines
  const ids: Record<string, string> = {}

  const fire = async (body: string, namespace = 'default') => {
    const id = await engines.events.fire({ namespace, source: 'maps', entry: 'changed', data: body, who: 'ann' })
    await engines.events.settled()
    return id
  }
  const notes = async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' }
    const { items } = await cluster.client.list<KubeObject & { data?: { note?: string } }>(ref)
    return items.map(({ data }) => data?.note)
  }
  const replay = async (name: string, events: readonly string[]) => {
    const ref = { apiVersion: 'tiphys.dev/v1alpha1', kind: 'Replay' }
    await cluster.client.create({ ...ref, metadata: { namespace: 'default', name }, spec: { events } })
    return await eventually(`the Replay ${name} to end`, async () => {
      const { status } = await cluster.client.get<KubeObject>({ ...ref, namespace: 'default', name })
      const progress = status as { phase?: string; total: number; done: number; message: string } | undefined
      return progress?.phase === 'Succeeded' || progress?.phase === 'Failed' ? progress : undefined
    })
  }

  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'tiphys-past-events-'))
    cluster = await createTestCluster({ nodes: 0 })
    const { client } = cluster
    await installDefinitions([...eventDefinitions, ...workflowDefinitions], { client, env: systemEnv })
    for (const { value } of await readYaml(MANIFESTS)) {
      const object = value as KubeObject
      const { namespaced } = await client.resourceFor(object)
      const metadata = namespaced ? { namespace: 'default', ...object.metadata } : object.metadata
      await client.apply({ ...object, metadata }, { fieldManager: 'test' })
    }
    await prepareDataFolder(dataFolder(path))
    store = await openFileStore(dataFolder(path), systemEnv)
    engines = await startEngines({ env: systemEnv, client, store })
    await engines.ready()
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'in-real' } })
    await eventually('the event of an object', () => engines.events.buses().find(({ head = 0 }) => head > 0))
    ids.note = await fire(NOTE)
    ids.secret = await fire(
      '{"body": {"note": "key", "apiVersion": "v1", "kind": "Secret", "data": {"key": "c2VjcmV0"}}}',
    )
    ids.large = await fire(`{"body": {"note": "large", "text": "${'x'.repeat(1_100_000)}"}}`)
    ids.long = await fire(`{"body":{"note":"long","number":${LONG_NUMBER},"price":1.50},"more":[1E2]}`)
    ids.edge = await fire(`{"body":{"note":"edge","text":"${'x'.repeat(2 ** 20 - 50)}"}}`)
    ids.foreign = await fire('{"body": {"note": "foreign"}}', 'other')
    for (let i = 0; i < 5; i++) await fire('{"body": {"note": "filler"}}')
    await engines.recorder.settled()
  })

  afterAll(async () => {
    await engines.stop()
    await store.close()
    await cluster.close()
    await rm(path, { recursive: true, force: true })
  })

  it('sends them from the archive, which is opened for that: each once, as it was', async () => {
    expect(engines.events.buses().find(({ namespace }) => namespace === 'default')?.health).toMatchObject({ events: 5 })
    expect((await notes()).filter(note => note === 'hello')).toHaveLength(1)
    expect(existsSync(dataFolder(path).archive)).toBe(false)
    expect(await replay('one', [ids.note ?? ''])).toMatchObject({
      phase: 'Succeeded',
      total: 1,
      done: 1,
      message: '1 event was sent again',
    })
    await engines.events.settled()
    expect((await notes()).filter(note => note === 'hello')).toHaveLength(2)
    await engines.recorder.settled()
    const archive = await engines.archive()
    await archive.caughtUp()
    const { items } = await archive.events({ query: `replayof:${ids.note}` })
    expect(items).toMatchObject([{ source: { name: 'maps', part: 'changed' }, replayOf: ids.note, runs: 0 }])
    const again = items[0]?.id ?? ''
    expect(JSON.parse(String(await archive.payload(again)))).toEqual(JSON.parse(NOTE))
    expect((await archive.trace(again))?.deliveries.map(({ outcome }) => outcome)).toEqual(['succeeded'])
  })

  it('sends the event of an object with its object, version and key', async () => {
    const archive = await engines.archive()
    const { items } = await archive.events({ query: 'object:ConfigMap/default/in-real -replayof:*' })
    const id = items[0]?.id ?? ''
    expect(await replay('object', [id])).toMatchObject({ phase: 'Succeeded', done: 1 })
    await engines.recorder.settled()
    await archive.caughtUp()
    const [again] = (await archive.events({ query: `replayof:${id}` })).items
    const { key, object, resourceVersion, body } = (await archive.event(id)) as EventDetail
    expect({ key, object, resourceVersion }).toMatchObject({
      key: expect.stringContaining('default/in-real'),
      object: { apiVersion: 'v1', uid: expect.any(String) },
      resourceVersion: expect.stringMatching(/^\d+$/),
    })
    expect(await archive.event(again?.id ?? '')).toMatchObject({ replayOf: id, key, object, resourceVersion, body })
    const payload = String(await archive.payload(id))
    expect(payload).toMatch(/^\{"type":"ADD","body":\{.*\},"oldBody":null,"group":/)
    expect(String(await archive.payload(again?.id ?? ''))).toBe(payload)
  })

  it('refuses those that the archive does not have whole, and names what nobody knows; also what is of another namespace', async () => {
    const { note = '', secret = '', large = '', edge = '', foreign = '' } = ids
    const nobody = 'f'.repeat(32)
    const { message, ...progress } = await replay('some', [secret, nobody, large, note, edge, foreign])
    expect(progress).toMatchObject({ phase: 'Failed', total: 6, done: 1 })
    expect(message.split('; ')).toEqual([
      expect.stringMatching(
        new RegExp(`^1 event was sent again, 5 were not: ${secret}: its payload was masked .* Secret`),
      ),
      expect.stringMatching(new RegExp(`^${large}: its payload of 11000\\d\\d bytes was too large for the history`)),
      expect.stringMatching(new RegExp(`^${edge}: its payload of 10485\\d\\d bytes was too large for the history`)),
      `${nobody}: neither the bus nor the history has it`,
      `${foreign}: neither the bus nor the history has it`,
    ])
    const made = await notes()
    expect(['key', 'large', 'edge'].map(note => made.filter(other => other === note).length)).toEqual([1, 1, 1])
  })

  it('sends numbers with all of their digits, as they were written', async () => {
    const { long = '' } = ids
    expect(await replay('long', [long])).toMatchObject({ phase: 'Succeeded', done: 1 })
    await engines.recorder.settled()
    const archive = await engines.archive()
    await archive.caughtUp()
    const [again] = (await archive.events({ query: `replayof:${long}` })).items
    expect(String(await archive.payload(again?.id ?? ''))).toBe(
      `{"more":[1E2],"body":{"note":"long","number":${LONG_NUMBER},"price":1.50}}`,
    )
    // It is found by its digits, and not without them.
    const found = async (query: string) => (await archive.events({ query })).items.map(({ id }) => id)
    expect(await found(LONG_NUMBER)).toEqual(expect.arrayContaining([long]))
    expect(await found(`-${LONG_NUMBER}`)).not.toContain(long)
  })

  it('ends when it is aborted, although the archive does not answer', async () => {
    const ended = new AbortController()
    const found = archivedEvents(() => new Promise(() => {}))(
      { namespace: 'default', name: 'default' },
      ['a'],
      ended.signal,
    )
    const next = found[Symbol.asyncIterator]().next()
    ended.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })
})

describe('the events of an archive', () => {
  const source = { namespace: 'default', name: 's', part: 'p' }
  const bus = { namespace: 'default', name: 'default' }
  let path: string
  let archive: Archive
  let recorder: Recorder

  const record = (trace: string, body: Json, more: { at?: number; bus?: string } = {}) =>
    recorder.record({ kind: 'event', trace, source, type: 'webhook', bus: 'default/default', body, ...more })
  const found = async (ids: readonly string[]) => {
    await recorder.settled()
    const outcomes: string[] = []
    for await (const past of archivedEvents(async () => archive)(bus, ids, new AbortController().signal))
      outcomes.push('why' in past ? `${past.id}: ${past.why}` : past.event.id)
    return outcomes
  }

  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'tiphys-past-events-'))
    const journal = createMemoryJournal()
    recorder = createRecorder(journal, { env: systemEnv, mask: createMask({ fields: ['password'] }) })
    archive = await openArchive({ env: systemEnv, database: { file: join(path, 'archive.db') }, journal })
  })
  afterAll(async () => {
    await recorder.close()
    await archive.close()
    await rm(path, { recursive: true, force: true })
  })

  it('come in the order in which they happened, those of one millisecond as they were written down', async () => {
    const many = Array.from({ length: 250 }, (_, i) => i.toString(16).padStart(32, '0'))
    for (const id of many) record(id, { id }, { at: 1000 })
    record('a'.repeat(32), {}, { at: 999 })
    record('b'.repeat(32), {}, { bus: 'default/another' })
    const strange = ['', '*', 'id:*', `${many[0]},${many[1]}`, '"', 'x'.repeat(5000)]
    const asked = [...strange, ...many, 'a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)].reverse()
    expect(await found(asked)).toEqual(['a'.repeat(32), ...many])
  })

  it('are refused where a mask has left something out', async () => {
    let deep: Json = 'below'
    for (let i = 0; i < 300; i++) deep = { deep }
    const applied = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', stringData: { key: 'secret' } })
    const bodies: Readonly<Record<string, Json>> = {
      data: { kind: 'Secret', data: { key: 'secret' } },
      field: { spec: [{ password: 'secret' }] },
      applied: { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } } },
      deep,
      text: { body: applied },
      encoded: { body: Buffer.from(applied).toString('base64') },
      plain: { kind: 'Secret', text: 'what is (masked) by others is a word' },
    }
    for (const [at, [id, body]] of Object.entries(bodies).entries()) record(id, body, { at })
    const masked = (id: string) => expect.stringMatching(new RegExp(`^${id}: its payload was masked`))
    const ids = Object.keys(bodies)
    expect(await found(ids)).toEqual([...ids.slice(0, -1).map(masked), 'plain'])
  })
})
