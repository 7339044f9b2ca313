import { NatsServer, noNatsServer } from '@tiphys/journal/testing'
import { type KubeObject, readYaml } from '@tiphys/kube'
import { afterEach, describe, expect, it } from 'vitest'
import type { EngineProcess } from './engine-process.ts'
import { conditionOf, SENSOR } from './engine-scene.ts'
import { embeddedServer, LossScene } from './loss-scene.ts'

const LONG = { timeout: 120_000 }
const OTHERS = 40

let scene: LossScene
let nats: NatsServer | undefined

afterEach(async () => {
  await scene.close()
  await nats?.dispose()
  nats = undefined
})

/** The same Sensor, but a program looks at every event. */
const THINKING = SENSOR.replace('filters: {data: [{path: type, type: string, value: [ADD]}]}', "transform: {jq: '.'}")

async function open(sensor: string, bus?: string): Promise<void> {
  scene = await LossScene.open(await embeddedServer(), bus === undefined ? {} : { bus })
  for (const { value } of await readYaml(sensor)) await create(value as KubeObject)
}

const create = (object: KubeObject) =>
  scene.server.client.create({ ...object, metadata: { namespace: 'default', ...object.metadata } })

const find = (kind: string, name: string, apiVersion = 'v1') =>
  scene.server.client.get<KubeObject>({ apiVersion, kind, namespace: 'default', name })

async function names(): Promise<string[]> {
  const { items } = await scene.server.client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })
  return items.map(({ metadata }) => metadata.name ?? '').filter(name => name.startsWith('out-'))
}

/** Starts engines as Kubernetes would: the next one when one has died. Resolves with how many died until it is so. */
async function startUntil(isSo: () => Promise<boolean>): Promise<{ deaths: number; engine: EngineProcess }> {
  for (let deaths = 0; ; deaths++) {
    const engine = scene.start('fragile')
    if (await livesUntil(engine, isSo)) return { deaths, engine }
  }
}

async function livesUntil(engine: EngineProcess, isSo: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    if (engine.child.exitCode !== null || engine.child.signalCode !== null) return false
    // One that has lost itself in a loop is ended from outside, as a liveness probe would.
    if (engine.count('dies by loop') > 0) await engine.end('SIGKILL')
    else if (await isSo()) return true
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** That it failed is told a moment before it is parked, with the same words. */
const isParked = async () => {
  const sensor = await find('Sensor', 'copy', 'argoproj.io/v1alpha1')
  const { message = '' } = conditionOf(sensor, 'Healthy') ?? {}
  return /wait for a Retry or a Discard: .*the engine's process has died 3 times/s.test(message)
}

const areOthersDone = async () => (await names()).length === OTHERS

async function writeObjects(poison: string): Promise<void> {
  for (let n = 0; n < OTHERS; n++) {
    if (n === OTHERS / 2) await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: poison } })
    await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `in-${n}` } })
  }
}

describe('an event that ends the process', () => {
  it.each([
    ['exits', 'in-poison-exit', SENSOR],
    ['throws where nobody catches it', 'in-poison-throw', SENSOR],
    ['never comes back', 'in-poison-loop', SENSOR],
    ['exits in a program of the Sensor', 'in-poison-exit', THINKING],
  ])('that %s is parked after three deaths, and everything else goes on', LONG, async (_, poison, sensor) => {
    await open(sensor)
    // They are found when the first engine starts.
    await writeObjects(poison)
    const { deaths, engine } = await startUntil(async () => (await areOthersDone()) && (await isParked()))
    expect(deaths).toBe(3)
    expect(await names()).not.toContain(`out-${poison}`)
    // The receiver of the other Sensor got it as well as all others.
    expect(await scene.missing()).toEqual([])
    // Settled: what comes next is delivered by the same process.
    await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'in-later' } })
    expect(await livesUntil(engine, async () => (await names()).includes('out-in-later'))).toBe(true)
    await engine.says('ready')
    expect(await engine.end('SIGTERM')).toBe(0)
  })

  it('is tried once more for a Retry, and parked again by the death that follows', LONG, async () => {
    await open(SENSOR)
    await writeObjects('in-poison-exit')
    const first = await startUntil(async () => (await areOthersDone()) && (await isParked()))
    expect(first.deaths).toBe(3)
    await create({
      apiVersion: 'tiphys.dev/v1alpha1',
      kind: 'Retry',
      metadata: { name: 'again' },
      spec: { sensor: 'copy' },
    })
    const isOver = async () => {
      const { status } = await find('Retry', 'again', 'tiphys.dev/v1alpha1')
      return ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '')
    }
    const hasSurvived = await livesUntil(first.engine, isOver)
    const { status } = await find('Retry', 'again', 'tiphys.dev/v1alpha1')
    expect(hasSurvived, JSON.stringify(status)).toBe(false)
    const second = await startUntil(isOver)
    expect(second.deaths).toBe(0)
    expect((await find('Retry', 'again', 'tiphys.dev/v1alpha1')).status).toMatchObject({
      phase: 'Failed',
      message: '1 of 1 delivery failed again and stays parked',
    })
    await create({
      apiVersion: 'tiphys.dev/v1alpha1',
      kind: 'Discard',
      metadata: { name: 'away' },
      spec: { sensor: 'copy', reason: 'it kills' },
    })
    const isHealthy = async () => {
      const sensor = await find('Sensor', 'copy', 'argoproj.io/v1alpha1')
      return conditionOf(sensor, 'Healthy')?.status === 'True'
    }
    expect(await livesUntil(second.engine, isHealthy)).toBe(true)
  })

  it.skipIf(noNatsServer)(`is found out on a bus of NATS as well${noNatsServer}`, LONG, async () => {
    nats = await NatsServer.start()
    await open(SENSOR, `{jetstreamExotic: {url: "nats://${nats.address}"}}`)
    await writeObjects('in-poison-exit')
    const { deaths } = await startUntil(async () => (await areOthersDone()) && (await isParked()))
    expect(deaths).toBe(3)
    expect(await scene.missing()).toEqual([])
  })
})
