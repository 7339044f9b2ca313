import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArchive } from '@tiphys/archive'
import { systemEnv } from '@tiphys/env'
import { freePort } from '@tiphys/env/testing'
import { eventDefinitions, startEvents } from '@tiphys/events'
import { openFileJournal } from '@tiphys/journal'
import { createRecorder, readRecords, type TraceRecord } from '@tiphys/journal/records'
import { readYaml } from '@tiphys/kube'
import { createFileArtifacts, createWorkflowControl } from '@tiphys/workflows'
import { expect, it, vi } from 'vitest'
import { letStepsDoEverything, WorkflowsScene } from './scene.ts'

const [CANARY, ENCODED_CANARY] = ['canary8f3a1 Tweety', Buffer.from('canary-77c0de Jerry').toString('base64')]
const DECODED_CANARY = 'canary-77c0de Jerry'
const SPELLINGS = [CANARY, CANARY.slice(0, 16), ENCODED_CANARY, DECODED_CANARY, Buffer.from(CANARY).toString('base64')]

const PARAMETERS = [
  { name: 'word', value: 'none' },
  { name: 'code', value: 'none' },
  { name: 'place', value: 'none' },
  { name: 'body', value: 'none' },
  { name: 'plain', value: 'visible-jane' },
]

const STEPS = [
  [{ name: 'wait', template: 'wait' }],
  [{ name: 'each', template: 'take', withItems: ['{{workflow.parameters.word}}'], arguments: given('{{item}}') }],
  [
    {
      name: 'read',
      template: 'take',
      arguments: given("{{=jsonpath(workflow.parameters.body, '$.stringData.word')}}"),
    },
    { name: 'decode', template: 'take', arguments: given('{{=sprig.b64dec(workflow.parameters.code)}}') },
    { name: 'whole', template: 'take', arguments: given('{{workflow.parameters.body}}') },
    { name: 'place', template: 'take', arguments: given('{{workflow.parameters.place}}') },
    { name: 'seen', template: 'take', arguments: given('{{workflow.parameters.plain}}') },
  ],
  [{ name: 'write', template: 'write', arguments: given('{{workflow.parameters.word}}') }],
  [{ name: 'fail', template: 'take', arguments: given('{{item}}'), withParam: '{{workflow.parameters.word}}' }],
]

function given(value: string) {
  return { parameters: [{ name: 'text', value }] }
}

const SPEC = {
  entrypoint: 'main',
  arguments: { parameters: PARAMETERS },
  templates: [
    { name: 'main', steps: STEPS },
    { name: 'wait', suspend: {} },
    { name: 'take', inputs: { parameters: [{ name: 'text' }] }, container: { image: 'x', command: ['true'] } },
    {
      name: 'write',
      inputs: { parameters: [{ name: 'text' }] },
      resource: {
        action: 'apply',
        manifest: JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'kept' },
          data: { word: '{{inputs.parameters.text}}' },
        }),
      },
    },
  ],
}

const source = (dataKey: string, index: number, more: object = {}) => ({
  src: { dependencyName: 'dep', dataKey, ...more },
  dest: `spec.arguments.parameters.${index}.value`,
})
const PLACE = { dataTemplate: 'db://jane:{{ .Input.body.stringData.word }}@host' }
const SET = [
  source('body.stringData.word', 0),
  source('body.data.code', 1),
  { src: { dependencyName: 'dep', ...PLACE }, dest: 'spec.arguments.parameters.2.value' },
  source('body', 3),
]
const named = (kind: string, name: string) => ({
  resource: { apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'default' }, spec: SPEC },
})

const manifests = (port: number) => [
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'EventBus',
    metadata: { name: 'default' },
    spec: { jetstream: { version: 'latest' } },
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTemplate',
    metadata: { name: 'kept' },
    spec: SPEC,
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'EventSource',
    metadata: { name: 'hook' },
    spec: { webhook: { push: { endpoint: '/push', method: 'POST', port: String(port) } } },
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Sensor',
    metadata: { name: 'runs' },
    spec: {
      dependencies: [{ name: 'dep', eventSourceName: 'hook', eventName: 'push' }],
      triggers: [
        { template: { name: 'k8s', k8s: { operation: 'create', source: named('Workflow', 'made'), parameters: SET } } },
        {
          template: {
            name: 'submit',
            argoWorkflow: { operation: 'submit', source: named('Workflow', 'submitted'), parameters: SET },
          },
        },
        {
          template: {
            name: 'from',
            argoWorkflow: {
              operation: 'submit-from',
              source: named('WorkflowTemplate', 'kept'),
              parameters: SET,
              args: ['--name', 'from-kept'],
            },
          },
        },
      ],
    },
  },
]

const PATIENCE = { timeout: 30_000 }
const RUNS = ['made', 'submitted', 'from-kept']

