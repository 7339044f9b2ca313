import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArchive } from '@tiphys/archive'
import { startConsole } from '@tiphys/console'
import { systemEnv } from '@tiphys/env'
import { freePort } from '@tiphys/env/testing'
import { rehearse } from '@tiphys/events'
import { openFileJournal } from '@tiphys/journal'
import { createRecorder, readRecords } from '@tiphys/journal/records'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'
import { buildScriptPool } from './script-pool.ts'

const [CANARY, ENCODED_CANARY] = ['canary8f3a1 Tweety', Buffer.from('canary-77c0de Jerry').toString('base64')]
const DECODED_CANARY = 'canary-77c0de Jerry'
const SPELLINGS = [
  CANARY,
  CANARY.replace(' ', '+'),
  ENCODED_CANARY,
  DECODED_CANARY,
  Buffer.from(CANARY).toString('base64'),
]
const TOKEN = 'c'.repeat(32)

const sources = (port: number) => `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: hook, annotations: {tiphys.dev/key: body.stringData.word}}
spec: {webhook: {push: {endpoint: /push, method: POST, port: "${port}"}}}
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: picky}
spec:
  webhook:
    false: {endpoint: /false, method: POST, port: "${port}", filter: {expression: 'body.stringData.word == "no"'}}
    fails: {endpoint: /fails, method: POST, port: "${port}", filter: {expression: 'asInt(body.stringData.word) > 3'}}
`

const PASSES = {}
const field = (name: string, path: string) => ({ name, path })
const word = [field('word', 'body.stringData.word'), field('code', 'body.data.code')]

/** What Sensors do with the event before their trigger. */
const DEPENDENCIES: Readonly<Record<string, object>> = {
  'data-false': { filters: { data: [{ path: 'body.stringData.word', type: 'string', value: ['no'] }] } },
  'data-wild': { filters: { data: [{ path: 'body.*Data.w*', type: 'string', value: ['no'] }] } },
  'data-whole': { filters: { data: [{ path: 'body', type: 'string', value: ['no'] }] } },
  'data-same': {
    filters: { data: [{ path: 'body.stringData.word', type: 'string', comparator: '!=', value: [CANARY] }] },
  },
  'data-decoded': {
    filters: {
      data: [
        {
          path: 'body.data.code',
          type: 'string',
          comparator: '!=',
          value: [DECODED_CANARY],
          template: '{{ b64dec .Input }}',
        },
      ],
    },
  },
  'data-fails': {
    filters: { data: [{ path: 'body.stringData.word', type: 'string', value: ['x'], template: '{{ fail .Input }}' }] },
  },
  'exprs-false': { filters: { exprs: [{ expr: 'word == "no" || code == "no"', fields: word }] } },
  'exprs-fails': { filters: { exprs: [{ expr: 'word > 3', fields: word }] } },
  'script-false': { filters: { script: 'return event.body.stringData.word == "no"' } },
  'script-fails': { filters: { script: 'error(event.body.stringData.word)' } },
  'jq-fails': { transform: { jq: '.body.stringData.word | error' } },
  'lua-fails': { transform: { script: 'error(event.body.stringData.word)' } },
  'jq-renames': {
    transform: { jq: '{a: .body.stringData.word, b: (.body.data.code | @base64d)}' },
    filters: { data: [{ path: 'a', type: 'string', value: ['no'] }] },
  },
  'lua-renames': {
    transform: { script: 'event.other = event.body.stringData.word event.body = nil return event' },
    filters: { exprs: [{ expr: 'a == "no"', fields: [field('a', 'other')] }] },
  },
}

const configMap = (name: string) => ({
  source: { resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } },
})
const set = (src: object, dest: string) => ({ parameters: [{ src: { dependencyName: 'dep', ...src }, dest }] })
const whole = [{ src: { dependencyName: 'dep', dataKey: 'body' }, dest: 'all' }]

