import { type Random, seededRandom } from '@tiphys/env'
import { type Journal, openFileJournal } from '@tiphys/journal'
import { crashModes, SimulatedDisk } from '@tiphys/journal/testing'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import { afterEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene, SENSOR, SOURCE } from './engine-scene.ts'
import { type Fault, faultyClient } from './faulty-client.ts'
import { contradictionsIn, type Delivery, missingFrom } from './ledger.ts'
import { mortalRecorder } from './mortal-life.ts'

const isFull = process.env.TIPHYS_FULL !== undefined
const LONG = { timeout: isFull ? 600_000 : 60_000 }

let scene: EngineScene

afterEach(() => scene.close())

/** What was published, as a receiver of everything would have seen it. */
const published = (): Delivery[] =>
  scene.recordsOf('event').map(({ trace, body, object }) => {
    const { type, body: of } = body as unknown as { type: string; body: KubeObject }
    const { uid = '', resourceVersion = '' } = of.metadata
    return { key: trace, id: trace, type, name: object?.name ?? '', uid, resourceVersion }
  })

const present = async () => (await scene.list('ConfigMap')).filter(({ metadata }) => metadata.name?.startsWith('in-'))

async function writeSomething(random: Random): Promise<void> {
  const name = `in-${Math.floor(random.next() * 10)}`
  if (random.next() < 0.7) await scene.writeConfigMap(name, { value: String(random.next()) })
  else
    await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name }).catch(error => {
      if (!isNotFound(error)) throw error
    })
}

describe('watches that are cut, repeat themselves or have expired', () => {
  async function run(seed: number, faults: number): Promise<number> {
    const random = seededRandom(seed)
    let happened = 0
    scene = await EngineScene.start({ withEngine: false })
    const fates = ['twice', 'cut', 'expired'] as const
    const troubled = faultyClient(scene.client, {
      onWatch: ({ object }) => {
        if (object.kind !== 'ConfigMap' || random.next() > 0.3) return 'pass'
        happened++
        return fates[Math.floor(random.next() * fates.length)] ?? 'pass'
      },
    })
    await scene.startEngine({ actAs: () => troubled })
    await scene.apply([BUS, SOURCE].join('---'))
    while (happened < faults) {
      await writeSomething(random)
      if (random.next() < 0.3) await scene.advance(2000)
    }
    await scene.advance(600_000)
    return happened
  }

  it.each([1, 2, 3])('lose no last state, no deletion and no order (seed %i)', LONG, async seed => {
    expect(await run(seed, isFull ? 170 : 30)).toBeGreaterThanOrEqual(30)
    expect(missingFrom(published(), await present())).toEqual([])
    expect(contradictionsIn(published())).toEqual([])
  })
})

describe('a watch that became a black hole', () => {
  it('is noticed and said within a minute, replaced, and what happened meanwhile arrives', async () => {
    let isSilent = false
    scene = await EngineScene.start({ withEngine: false })
    const troubled = faultyClient(scene.client, {
      onWatch: ({ object }) => (isSilent && object.kind === 'ConfigMap' ? 'silent' : 'pass'),
    })
    await scene.startEngine({ actAs: () => troubled })
    await scene.apply([BUS, SOURCE].join('---'))
    await scene.writeConfigMap('in-a', { value: '1' })
    await scene.settled()
    const story = () => published().map(({ type, name }) => `${type} ${name}`)
    expect(story()).toEqual(['ADD in-a'])
    isSilent = true
    await scene.writeConfigMap('in-b', { value: '1' })
    await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'in-a' })
    await scene.settled()
    await scene.advance(59_000)
    expect(await scene.condition('EventSource', 'maps', 'Healthy')).toMatchObject({
      status: 'False',
      reason: 'WatchStalled',
      message: expect.stringContaining('the server has said nothing for 58 s'),
    })
    expect(story()).toEqual(['ADD in-a'])
    isSilent = false
    await scene.advance(59_000)
    expect(new Set(story().slice(1))).toEqual(new Set(['ADD in-b', 'DELETE in-a']))
    expect(await scene.condition('EventSource', 'maps', 'Healthy')).toMatchObject({ status: 'True' })
  })
})

describe('a watch on which nothing happens', () => {
  it('is not taken for one that leads nowhere, and lists nothing again', async () => {
    let lists = 0
    scene = await EngineScene.start({ withEngine: false })
    const counting = new Proxy(scene.client, {
      get(client, name) {
        const call = Reflect.get(client, name) as (...args: unknown[]) => unknown
        if (name !== 'watch') return call.bind(client)
        return (...args: unknown[]) => {
          if ((args[1] as { sendInitialEvents?: boolean }).sendInitialEvents) lists++
          return call.apply(client, args)
        }
      },
    })
    await scene.startEngine({ actAs: () => counting })
    await scene.apply([BUS, SOURCE].join('---'))
    await scene.settled()
    const before = scene.records.length
    for (let minute = 0; minute < 10; minute++) await scene.advance(60_000)
    expect(lists).toBe(1)
    expect(await scene.condition('EventSource', 'maps', 'Healthy')).toMatchObject({ status: 'True' })
    expect(scene.records.slice(before).filter(({ kind }) => kind === 'health')).toEqual([])
  })
})

