import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene, SENSOR, SOURCE } from './events-engine-scene.ts'

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
      message: '1 events would be sent',
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
    expect(scene.recordsOf('event')).toHaveLength(10)
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
