import type { Event, FindPastEvents, PastEvent } from '@tiphys/events'
import type { TraceRecord } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene, SENSOR, SOURCE } from './engine-scene.ts'

let scene: EngineScene

beforeEach(async () => {
  scene = await EngineScene.start()
})
afterEach(() => scene.close())

const action = (kind: string, spec: string) => `
apiVersion: tiphys.dev/v1alpha1
kind: ${kind}
metadata: {name: please, annotations: {tiphys.dev/made-by: ann}}
spec: ${spec}
`

const FAILING = SENSOR.replace('metadata: {name: out-}', 'metadata: {name: taken}').replace(
  / {10}parameters:[\s\S]*$/,
  '',
)

async function park(...names: string[]): Promise<void> {
  await scene.apply([BUS, FAILING, SOURCE].join('---'))
  await scene.writeConfigMap('taken')
  for (const name of names) await scene.writeConfigMap(name)
  await scene.settled()
  expect(await scene.engine.parked()).toHaveLength(names.length)
}

const statusOf = async (kind: string) => (await scene.get(kind, 'please')).status

describe('a Replay', () => {
  it('sends events again, as new ones that name the original', async () => {
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    for (const name of ['in-a', 'in-b']) await scene.writeConfigMap(name)
    await scene.settled()
    const originals = scene.recordsOf('event').map(({ trace }) => trace)
    for (const name of ['out-in-a', 'out-in-b'])
      await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name })
    await scene.apply(action('Replay', '{source: maps}'))
    await scene.advance(1000)
    expect(await scene.configMaps()).toEqual(['in-a', 'in-b', 'out-in-a', 'out-in-b'])
    expect(
      scene
        .recordsOf('event')
        .slice(2)
        .map(({ replayOf }) => replayOf),
    ).toEqual(originals)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 2, done: 2, by: 'ann' })
    expect(scene.recordsOf('audit')).toMatchObject([{ did: 'replay', who: 'ann', outcome: 'allowed' }])
  })

  it('only counts where it is asked to', async () => {
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    await scene.writeConfigMap('in-a')
    await scene.settled()
    await scene.apply(action('Replay', '{mode: Count}'))
    await scene.advance(1000)
    expect(await statusOf('Replay')).toMatchObject({
      phase: 'Succeeded',
      total: 1,
      done: 0,
      message: '1 event would be sent',
    })
    expect(scene.recordsOf('event')).toHaveLength(1)
  })

  it('goes to one Sensor where it is asked to', async () => {
    const other = SENSOR.replace('name: copy', 'name: other').replace('name: out-', 'name: other-')
    await scene.apply([BUS, SENSOR, other, SOURCE].join('---'))
    await scene.writeConfigMap('in-a')
    await scene.settled()
    for (const name of ['out-in-a', 'other-in-a'])
      await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name })
    await scene.apply(action('Replay', '{sensor: other}'))
    await scene.advance(1000)
    expect(await scene.configMaps()).toEqual(['in-a', 'other-in-a'])
  })

  it('goes on after a restart, and sends nothing twice', async () => {
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    for (let i = 0; i < 5; i++) await scene.writeConfigMap(`in-${i}`)
    await scene.settled()
    await scene.apply(action('Replay', '{rate: 1}'))
    await scene.advance(2000)
    const sent = scene.recordsOf('event').length - 5
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(5)
    await scene.engine.stop()
    await scene.startEngine()
    await scene.advance(10_000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 5 })
    expect(new Set(scene.recordsOf('event').map(({ trace }) => trace)).size).toBe(10)
  })

  it('records what it had stored just before a crash, of which the record was lost', async () => {
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    for (const name of ['in-a', 'in-b', 'in-c']) await scene.writeConfigMap(name)
    await scene.settled()
    const originals = scene.recordsOf('event').map(({ trace }) => trace)
    await scene.apply(action('Replay', '{rate: 1}'))
    await scene.engine.stop()
    expect(scene.recordsOf('event')).toHaveLength(4)
    scene.records.splice(scene.records.indexOf(scene.recordsOf('event')[3] as TraceRecord), 1)
    await scene.startEngine()
    await scene.advance(3000)
    const repeats = scene.recordsOf('event').flatMap(({ replayOf = [] }) => replayOf)
    expect(repeats).toEqual(originals)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', done: 3 })
  })

  it('waits for a bus that is full, and says what it waits for', async () => {
    const limited = SENSOR.replace('- template:', '- rateLimit: {unit: Minute, requestsPerUnit: 1}\n      template:')
    await scene.apply([BUS.replace('native: {}', 'native: {maxMsgs: 3}'), limited, SOURCE].join('---'))
    for (const name of ['in-a', 'in-b', 'in-c', 'in-d']) await scene.writeConfigMap(name)
    await scene.settled()
    await scene.apply(action('Replay', '{source: maps}'))
    await scene.advance(1000)
    expect(await statusOf('Replay')).toMatchObject({
      phase: 'Running',
      total: 3,
      message: expect.stringMatching(
        /^Events are held back: The event bus takes no more events.*of them still to handle/,
      ),
    })
    await scene.advance(300_000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', done: 3, message: '3 events were sent again' })
  })

  it('goes on, and tells its end, though the API server does not take what it tells for a while', async () => {
    let refusals = 0
    await scene.engine.stop()
    const patch: Client['patch'] = (ref, body, options) => {
      if (ref.kind !== 'Replay' || refusals++ >= 4) return scene.client.patch(ref, body, options)
      return Promise.reject(new Error('the API server is away'))
    }
    const client = new Proxy(scene.client, {
      get: (of, name) => (name === 'patch' ? patch : (Reflect.get(of, name) as () => void).bind(of)),
    })
    await scene.startEngine({ client })
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    for (const name of ['in-a', 'in-b']) await scene.writeConfigMap(name)
    await scene.settled()
    await scene.apply(action('Replay', '{source: maps}'))
    await scene.advance(60_000)
    expect(refusals).toBeGreaterThan(4)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 2, done: 2 })
  })
})

