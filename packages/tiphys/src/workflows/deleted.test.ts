import { join } from 'node:path'
import { createLogStore, type LogStore, type TraceRecord } from '@tiphys/journal/records'
import { kindRef } from '@tiphys/kube'
import { afterEach, expect, it } from 'vitest'
import { letStepsDoEverything, type RunObject, WORKFLOW, WorkflowsScene, type WorkflowsSceneOptions } from './scene.ts'

const POD = kindRef('v1', 'Pod')
const ENDED = 'the Workflow was deleted before it ended'

let scene: WorkflowsScene
afterEach(() => scene?.close())

async function open(options: WorkflowsSceneOptions = {}): Promise<void> {
  scene = await WorkflowsScene.create(options)
}

const pretend = (name: string, simulation: Record<string, unknown> = {}) => ({
  name,
  metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify(simulation) } },
  container: { image: 'alpine', command: ['true'] },
})

const workflow = (name: string, spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): RunObject => ({
  ...WORKFLOW,
  metadata: { name, namespace: 'default', ...metadata },
  spec,
})

const single = (simulation: Record<string, unknown> = {}) => ({
  entrypoint: 'main',
  templates: [pretend('main', simulation)],
})

/** One step that is soon over, then one that is not. */
const twoSteps = {
  entrypoint: 'main',
  templates: [
    { name: 'main', steps: [[{ name: 'quick', template: 'quick' }], [{ name: 'slow', template: 'slow' }]] },
    pretend('quick'),
    pretend('slow', { runFor: '1h' }),
  ],
}

const ref = (name: string) => ({ ...WORKFLOW, namespace: 'default', name })
const isAtWork =
  (displayName: string) =>
  ({ status }: RunObject): boolean =>
    Object.values(status?.nodes ?? {}).some(node => node.displayName === displayName && node.phase === 'Running')

const of = <K extends 'run' | 'step'>(kind: K, uid: string | undefined) =>
  scene.records.filter(
    (record): record is Extract<TraceRecord, { kind: K }> => record.kind === kind && record.run.uid === uid,
  )
const endsOf = (uid: string | undefined) => of('run', uid).filter(({ finishedAt }) => finishedAt !== undefined)
/** How each step ended, or that it has not. */
const stepsOf = (uid: string | undefined) =>
  Object.fromEntries(
    of('step', uid).map(({ displayName, phase, finishedAt }) => [
      displayName ?? '',
      [phase, finishedAt === undefined ? 'goes on' : 'is over'],
    ]),
  )

it('a run that is deleted before it ends is recorded as failed, in words, and so are its steps that were not over', async () => {
  await open()
  const { metadata } = await scene.client.create(workflow('dropped', twoSteps))
  await scene.until('dropped', isAtWork('slow'))
  const before = scene.env.clock.now()
  await scene.client.delete(ref('dropped'))
  await expect.poll(() => endsOf(metadata.uid).length).toBe(1)
  await scene.settled()
  const [end, ...more] = endsOf(metadata.uid)
  expect(more).toEqual([])
  expect(end).toMatchObject({ phase: 'Failed', message: ENDED })
  expect(end?.finishedAt).toBeGreaterThanOrEqual(before)
  expect(stepsOf(metadata.uid)).toEqual({
    dropped: ['Failed', 'is over'],
    '[0]': ['Succeeded', 'is over'],
    quick: ['Succeeded', 'is over'],
    '[1]': ['Failed', 'is over'],
    slow: ['Failed', 'is over'],
  })
  expect(of('step', metadata.uid).findLast(({ displayName }) => displayName === 'slow')?.message).toBe(ENDED)
})

it('a run that was over when it is deleted keeps the end it had', async () => {
  await open()
  const { metadata } = await scene.client.create(workflow('done', single()))
  await scene.untilOver('done')
  await scene.settled()
  await scene.client.delete(ref('done'))
  await expect.poll(async () => (await scene.client.list({ ...POD, namespace: 'default' })).items).toEqual([])
  await scene.settled()
  expect(endsOf(metadata.uid).map(({ phase }) => phase)).toEqual(['Succeeded'])
})

it('a deleted run that somebody still holds ends once, when it is deleted', async () => {
  await open()
  const { metadata } = await scene.client.create(
    workflow('held', single({ runFor: '1h' }), { finalizers: ['a.b/hold'] }),
  )
  await scene.until('held', isAtWork('held'))
  await scene.client.delete(ref('held'))
  await expect.poll(() => endsOf(metadata.uid).length).toBe(1)
  await scene.client.patch(ref('held'), { type: 'merge', patch: { metadata: { labels: { touched: 'yes' } } } })
  await scene.settled()
  await scene.client.patch(ref('held'), { type: 'merge', patch: { metadata: { finalizers: null } } })
  await expect.poll(async () => (await scene.client.list({ ...POD, namespace: 'default' })).items).toEqual([])
  await scene.settled()
  expect(endsOf(metadata.uid)).toMatchObject([{ phase: 'Failed', message: ENDED }])
})

it('a run that is made anew under the name of a deleted one is another run: the first one ends, and nothing holds its pods', async () => {
  await open()
  const first = await scene.client.create(workflow('twin', single({ runFor: '1h' })))
  await scene.until('twin', isAtWork('twin'))
  await scene.client.delete(ref('twin'))
  const second = await scene.client.create(
    workflow('twin', { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] }),
  )
  await expect.poll(() => endsOf(first.metadata.uid).length).toBe(1)
  await scene.until('twin', isAtWork('twin'))
  await expect.poll(async () => (await scene.client.list({ ...POD, namespace: 'default' })).items).toEqual([])
  await scene.settled()
  expect(endsOf(first.metadata.uid)).toMatchObject([{ phase: 'Failed', message: ENDED }])
  expect(of('run', second.metadata.uid).at(-1)).toMatchObject({ phase: 'Running' })
})

