import { seededRandom } from '@tiphys/env'
import { type Journal, openFileJournal } from '@tiphys/journal'
import { openJetStreamJournal } from '@tiphys/journal/jetstream'
import { crashModes, NatsServer, noNatsServer } from '@tiphys/journal/testing'
import type { KubeObject } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'
import { Life } from './mortal-life.ts'

const isFull = process.env.TIPHYS_FULL !== undefined
const LONG = { timeout: isFull ? 1_200_000 : 120_000 }

/** One Sensor with all that can become of an event: done for each, done for two together, parked, handed to a dead letter. */
const PIPELINE = `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: all}
spec:
  dependencies:
    - {name: a, eventSourceName: hook, eventName: a}
    - {name: b, eventSourceName: hook, eventName: b}
    - {name: even, eventSourceName: hook, eventName: b, filters: {data: [{path: body.n, type: number, value: ["2"]}]}}
  triggers:
    - template:
        name: each
        conditions: a || b
        k8s:
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: each-}, data: {n: ""}}}
          parameters:
            - {src: {dependencyName: a, dataKey: body.n}, dest: data.n}
            - {src: {dependencyName: b, dataKey: body.n}, dest: data.n}
    - template:
        name: both
        conditions: a && even
        k8s:
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: both-}, data: {n: ""}}}
          parameters: [{src: {dependencyName: a, dataKey: body.n}, dest: data.n}]
    - template:
        name: stuck
        conditions: a
        k8s:
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: stuck-}, data: {n: ""}}}
          parameters:
            - {src: {dependencyName: a, dataKey: body.n}, dest: data.n}
            - {src: {dependencyName: a, dataKey: body.n}, dest: metadata.name, operation: append}
    - template:
        name: hopeless
        conditions: b
        k8s:
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}
          parameters: [{src: {dependencyName: b, dataKey: body.none}, dest: data.n}]
      atLeastOnce: true
      dlqTrigger:
        template:
          name: letter
          k8s:
            source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: letter-}, data: {n: ""}}}
            parameters: [{src: {dependencyName: b, dataKey: body.n}, dest: data.n}]
        atLeastOnce: true
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: hook}
spec:
  webhook:
    a: {endpoint: /a, method: POST, port: "0"}
    b: {endpoint: /b, method: POST, port: "0"}
`
const RETRY = `
apiVersion: tiphys.dev/v1alpha1
kind: Retry
metadata: {name: please}
spec: {sensor: all, trigger: stuck}
`

type OpenJournal = (scene: EngineScene, name: string) => Promise<Journal>

/** What came of the events, as sorted pairs of what was made and the number of the event. */
async function outcomeOf(scene: EngineScene): Promise<string[]> {
  const made = (await scene.list('ConfigMap')) as (KubeObject & { data?: { n?: string } })[]
  return made
    .filter(({ metadata }) => metadata.annotations?.['tiphys.dev/action'] !== undefined)
    .map(({ metadata, data }) => `${metadata.name?.replace(/-.*/, '')} ${data?.n}`)
    .sort()
}

interface Death {
  /** Whether there was such a change to die at. */
  wasDead: boolean
  /** What was lost or doubled. */
  problems: string[]
}

const POSSIBLE = ['both 1', 'each 1', 'each 2', 'each 3', 'letter 2', 'letter 3', 'stuck 1']

function problemsOf(outcome: readonly string[], acknowledged: readonly string[]): string[] {
  const isOwed = (one: string) =>
    one === 'both 1' ? ['1', '2'].every(n => acknowledged.includes(n)) : acknowledged.includes(one.slice(-1))
  return [
    ...outcome.filter((one, i) => outcome.indexOf(one) !== i).map(one => `doubled: ${one}`),
    ...outcome.filter(one => !POSSIBLE.includes(one)).map(one => `nobody asked for: ${one}`),
    ...POSSIBLE.filter(one => isOwed(one) && !outcome.includes(one)).map(one => `lost: ${one}`),
  ]
}

