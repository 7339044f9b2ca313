import { RetryableFailure } from '@tiphys/env'
import type { Journal } from '@tiphys/journal'
import { createRecorder, decodeRecord, type Recorder, type TraceRecord } from '@tiphys/journal/records'
import { ApiError, type Client } from '@tiphys/kube'
import { createWorkflowControl, type WorkflowEngineOptions } from '@tiphys/workflows'
import { afterEach, expect, it, vi } from 'vitest'
import { createMemoryJournal } from '../session/memory-journal.ts'
import { Mortality, mortalClient } from './mortal-client.ts'
import { type RunObject, WORKFLOW, WorkflowsScene } from './scene.ts'

vi.setConfig({ testTimeout: 600_000 })

const GONE = 'the Workflow was deleted while no engine ran: how it ended is not known'

let scene: WorkflowsScene
afterEach(() => scene?.close())

/** What was recorded, by engines that are killed and those that follow them. */
class Records {
  readonly journal = createMemoryJournal()
  recorder: Recorder | undefined

  /** For an engine that writes down nothing any more once it is dead. */
  options(life?: Mortality): Partial<WorkflowEngineOptions> {
    const { journal } = this
    const append: Journal['append'] = record => (life?.isDead ? new Promise(() => {}) : journal.append(record))
    this.recorder = createRecorder({ append }, { env: scene.env })
    return { recorder: this.recorder, records: journal }
  }

  async all(): Promise<TraceRecord[]> {
    const found: TraceRecord[] = []
    for await (const { data } of this.journal.read(1)) found.push(decodeRecord(data) as TraceRecord)
    return found
  }

  async of<K extends 'run' | 'step'>(kind: K, uid: string | undefined) {
    return (await this.all()).filter(
      (record): record is Extract<TraceRecord, { kind: K }> => record.kind === kind && record.run.uid === uid,
    )
  }

  async endsOf(uid: string | undefined) {
    return (await this.of('run', uid)).filter(({ finishedAt }) => finishedAt !== undefined)
  }

  async logsOf(uid: string | undefined) {
    return (await this.all()).flatMap(record => (record.kind === 'log' && record.run.uid === uid ? [record] : []))
  }

  /** How each step is known to be, in the end. */
  async stepsOf(uid: string | undefined): Promise<Record<string, string>> {
    return Object.fromEntries((await this.of('step', uid)).map(({ step, phase }) => [step, phase]))
  }
}

const phasesOf = ({ status }: RunObject) =>
  Object.fromEntries(Object.values(status?.nodes ?? {}).map(({ id, phase }) => [id, phase]))

const open = async () => {
  scene = await WorkflowsScene.create()
  await scene.stopEngine()
  return new Records()
}

const pretend = (name: string, simulation: Record<string, unknown> = {}) => ({
  name,
  metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify(simulation) } },
  container: { image: 'alpine', command: ['true'] },
})

/** Its pods are gone as soon as nobody holds them. */
const THREE_STEPS = {
  entrypoint: 'main',
  podGC: { strategy: 'OnPodCompletion' },
  templates: [
    {
      name: 'main',
      steps: [
        [{ name: 'a', template: 'quick' }],
        [
          { name: 'b', template: 'quick' },
          { name: 'c', template: 'quick' },
        ],
      ],
    },
    pretend('quick', { log: 'done' }),
  ],
}
/** It is deleted as soon as it is over. */
const PASSING = { entrypoint: 'main', templates: [pretend('main')], ttlStrategy: { secondsAfterCompletion: 0 } }
const LASTING = { entrypoint: 'main', templates: [pretend('main', { runFor: '1h' })] }
/** Its only plan ends it. */
const INVALID = { entrypoint: 'nowhere', templates: [pretend('main')] }

const submit = (name: string, spec: Record<string, unknown>, client: Client = scene.client) =>
  client.create<RunObject>({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec })
const ref = (name: string) => ({ ...WORKFLOW, namespace: 'default', name })
const isAtWork = ({ status }: RunObject) => Object.values(status?.nodes ?? {}).some(({ phase }) => phase === 'Running')

/** Who is not killed stores what it has recorded. */
async function stop(records: Records, isDead = false): Promise<void> {
  await scene.stopEngine()
  if (!isDead) await records.recorder?.close()
}

/** Runs an engine until everything that it has to do is done and recorded. */
async function replace(records: Records): Promise<void> {
  await scene.startEngine(records.options())
  await scene.engine?.settled()
  await records.recorder?.settled()
}

it.each([
  ['a run of three steps', THREE_STEPS, 'Succeeded'],
  ['a run that is over at once', INVALID, 'Failed'],
  ['a run that goes when it is over', PASSING, 'Succeeded'],
])('%s is recorded to its end once, wherever the engine is killed', async (_, spec, phase) => {
  const records = await open()
  for (const when of ['before', 'after'] as const) {
    for (let at = 1, wasKilled = true; wasKilled; at++) {
      const name = `killed-${when}-${at}`
      const life = new Mortality(at, when)
      await scene.startEngine({ ...records.options(life), client: mortalClient(scene.client, life) })
      const { metadata } = await submit(name, spec)
      const over = scene.untilOver(name)
      await Promise.race([life.died, over.then(() => scene.engine?.settled())])
      wasKilled = life.isDead
      await stop(records, wasKilled)
      await replace(records)
      const ended = await over
      await scene.engine?.settled()
      await stop(records)
      expect(
        (await records.endsOf(metadata.uid)).map(record => record.phase),
        name,
      ).toEqual([phase])
      expect(await records.stepsOf(metadata.uid), name).toEqual(phasesOf(ended))
      const pods = Object.values(ended.status?.nodes ?? {}).filter(({ type }) => type === 'Pod')
      if (spec === THREE_STEPS)
        expect(new Set((await records.logsOf(metadata.uid)).map(({ step }) => step)), name).toEqual(
          new Set(pods.map(({ id }) => id)),
        )
    }
  }
  // Of what has ended and was recorded nothing is said again.
  const { head } = records.journal
  await replace(records)
  expect(records.journal.head).toBe(head)
})