it('a run that is made anew under the name of a deleted one begins when the pods of that one are gone, also with another engine', async () => {
  await open()
  const lasting = { ...single({ runFor: '1h', stopAfter: 'never' }), podSpecPatch: 'terminationGracePeriodSeconds: 1' }
  await scene.client.create(workflow('twin', lasting))
  await scene.until('twin', isAtWork('twin'))
  await scene.stopEngine()
  await scene.client.delete(ref('twin'))
  await scene.client.create(workflow('twin', single()))
  await scene.startEngine()
  const { status } = await scene.untilOver('twin')
  expect([status?.phase, status?.message]).toEqual(['Succeeded', undefined])
})

it('a deleted run waits for nothing any more, and holds no lock, also when its name is taken anew at once', async () => {
  await open()
  const { client } = scene
  await letStepsDoEverything(client)
  await scene.create('{apiVersion: v1, kind: ConfigMap, metadata: {name: state}, data: {is: begun}}')
  const manifest = '{apiVersion: v1, kind: ConfigMap, metadata: {name: state}}'
  const synchronization = { mutexes: [{ name: 'door' }] }
  const resource = { action: 'get', successCondition: 'data.is == done', manifest }
  const waiting = { entrypoint: 'main', synchronization, templates: [{ name: 'main', resource }] }
  await client.create(workflow('patient', waiting))
  await scene.until('patient', isAtWork('patient'))
  await client.create(workflow('next', { ...single(), synchronization }))
  await client.delete(ref('patient'))
  await client.create(workflow('patient', { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] }))
  expect((await scene.untilOver('next')).status?.phase).toBe('Succeeded')
  // Idle is who is done with all tasks.
  await scene.settled()
})

it('a run that is deleted while it waits for its turn is recorded, and one of another engine is not', async () => {
  await open({ engine: { parallelism: { engine: 1 } } })
  const first = await scene.client.create(workflow('first', single({ runFor: '1h' }), { finalizers: ['a.b/hold'] }))
  await scene.until('first', isAtWork('first'))
  const other = { labels: { 'workflows.argoproj.io/controller-instanceid': 'other' } }
  const foreign = await scene.client.create(workflow('foreign', single(), other))
  const waiting = await scene.client.create(workflow('waiting', single()))
  await scene.until('waiting', ({ status }) => (status?.message ?? '').includes('too many'))
  await scene.client.create(workflow('next', single()))
  await scene.until('next', ({ status }) => (status?.message ?? '').includes('too many'))
  await scene.client.delete(ref('foreign'))
  await scene.client.delete(ref('waiting'))
  await expect.poll(() => endsOf(waiting.metadata.uid)).toMatchObject([{ phase: 'Failed' }])
  await scene.client.delete(ref('first'))
  // Whoever holds it keeps nobody waiting, and nobody else would tell the next one that there is room.
  expect((await scene.untilOver('next')).status?.phase).toBe('Succeeded')
  await scene.settled()
  expect(endsOf(first.metadata.uid)).toHaveLength(1)
  expect(of('run', foreign.metadata.uid)).toEqual([])
})

it('steps that were begun and are not stored yet, as many runs are under way, end with their deleted runs too', async () => {
  await open()
  const names = Array.from({ length: 12 }, (_, index) => `many-${index}`)
  const runs = await Promise.all(names.map(name => scene.client.create(workflow(name, twoSteps))))
  const uids = runs.map(({ metadata }) => metadata.uid)
  await expect.poll(() => uids.every(uid => stepsOf(uid).slow !== undefined)).toBe(true)
  await Promise.all(names.map(name => scene.client.delete(ref(name))))
  await expect.poll(() => uids.filter(uid => endsOf(uid).length === 1)).toEqual(uids)
  await scene.settled()
  for (const uid of uids)
    expect(Object.values(stepsOf(uid)).map(([, state]) => state)).toEqual(Array.from({ length: 5 }, () => 'is over'))
})

it('what a step has printed before its run was deleted is kept, for that run and not for one that takes its name', async () => {
  await open()
  await scene.stopEngine()
  // What was read is not recorded before there is an hour of it, or no more comes.
  const place = { directory: join(scene.folder, 'hourly-logs') }
  const store = createLogStore({ place, env: scene.env, chunkMs: 3_600_000 })
  let readBytes = 0
  const logs: LogStore = {
    open(log, options) {
      const writer = store.open(log, options)
      const write = (bytes: Uint8Array) => {
        readBytes += bytes.length
        return writer.write(bytes)
      }
      return { write, end: () => writer.end() }
    },
    read: chunk => store.read(chunk),
    remove: run => store.remove(run),
    trim: most => store.trim(most),
  }
  await scene.startEngine({ logs })
  const printed = 'so far so good\n'
  const { metadata } = await scene.client.create(workflow('talker', single({ runFor: '1h', log: printed.trimEnd() })))
  await expect.poll(() => readBytes).toBe(printed.length)
  await scene.client.delete(ref('talker'))
  await scene.client.create(workflow('talker', { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] }))
  const recorded = () => scene.records.flatMap(record => (record.kind === 'log' ? [record] : []))
  await expect.poll(() => recorded().map(({ run }) => run.uid)).toEqual([metadata.uid])
  const [{ chunk } = {}] = recorded()
  expect(chunk && (await store.read(chunk)).toString()).toBe(printed)
})