/** What triggers do with it, of which most fail. */
const triggers = (url: string): Readonly<Record<string, object>> => ({
  'key-refused': {
    k8s: { operation: 'create', ...configMap('x'), ...set({ dataKey: 'body.stringData.word' }, 'metadata.name') },
  },
  'template-fails': {
    k8s: {
      operation: 'create',
      ...configMap('x'),
      ...set({ dataTemplate: '{{ fail .Input.body.stringData.word }}' }, 'metadata.name'),
    },
  },
  'template-decodes': {
    k8s: {
      operation: 'create',
      ...configMap('x'),
      ...set({ dataTemplate: '{{ b64dec .Input.body.data.code | fail }}' }, 'metadata.name'),
    },
  },
  'template-of-the-trigger': {
    ...set({ dataTemplate: '{{ fail .Input.body.stringData.word }}' }, 'k8s.operation'),
    k8s: { operation: 'create', ...configMap('x') },
  },
  'operation-refused': {
    ...set({ dataKey: 'body.stringData.word' }, 'k8s.operation'),
    k8s: { operation: 'create', ...configMap('x') },
  },
  'http-echoes': { http: { url, method: 'POST', payload: whole } },
  'http-fails': {
    http: {
      url,
      method: 'POST',
      payload: [{ src: { dependencyName: 'dep', dataTemplate: '{{ fail .Input.body.stringData.word }}' }, dest: 'x' }],
    },
  },
  'http-nowhere': {
    http: {
      url,
      method: 'GET',
      ...set({ dataTemplate: `${url}?word={{ .Input.body.stringData.word | urlquery }}` }, 'url'),
    },
  },
  logs: { log: {} },
  writes: {
    k8s: { operation: 'patch', ...configMap('kept'), ...set({ dataKey: 'body.stringData.word' }, 'data.word') },
  },
})

const sensor = (name: string, dependency: object, { parameters, ...template }: Record<string, unknown>) =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Sensor',
    metadata: { name },
    spec: {
      dependencies: [{ name: 'dep', eventSourceName: 'hook', eventName: 'push', ...dependency }],
      triggers: [{ template: { name: 'act', ...template }, ...(parameters ? { parameters } : {}) }],
    },
  })