it('tells nobody what is in a Secret that a run was given by an event, whichever engine goes on with the run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-canary-'))
  const journal = await openFileJournal({ directory: join(folder, 'records'), env: systemEnv })
  // What one process knows the next does not: each has a recorder of its own.
  const life = () => createRecorder(journal, { env: systemEnv })
  const scene = await WorkflowsScene.create()
  await scene.stopEngine()
  const { client } = scene
  for (const definition of eventDefinitions) await client.create(definition)
  await letStepsDoEverything(client)
  await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept', namespace: 'default' },
    data: { word: 'none' },
  })
  const control = createWorkflowControl({
    env: systemEnv,
    artifacts: createFileArtifacts({ directory: join(scene.folder, 'artifacts') }),
  })

  // The event comes, and Workflows are made of it.
  const port = await freePort()
  let recorder = life()
  const events = await startEvents({
    env: systemEnv,
    client,
    recorder,
    workflowControl: control,
    openJournal: name => openFileJournal({ directory: join(scene.folder, name), env: systemEnv }),
  })
  await events.ready()
  for (const manifest of manifests(port)) {
    const [document] = await readYaml(JSON.stringify(manifest))
    const object = document?.value as { metadata: object }
    await client.create({ ...object, metadata: { ...object.metadata, namespace: 'default' } } as never)
  }
  // A Sensor hears of what comes after it was seen, which takes a moment.
  const sensor = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Sensor', namespace: 'default', name: 'runs' }
  const isRunning = ({ type, status }: { type: string; status: string }) => type === 'Deployed' && status === 'True'
  await vi.waitFor(async () => {
    const { status } = (await client.get(sensor)) as { status?: { conditions?: { type: string; status: string }[] } }
    expect(status?.conditions?.some(isRunning)).toBe(true)
  }, PATIENCE)
  const secret = { apiVersion: 'v1', kind: 'Secret', stringData: { word: CANARY }, data: { code: ENCODED_CANARY } }
  const body = JSON.stringify({ ...secret, more: 'x'.repeat(9000), visible: 'jane' })
  const post = async () => fetch(`http://127.0.0.1:${port}/push`, { method: 'POST', body })
  expect((await vi.waitFor(post, PATIENCE)).status).toBe(200)
  for (const run of RUNS) await vi.waitFor(() => scene.get(run), PATIENCE)
  await events.settled()
  await events.stop()
  await recorder.close()

  // An engine that never saw it starts the runs, and one after that ends them.
  recorder = life()
  await scene.startEngine({ recorder, records: journal })
  for (const run of RUNS)
    await scene.until(run, ({ status: is }) =>
      Object.values(is?.nodes ?? {}).some(({ type, phase }) => type === 'Suspend' && phase === 'Running'),
    )
  await scene.stopEngine()
  await recorder.close()
  recorder = life()
  await scene.startEngine({ recorder, records: journal })
  for (const run of RUNS) {
    await control.resume(client, { namespace: 'default', name: run })
    const over = await scene.untilOver(run)
    expect(over.status?.phase).toBe('Failed')
    // The run itself had all of it.
    for (const canary of [CANARY, ENCODED_CANARY, DECODED_CANARY]) expect(JSON.stringify(over)).toContain(canary)
  }
  await scene.stopEngine()
  await recorder.close()

  const records: TraceRecord[] = []
  for await (const { record } of readRecords(journal, 0)) records.push(record as TraceRecord)
  for (const run of RUNS) {
    const own = records.filter(one => 'run' in one && one.run?.name === run)
    const told = JSON.stringify(own)
    for (const words of ['visible-jane', 'db://jane:(masked)@host', 'each(0:(masked))']) expect(told).toContain(words)
    expect(own.some(({ kind }) => kind === 'write')).toBe(true)
    expect(JSON.stringify(own.findLast(({ kind }) => kind === 'run'))).toContain('(masked)')
  }
  const archive = await openArchive({ env: systemEnv, database: { file: join(folder, 'archive.db') }, journal })
  await archive.caughtUp()
  const places: Record<string, unknown> = {
    records,
    runs: await archive.runs(),
    found: await archive.search('canary8f3a1'),
  }
  for (const { run } of records.filter(one => one.kind === 'run'))
    places[run.name] = await archive.run({ uid: run.uid })
  await archive.close()
  await scene.close()
  await journal.close()
  const found = Object.entries(places).flatMap(([place, content]) =>
    SPELLINGS.filter(canary => JSON.stringify(content).includes(canary)).map(canary => `${canary} in ${place}`),
  )
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const content = readFileSync(join(entry.parentPath, entry.name), 'latin1')
    found.push(...SPELLINGS.filter(canary => content.includes(canary)).map(canary => `${canary} in ${entry.name}`))
  }
  rmSync(folder, { recursive: true, force: true })
  expect(found).toEqual([])
}, 120_000)