describe('a Replay of events that the bus has no more', () => {
  const idOf = (digit: string) => digit.repeat(32)
  const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')]
  const asked: { bus: object; ids: readonly string[] }[] = []
  let known: PastEvent[] = []
  let trouble: Error | undefined

  const findPast: FindPastEvents = async function* (bus, ids) {
    asked.push({ bus, ids })
    if (trouble) throw trouble
    yield* known.filter(found => ids.includes('why' in found ? found.id : found.event.id))
  }
  const past = (id: string, name: string, time: string): { event: Event } => ({
    event: {
      id,
      source: 'maps',
      subject: 'changed',
      type: 'resource',
      time,
      data: `{"type": "ADD", "body": {"metadata": {"name": "${name}"}}}`,
      key: `ConfigMap default/${name}`,
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name, resourceVersion: '7' },
    },
  })
  const replay = (spec: object) => scene.apply(action('Replay', JSON.stringify(spec)))
  const repeats = () => scene.recordsOf('event').filter(({ replayOf }) => replayOf !== undefined)

  beforeEach(async () => {
    asked.length = 0
    known = []
    trouble = undefined
    await scene.close()
    scene = await EngineScene.start({ pastEvents: findPast })
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
  })

  it('sends them as they were, among those of the bus in the order of their times', async () => {
    await scene.writeConfigMap('in-bus')
    await scene.settled()
    const onBus = scene.recordsOf('event')[0]?.trace ?? ''
    await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'out-in-bus' })
    known = [past(A, 'in-old', '2020-01-01T00:00:00Z'), past(B, 'in-late', '2030-01-01T00:00:00Z')]
    await replay({ events: [B, onBus, A] })
    await scene.advance(1000)
    expect(asked).toEqual([{ bus: { namespace: 'default', name: 'default' }, ids: [B, A] }])
    expect(repeats().map(({ replayOf }) => replayOf)).toEqual([A, onBus, B])
    expect(repeats()[0]).toMatchObject({
      source: { namespace: 'default', name: 'maps', part: 'changed' },
      type: 'resource',
      key: 'ConfigMap default/in-old',
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'in-old' },
      resourceVersion: '7',
      body: { type: 'ADD', body: { metadata: { name: 'in-old' } } },
    })
    expect(await scene.configMaps()).toEqual(['in-bus', 'out-in-bus', 'out-in-late', 'out-in-old'])
    expect(await statusOf('Replay')).toMatchObject({
      phase: 'Succeeded',
      total: 3,
      done: 3,
      message: '3 events were sent again',
    })
  })

  it('names the first event where it repeats one that was a repeat', async () => {
    const { event } = past(B, 'in-old', '2020-01-01T00:00:00Z')
    known = [{ event: { ...event, replayOf: A, only: { sensor: 'nobody' } } }]
    await replay({ events: [B], sensor: 'copy' })
    await scene.advance(1000)
    expect(repeats()).toMatchObject([{ replayOf: A }])
    expect(await scene.configMaps()).toEqual(['out-in-old'])
    expect(await statusOf('Replay')).toMatchObject({ message: '1 event was sent again' })
  })

  it('sends the rest where one cannot be had or nobody knows it, and has failed with words that say which and why', async () => {
    known = [{ id: A, why: 'it was masked' }, past(B, 'in-old', '2020-01-01T00:00:00Z')]
    await replay({ events: [A, B, C] })
    await scene.advance(1000)
    expect(repeats().map(({ replayOf }) => replayOf)).toEqual([B])
    expect(await statusOf('Replay')).toMatchObject({
      phase: 'Failed',
      total: 3,
      done: 1,
      message: `1 event was sent again, 2 were not: ${A}: it was masked; ${C}: neither the bus nor the history has it`,
    })
  })

  it('names a few where many are not known', async () => {
    const many = Array.from({ length: 12 }, (_, i) => i.toString(16).padStart(32, '0'))
    await replay({ events: many })
    await scene.advance(1000)
    const { message } = (await statusOf('Replay')) as { message: string }
    expect(message).toMatch(/^0 events were sent again, 12 were not: 0{32}: .*; 0{31}4: [^;]*; and 7 more$/)
  })

  it('only counts where it is asked to', async () => {
    known = [{ id: A, why: 'it was masked' }, past(B, 'in-old', '2020-01-01T00:00:00Z')]
    await replay({ events: [A, B], mode: 'Count' })
    await scene.advance(1000)
    expect(repeats()).toEqual([])
    expect(await statusOf('Replay')).toMatchObject({
      phase: 'Succeeded',
      done: 0,
      refused: 1,
      message: `1 event would be sent, 1 would not: ${A}: it was masked`,
    })
  })

  it('leaves out what it does not mean', async () => {
    known = [past(A, 'in-old', '2020-01-01T00:00:00Z'), past(B, 'in-late', '2030-01-01T00:00:00Z')]
    await replay({ events: [A, B], from: '2025-01-01T00:00:00Z' })
    await scene.advance(1000)
    expect(repeats().map(({ replayOf }) => replayOf)).toEqual([B])
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 1, done: 1 })
  })

  it('asks nobody for what the bus has, nor where no event is named', async () => {
    await scene.writeConfigMap('in-a')
    await scene.settled()
    await replay({ events: [scene.recordsOf('event')[0]?.trace] })
    await scene.advance(1000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 1, done: 1 })
    await scene.client.delete({
      apiVersion: 'tiphys.dev/v1alpha1',
      kind: 'Replay',
      namespace: 'default',
      name: 'please',
    })
    await scene.settled()
    await replay({ source: 'maps' })
    await scene.advance(1000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 1 })
    expect(asked).toEqual([])
  })

  it('goes on after a restart, and sends nothing twice', async () => {
    const ids = ['1', '2', '3', '4'].map(idOf)
    known = ids.map((id, i) => past(id, `in-${i}`, `2020-01-0${i + 1}T00:00:00Z`))
    await replay({ events: ids, rate: 1 })
    await scene.advance(1000)
    expect(repeats().length).toBeGreaterThan(0)
    expect(repeats().length).toBeLessThan(4)
    await scene.engine.stop()
    await scene.startEngine()
    await scene.advance(10_000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 4, done: 4 })
    expect([...new Set(repeats().map(({ replayOf }) => replayOf))]).toEqual(ids)
    expect(new Set(repeats().map(({ trace }) => trace)).size).toBe(4)
  })

  it('sends what is too much to hold as the history has it, where the bus drops it while others are sent', async () => {
    await scene.close()
    scene = await EngineScene.start({ pastEvents: findPast })
    await scene.apply([BUS.replace('native: {}', 'native: {maxMsgs: 20}'), SENSOR, SOURCE].join('---'))
    const names = Array.from({ length: 20 }, (_, i) => `in-${i + 10}`)
    for (const name of names) {
      await scene.writeConfigMap(name, { large: 'x'.repeat(1_000_000) })
      await scene.settled()
    }
    const originals = scene.recordsOf('event').map(({ trace }) => trace)
    known = originals.map((id, i) => past(id, names[i] ?? '', '2026-03-04T05:06:07Z'))
    await replay({ source: 'maps' })
    await scene.advance(10_000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Succeeded', total: 20, done: 20 })
    expect(asked.length).toBeGreaterThan(0)
    expect(originals.slice(-5)).toEqual(expect.arrayContaining(asked.flatMap(({ ids }) => ids)))
    expect(repeats().map(({ replayOf }) => replayOf)).toEqual(originals)
  })

  it('stops to look for them when it is deleted', async () => {
    await scene.engine.stop()
    let isAborted = false
    await scene.startEngine({
      async *pastEvents(_bus, _ids, signal) {
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        isAborted = signal.aborted
        yield past(A, 'in-old', '2020-01-01T00:00:00Z')
      },
    })
    const ref = { apiVersion: 'tiphys.dev/v1alpha1', kind: 'Replay', namespace: 'default', name: 'please' }
    await scene.client.create({ ...ref, metadata: { namespace: 'default', name: 'please' }, spec: { events: [A] } })
    await scene.until(async () => (await statusOf('Replay')) !== undefined)
    await scene.client.delete(ref)
    await scene.until(() => isAborted)
    await scene.settled()
    expect(repeats()).toEqual([])
  })

  it('says why where they cannot be asked for', async () => {
    trouble = new Error('the database is away')
    await replay({ events: [A] })
    await scene.advance(1000)
    expect(await statusOf('Replay')).toMatchObject({ phase: 'Failed', done: 0, message: 'the database is away' })
  })
})