describe('writes that fail', () => {
  const faults: Fault[] = [
    { type: 'answer', code: 409 },
    { type: 'answer', code: 429 },
    { type: 'answer', code: 500 },
    { type: 'answer', code: 503 },
    { type: 'unsent' },
    { type: 'done, and not answered' },
  ]
  const name = (fault: Fault) => (fault.type === 'answer' ? `answer ${fault.code}` : fault.type)
  const web = 'apiVersion: v1, kind: ConfigMap, metadata: {name: web}'
  const ways: Record<string, { k8s: string; isOnce: (objects: KubeObject[]) => boolean }> = {
    create: {
      k8s: '{source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}}}}',
      isOnce: objects => objects.filter(({ metadata }) => metadata.name?.startsWith('made-')).length === 1,
    },
    update: {
      k8s: `{operation: update, liveObject: true, source: {resource: {${web}}}, parameters: [{src: {dependencyName: map, value: x}, dest: data.log, operation: append}]}`,
      isOnce: objects => logOf(objects) === 'ax',
    },
    patch: {
      k8s: `{operation: patch, source: {resource: {${web}, data: {log: ax}}}}`,
      isOnce: objects => logOf(objects) === 'ax',
    },
    apply: {
      k8s: `{operation: apply, source: {resource: {${web}, data: {log: ax}}}}`,
      isOnce: objects => logOf(objects) === 'ax',
    },
    delete: {
      k8s: `{operation: delete, source: {resource: {${web}}}}`,
      isOnce: objects => objects.every(({ metadata }) => metadata.name !== 'web'),
    },
  }
  const logOf = (objects: KubeObject[]) =>
    (objects.find(({ metadata }) => metadata.name === 'web') as { data?: { log?: string } } | undefined)?.data?.log

  const sensor = (k8s: string) => `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: once}
spec:
  dependencies: [{name: map, eventSourceName: maps, eventName: changed}]
  triggers:
    - template: {name: write, k8s: ${k8s}}
      retryStrategy: {steps: 5, duration: 1s}
`

  /** The first two writes of the Sensor go wrong. */
  async function run(k8s: string, fault: Fault): Promise<KubeObject[]> {
    let failed = 0
    scene = await EngineScene.start({ withEngine: false })
    await scene.writeConfigMap('web', { log: 'a' })
    const faulty = faultyClient(scene.client, { onWrite: () => (failed++ < 2 ? fault : undefined) })
    await scene.startEngine({ actAs: () => faulty })
    await scene.apply([BUS, sensor(k8s), SOURCE].join('---'))
    await scene.writeConfigMap('in-a')
    await scene.settled()
    await scene.advance(60_000)
    expect(failed).toBeGreaterThanOrEqual(1)
    return scene.list('ConfigMap')
  }

  it.each(
    Object.entries(ways).flatMap(([way, { k8s, isOnce }]) =>
      faults.map(fault => [way, name(fault), k8s, fault, isOnce] as const),
    ),
  )('have their effect once: %s, %s', async (_, __, k8s, fault, isOnce) => {
    expect(isOnce(await run(k8s, fault))).toBe(true)
    expect(await scene.engine.parked()).toEqual([])
  })
})

describe('an engine that dies at a write', () => {
  class Life {
    isDead = false
    #appends = 0
    readonly #at: number
    readonly #isBefore: boolean

    constructor(at: number, isBefore: boolean) {
      this.#at = at
      this.#isBefore = isBefore
    }

    of(journal: Journal, die: () => void): Journal {
      const append = async (record: Parameters<Journal['append']>[0]) => {
        const isLast = ++this.#appends === this.#at
        if (isLast && this.#isBefore) die()
        const position = await journal.append(record)
        if (isLast && !this.#isBefore) die()
        return position
      }
      return new Proxy(journal, {
        get(_, name: string) {
          const value = journal[name as keyof Journal]
          if (name === 'append') return append
          return typeof value === 'function' ? value.bind(journal) : value
        },
      })
    }
  }

  /** Whether there was such a write. */
  async function dieAt(at: number, isBefore: boolean): Promise<boolean> {
    const random = seededRandom(at)
    const life = new Life(at, isBefore)
    const mode = crashModes[at % crashModes.length] ?? 'none'
    scene = await EngineScene.start({ withEngine: false })
    const old = scene.disk
    const die = () => {
      life.isDead = true
      scene.disk = old.crash(mode, random)
    }
    const mortal = faultyClient(scene.client, { isDead: () => life.isDead })
    await scene.startEngine({
      client: mortal,
      recorder: mortalRecorder(scene.recorder, () => life.isDead),
      openJournal: async name =>
        life.of(await openFileJournal({ directory: name, env: scene.env, fileSystem: old }), die),
    })
    const dead = scene.engine
    const isOver = (work: Promise<unknown>) => Promise.race([work, scene.until(() => life.isDead).catch(() => {})])
    await isOver(scene.apply([BUS, SENSOR, SOURCE].join('---')))
    for (const name of ['in-a', 'in-b']) await scene.writeConfigMap(name)
    await isOver(scene.settled())
    await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'in-b' })
    await isOver(scene.settled())
    const wasDead = life.isDead
    if (!wasDead) die()
    await scene.startEngine()
    await scene.settled()
    await scene.advance(5000)
    const made = (await scene.configMaps()).filter(name => name.startsWith('out-'))
    // What was there only while nobody looked may never have been seen.
    expect(made.filter(name => name !== 'out-in-b')).toEqual(['out-in-a'])
    expect(missingFrom(published(), await present()), `${at} ${isBefore ? 'before' : 'after'}`).toEqual([])
    expect(contradictionsIn(published())).toEqual([])
    expect(await scene.engine.parked()).toEqual([])
    await dead.stop().catch(() => {})
    return wasDead
  }

  it.each([
    ['before', true],
    ['after', false],
  ])('%s it is stored goes on as if nothing had been', LONG, async (_, isBefore) => {
    let deaths = 0
    for (let at = 1; ; at++) {
      const wasDead = await dieAt(at, isBefore)
      if (!wasDead) break
      deaths++
      await scene.close()
      if (!isFull && at % 2 === 0) at++
    }
    expect(deaths).toBeGreaterThan(6)
  })
})