it('tells nobody what is in a Secret that an event carries, whatever filters, programs and triggers make of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-canary-'))
  const scripts = await buildScriptPool(folder)
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.writeHead(400).end(`what is ${request.url} ${Buffer.concat(chunks).toString()}?`))
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const journal = await openFileJournal({ directory: join(folder, 'records'), env: systemEnv })
  const recorder = createRecorder(journal, { env: systemEnv })
  const scene = await EngineScene.start({ recorder, scripts, access: { outbound: { allow: LOOPBACK_RANGES } } })

  const port = await freePort()
  const names: string[] = []
  const manifests = [
    ...Object.entries(DEPENDENCIES).map(([name, dependency]) => [name, dependency, { log: {} }] as const),
    ...Object.entries(triggers(url)).map(([name, template]) => [name, PASSES, template] as const),
    [
      'jq-then-refused',
      { transform: { jq: '{a: .body.stringData.word}' } },
      { k8s: { operation: 'create', ...configMap('x'), ...set({ dataKey: 'a' }, 'metadata.name') } },
    ] as const,
    ['jq-then-logs', { transform: { jq: '{a: .body.stringData.word}' } }, { log: {} }] as const,
  ].map(([name, dependency, template]) => {
    names.push(name)
    return sensor(name, dependency, template as Record<string, unknown>)
  })
  await scene.apply(`${BUS}---${sources(port)}---\n${manifests.join('\n---\n')}`)
  await scene.writeConfigMap('kept', { word: 'none' })
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'db' },
    stringData: { word: CANARY },
    data: { code: ENCODED_CANARY },
  }
  for (const path of ['push', 'false', 'fails']) {
    const body = JSON.stringify({ ...object, visible: 'jane' })
    const { status } = await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', body })
    expect(status).toBe(200)
  }
  await scene.settled()
  for (let i = 0; i < 5; i++) await scene.advance(60_000)
  await recorder.settled()

  // What was to fail has failed, and the words that are no secret are told.
  const records: unknown[] = []
  for await (const { record } of readRecords(journal, 0)) records.push(record)
  const id = (records as { kind: string; trace: string }[]).find(({ kind }) => kind === 'event')?.trace ?? ''
  const verdicts = (
    records as { kind: string; verdict?: string; outcome?: string; trigger?: { name: string } }[]
  ).flatMap(({ verdict, outcome, trigger }) => (trigger ? [[trigger.name, verdict ?? outcome]] : []))
  for (const name of Object.keys(DEPENDENCIES))
    expect(verdicts).toContainEqual([name, name.endsWith('-fails') ? 'failed' : 'filtered'])
  const parked = (await scene.engine.parked()).map(one => one.sensor)
  expect(parked.toSorted()).toEqual([
    'http-echoes',
    'http-fails',
    'http-nowhere',
    'jq-then-refused',
    'key-refused',
    'operation-refused',
    'template-decodes',
    'template-fails',
    'template-of-the-trigger',
  ])
  for (const name of ['logs', 'writes', 'jq-then-logs']) expect(verdicts).toContainEqual([name, 'succeeded'])
  expect((await scene.get('ConfigMap', 'kept')).data).toEqual({ word: CANARY })
  expect(verdicts).toContainEqual(['picky', 'filtered'])
  expect(verdicts).toContainEqual(['picky', 'failed'])
  expect(JSON.stringify(records)).toContain('jane')
  writeFileSync(join(folder, 'index.html'), '')

  const archive = await openArchive({ env: systemEnv, database: { file: join(folder, 'archive.db') }, journal })
  await archive.caughtUp()
  const console = await startConsole({
    env: systemEnv,
    archive,
    recorder,
    assets: folder,
    port: 0,
    version: 'test',
    authentication: { mode: 'local', token: TOKEN, caller: { user: 'local', groups: ['system:masters'] } },
    clientFor: () => scene.client,
    workshop: {
      rehearse: (manifest, event) => rehearse(manifest, event, { env: systemEnv, scripts }),
      lint: async () => ({ problems: [] }) as never,
      buses: () => scene.engine.buses(),
      metrics: () => scene.engine.metrics(),
    },
  })
  const answers: Record<string, string> = {}
  const parkedGroups = await archive.parked()
  for (const path of [
    '/overview',
    '/events',
    `/events/${id}`,
    `/events/${id}/payload`,
    `/events/${id}/export`,
    `/events/${id}/relatives`,
    '/parked',
    ...parkedGroups.map(({ fingerprint }) => `/parked/${fingerprint}`),
    '/health',
    '/health-history',
    '/audit',
    '/kinds',
    '/objects',
    '/figures',
    '/search?text=failed',
    '/search?text=canary8f3a1',
    // The manifests of the others have it themselves.
    ...names.filter(name => !/^data-(same|decoded)$/.test(name)).map(name => `/pipeline/Sensor/default/${name}`),
  ]) {
    const response = await fetch(`http://127.0.0.1:${console.port}/api/v1${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    answers[path] = `${response.status} ${await response.text()}`
  }
  expect(answers[`/events/${id}`]).toContain('jane')
  expect(JSON.stringify(answers)).toContain('not told, for it may quote the secrets of the event')
  expect(answers['/parked']).toMatch(/what is \/ .*\(masked\)/)
  const statuses = [...(await scene.list('Sensor')), ...(await scene.list('EventSource'))].map(
    ({ metadata, status }) => [metadata.name, status],
  )
  const places: Readonly<Record<string, unknown>> = {
    records,
    archive: await archive.trace(id, { depth: 3 }),
    written: await archive.object({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'kept' }),
    statuses,
    events: await scene.list('Event'),
    logs: scene.logged,
    metrics: scene.engine.metrics(),
    ...answers,
  }
  await console.close()
  await archive.close()
  await scene.close()
  await recorder.close()
  await journal.close()
  await scripts.close()
  receiver.closeAllConnections()
  receiver.close()
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
}, 90_000)