it('what is parked is said with its reason, also by the process after the one that parked it', async () => {
  await park('in-a')
  const said = async () => (await scene.condition('Sensor', 'copy', 'Healthy'))?.message
  await scene.engine.stop()
  await scene.startEngine()
  await scene.advance(10_000)
  expect(await said()).toMatch(/make: deliveries have failed for good and wait for a Retry or a Discard: .*taken/)
})

describe('a Retry', () => {
  it('tries parked deliveries again, under the keys they had', async () => {
    await park('in-a')
    const [before] = await scene.engine.parked()
    await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'taken' })
    await scene.apply(action('Retry', '{sensor: copy}'))
    await scene.advance(10_000)
    expect(await scene.engine.parked()).toEqual([])
    expect((await scene.get('ConfigMap', 'taken')).metadata.annotations?.['tiphys.dev/action']).toBe(before?.action.key)
    expect(await scene.condition('Sensor', 'copy', 'Healthy')).toMatchObject({ status: 'True' })
  })

  it('says what failed again', async () => {
    await park('in-a', 'in-b')
    await scene.apply(action('Retry', '{sensor: copy, trigger: make}'))
    await scene.advance(1000)
    expect(await statusOf('Retry')).toMatchObject({
      phase: 'Failed',
      done: 2,
      message: '2 of 2 deliveries failed again and stay parked',
    })
    expect(await scene.engine.parked()).toHaveLength(2)
  })

  it('says that there is no such Sensor', async () => {
    await scene.apply(action('Retry', '{sensor: none}'))
    await scene.advance(1000)
    expect(await statusOf('Retry')).toMatchObject({
      phase: 'Failed',
      message: 'There is no Sensor default/none that runs',
    })
  })
})