describe('a server that does not answer', () => {
  it('holds up nobody for ever', async () => {
    scene = await EngineScene.start({ withEngine: false })
    let held = 0
    const { client } = scene
    const silent = new Proxy(client, {
      get(_, name: string) {
        const call = (client[name as keyof Client] as (...args: unknown[]) => unknown).bind(client)
        if (name !== 'create' || held > 0) return call
        return (_object: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => {
            held++
            signal.addEventListener('abort', () => reject(new Error('given up')))
          })
      },
    })
    await scene.startEngine({ actAs: () => silent })
    await scene.apply([BUS, SENSOR, SOURCE].join('---'))
    await scene.writeConfigMap('in-a')
    await scene.until(() => held === 1)
    for (let seconds = 0; seconds < 40; seconds++) await scene.clock.advance(1000)
    await scene.settled()
    expect(await scene.configMaps()).toContain('out-in-a')
    expect(scene.recordsOf('delivery')).toMatchObject([
      { outcome: 'started', attempt: 1 },
      { outcome: 'failed', reason: 'events-no-answer' },
      { outcome: 'succeeded', attempt: 2 },
    ])
  })
})

describe('poison', () => {
  it('is parked, and nobody else waits for it', async () => {
    scene = await EngineScene.start()
    const poisoned = SENSOR.replace(
      'operation: append}',
      'operation: append}\n            - {src: {dependencyName: map, dataKey: body.data.needed}, dest: data.needed}',
    ).concat('      retryStrategy: {steps: 3, duration: 1m}\n')
    await scene.apply([BUS, poisoned, SOURCE].join('---'))
    for (let i = 0; i < 60; i++) await scene.writeConfigMap(`in-${i}`, i % 2 === 0 ? {} : { needed: 'x' })
    await scene.settled()
    // No time has passed, and every other one is done.
    expect((await scene.configMaps()).filter(name => name.startsWith('out-'))).toHaveLength(30)
    await scene.advance(600_000)
    expect(await scene.engine.parked()).toHaveLength(30)
    expect((await scene.configMaps()).filter(name => name.startsWith('out-'))).toHaveLength(30)
  })
})

describe('a flood of webhooks', () => {
  it('is answered or refused, and what was acknowledged is there', LONG, async () => {
    scene = await EngineScene.start()
    const port = 18_233
    await scene.apply(`${BUS}---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: hook}
spec: {webhook: {push: {endpoint: /push, method: POST, port: "${port}"}}}
`)
    const answers = new Map<number, number>()
    const post = async (n: number) => {
      const body = JSON.stringify({ n, text: 'x'.repeat(200) })
      const { status } = await fetch(`http://127.0.0.1:${port}/push`, { method: 'POST', body })
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
    const count = isFull ? 20_000 : 1500
    for (let n = 0; n < count; n += 250) await Promise.all(Array.from({ length: 250 }, (_, i) => post(n + i)))
    await scene.settled()
    expect([...answers.keys()].filter(status => ![200, 429, 503].includes(status))).toEqual([])
    expect(scene.recordsOf('event')).toHaveLength(answers.get(200) ?? 0)
    expect([...answers.values()].reduce((sum, n) => sum + n)).toBe(count)
  })
})

it('a disk that does not sync would be found out', LONG, async () => {
  scene = await EngineScene.start({ withEngine: false })
  scene.disk = new SimulatedDisk({ ignoresSync: true })
  await scene.startEngine()
  await scene.apply([BUS, SENSOR, SOURCE].join('---'))
  await scene.writeConfigMap('in-a')
  await scene.settled()
  await scene.engine.stop()
  await scene.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'in-a' })
  scene.disk = scene.disk.crash('none', seededRandom(1))
  await scene.startEngine()
  await scene.settled()
  expect(missingFrom(published(), await present())).not.toEqual([])
})