/** Runs the pipeline with an engine that dies at a state change, and another one after it. */
async function dieAt(at: number, isBefore: boolean, open: OpenJournal): Promise<Death> {
  const scene = await EngineScene.start({ withEngine: false })
  const old = scene.disk
  let bury = () => {}
  const died = new Promise<void>(resolve => {
    bury = resolve
  })
  const life = new Life(at, isBefore, () => {
    scene.disk = old.crash(crashModes[at % crashModes.length] ?? 'none', seededRandom(at))
    bury()
  })
  await scene.startEngine({
    client: life.client(scene.client),
    recorder: life.recorder(scene.recorder),
    openJournal: async name => life.journal(await open(scene, name)),
  })
  const dead = scene.engine
  const untilDead = async (work: Promise<unknown>) => Promise.race([work.catch(() => {}), died])
  /** Whatever becomes of it takes its own time, on a real server. */
  const until = async (isSo: () => Promise<boolean>) => {
    while (!life.isDead && !(await isSo())) await scene.clock.advance(10)
  }
  const has = (...wanted: string[]) =>
    until(async () => {
      const outcome = await outcomeOf(scene)
      return wanted.every(one => outcome.includes(one))
    })
  const acknowledged: string[] = []
  const send = (entry: string, n: string) => {
    const data = JSON.stringify({ body: { n } })
    const fired = dead.fire({ namespace: 'default', source: 'hook', entry, data, who: 'test' })
    return untilDead(fired.then(() => acknowledged.push(n)))
  }
  // Somebody else's: what would be made under this name is parked.
  await scene.writeConfigMap('stuck-1')
  await untilDead(scene.apply([BUS, PIPELINE].join('---')))
  await until(async () => (await scene.condition('EventSource', 'hook', 'Deployed'))?.status === 'True')
  await send('a', '1')
  await has('each 1')
  await until(async () => (await dead.parked()).length === 1)
  await send('b', '2')
  await has('each 2', 'both 1', 'letter 2')
  await send('b', '3')
  await has('each 3', 'letter 3')
  await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'stuck-1' })
  await untilDead(scene.apply(RETRY))
  await has('stuck 1')
  await untilDead(scene.settled())
  const wasDead = life.isDead
  life.die()

  await scene.startEngine({ openJournal: name => open(scene, name) })
  await scene.settled()
  await scene.advance(20_000)
  const parked = (await scene.engine.parked()).map(({ trigger, error }) => `still parked: ${trigger}, ${error}`)
  const problems = [...problemsOf(await outcomeOf(scene), acknowledged), ...parked]
  const stopped = dead.stop().catch(() => {})
  await scene.clock.advance(10_000)
  await stopped
  await scene.close()
  return { wasDead, problems: problems.map(problem => `${isBefore ? 'before' : 'after'} ${at}: ${problem}`) }
}

/** At every change in full; otherwise at some, others for each way. */
async function dieEverywhere(isBefore: boolean, stride: number, open: OpenJournal) {
  const found = { deaths: 0, problems: [] as string[] }
  const step = isFull ? 1 : stride
  for (let at = isFull || isBefore ? 1 : 1 + Math.floor(step / 2); ; at += step) {
    const { wasDead, problems } = await dieAt(at, isBefore, open)
    found.problems.push(...problems)
    if (!wasDead) return found
    found.deaths++
  }
}

const onFiles: OpenJournal = (scene, directory) =>
  openFileJournal({ directory, env: scene.env, fileSystem: scene.disk })

const WAYS = [
  ['before', true],
  ['after', false],
] as const

describe('an engine that dies at a change of its state', () => {
  it.each(WAYS)('%s it is stored loses and doubles nothing, whatever comes of an event', LONG, async (_, isBefore) => {
    const { deaths, problems } = await dieEverywhere(isBefore, 5, onFiles)
    expect(problems).toEqual([])
    expect(deaths).toBeGreaterThan(2)
  })
})

it('what is lost or doubled would be found out', () => {
  expect(problemsOf(['each 1', 'each 1', 'each 9'], ['1'])).toEqual([
    'doubled: each 1',
    'nobody asked for: each 9',
    'lost: stuck 1',
  ])
})

describe.skipIf(noNatsServer !== '')(`with a bus on JetStream${noNatsServer}`, () => {
  let nats: NatsServer
  beforeAll(async () => {
    nats = await NatsServer.start()
  })
  afterAll(() => nats.dispose())

  it.each(WAYS)('an engine that dies %s it is stored loses and doubles nothing', LONG, async (way, isBefore) => {
    let lives = 0
    const streams = new WeakMap<EngineScene, string>()
    const onJetStream: OpenJournal = scene => {
      const stream = streams.get(scene) ?? `${way}-${++lives}`
      streams.set(scene, stream)
      return openJetStreamJournal({ connection: { servers: [nats.address] }, stream, env: scene.env })
    }
    const { deaths, problems } = await dieEverywhere(isBefore, 7, onJetStream)
    expect(problems).toEqual([])
    expect(deaths).toBeGreaterThan(1)
  })
})