describe('a Discard', () => {
  it('ends parked deliveries, with the reason in the record', async () => {
    await park('in-a', 'in-b')
    const [first] = await scene.engine.parked()
    const id = Object.values(first?.action.events ?? {})[0]?.id
    await scene.apply(action('Discard', `{sensor: copy, events: [${id}], reason: obsolete}`))
    await scene.advance(1000)
    expect(await scene.engine.parked()).toHaveLength(1)
    expect(scene.recordsOf('delivery').at(-1)).toMatchObject({ outcome: 'discarded', reason: 'obsolete', trace: id })
    expect(await statusOf('Discard')).toMatchObject({ phase: 'Succeeded', total: 1, done: 1 })
  })
})

describe('a Sensor that waits for completion', () => {
  const WORKFLOWS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: workflows.argoproj.io}
spec:
  group: argoproj.io
  scope: Namespaced
  names: {kind: Workflow, plural: workflows, singular: workflow, listKind: WorkflowList}
  versions:
    - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
  const SERIAL = `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: serial, annotations: {tiphys.dev/serialize: completion}}
spec:
  dependencies: [{name: map, eventSourceName: maps, eventName: changed}]
  triggers:
    - template:
        name: run
        k8s: {source: {resource: {apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {generateName: run-}, spec: {}}}}
`

  it('begins the next Workflow of an object when the last one is over, and others meanwhile', async () => {
    await scene.apply(WORKFLOWS)
    await scene.untilEstablished('workflows.argoproj.io')
    await scene.apply([BUS, SERIAL, SOURCE].join('---'))
    await scene.writeConfigMap('in-a', { value: '1' })
    await scene.settled()
    await scene.writeConfigMap('in-a', { value: '2' })
    await scene.writeConfigMap('in-b')
    await scene.settled()
    expect(await scene.list('Workflow')).toHaveLength(2)
    await scene.engine.stop()
    await scene.startEngine()
    await scene.settled()
    expect(await scene.list('Workflow')).toHaveLength(2)
    for (const { metadata } of await scene.list('Workflow'))
      await scene.client.patch(
        { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'default', name: metadata.name ?? '' },
        { type: 'merge', patch: { status: { phase: 'Succeeded' } } },
      )
    await scene.until(async () => (await scene.list('Workflow')).length === 3)
  })
})