/** Has a run begin, and ends the engine meanwhile. */
async function begin(name: string, records: Records): Promise<string> {
  await scene.startEngine(records.options())
  const { metadata } = await submit(name, LASTING)
  await scene.until(name, isAtWork)
  await scene.engine?.settled()
  await stop(records)
  return metadata.uid ?? ''
}

it('a run that is deleted while no engine runs is recorded as failed, in words, once, and so are its steps', async () => {
  const records = await open()
  const uid = await begin('lost', records)
  await scene.client.delete(ref('lost'))
  // One of the same name is another run.
  const { metadata: other } = await submit('lost', LASTING)
  for (let again = 0; again < 2; again++) {
    await replace(records)
    await stop(records)
  }
  expect(await records.endsOf(uid)).toMatchObject([{ phase: 'Failed', message: GONE, template: 'main' }])
  expect(Object.values(await records.stepsOf(uid))).toEqual(['Failed'])
  expect(await records.endsOf(other.uid)).toEqual([])
})

it('a run that was under way for long is not forgotten with older records', async () => {
  const records = await open()
  const uid = await begin('old', records)
  await records.journal.compact({ before: records.journal.head + 1 })
  await scene.client.delete(ref('old'))
  await replace(records)
  expect(await records.endsOf(uid)).toMatchObject([{ phase: 'Failed', message: GONE }])
  expect(Object.values(await records.stepsOf(uid))).toEqual(['Failed'])
  await records.journal.compact({ before: records.journal.head + 1 })
  expect(await records.all()).toEqual([])
})

it('a run is not gone because another cluster does not have it', async () => {
  const records = await open()
  const uid = await begin('elsewhere', records)
  const first = scene
  try {
    scene = await WorkflowsScene.create()
    await scene.stopEngine()
    await replace(records)
    await stop(records)
    expect(await records.endsOf(uid)).toEqual([])
  } finally {
    await scene.close()
    scene = first
  }
  await scene.client.delete(ref('elsewhere'))
  await replace(records)
  expect(await records.endsOf(uid)).toMatchObject([{ phase: 'Failed', message: GONE }])
})

it('a run is not gone because the API does not tell: one that is away is asked again, one that may not be asked is left', async () => {
  const records = await open()
  const uid = await begin('unknown', records)
  await scene.client.delete(ref('unknown'))
  let answers = 0
  const asking = (answer: () => void): Client => ({
    ...mortalClient(scene.client, new Mortality(0, 'before')),
    get: (async (...args: Parameters<Client['get']>) => {
      answers++
      answer()
      return await scene.client.get(...args)
    }) as Client['get'],
  })
  const forbidden = () => {
    throw new ApiError({
      apiVersion: 'v1',
      kind: 'Status',
      status: 'Failure',
      metadata: {},
      reason: 'Forbidden',
      code: 403,
    })
  }
  await scene.startEngine({ ...records.options(), client: asking(forbidden) })
  await scene.engine?.settled()
  await stop(records)
  expect([answers, await records.endsOf(uid)]).toEqual([1, []])
  const away = () => {
    if (answers < 4) throw new RetryableFailure('kube-connection', { what: 'nobody answers', todo: 'wait' })
  }
  await scene.startEngine({ ...records.options(), client: asking(away) })
  await expect.poll(async () => (await records.endsOf(uid)).map(({ message }) => message)).toEqual([GONE])
  expect(answers).toBe(4)
})

it('a run that is tried again while no engine runs is under way again, and what its steps print is of other pods', async () => {
  const records = await open()
  await scene.startEngine(records.options())
  const failing = { entrypoint: 'main', templates: [pretend('main', { exitCode: 1, log: 'no' })] }
  const { metadata } = await submit('again', failing)
  await scene.untilOver('again')
  await scene.engine?.settled()
  await stop(records)
  const control = createWorkflowControl({ env: scene.env })
  await control.retry(scene.client, { namespace: 'default', name: 'again' })
  await replace(records)
  await expect.poll(async () => (await records.endsOf(metadata.uid)).length).toBe(2)
  const phases = (await records.of('run', metadata.uid)).map(({ phase }) => phase)
  expect(phases.filter((phase, index) => phase !== phases[index - 1])).toEqual([
    'Running',
    'Failed',
    'Running',
    'Failed',
  ])
  const logs = await records.logsOf(metadata.uid)
  expect([new Set(logs.map(({ step }) => step)).size, new Set(logs.map(({ pod }) => pod)).size]).toEqual([1, 2])
})
