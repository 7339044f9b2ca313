import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import type { KubeObject } from '@tiphys/kube'
import { LOOPBACK_RANGES } from '@tiphys/kube'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'
import { INPUT_CASES } from './manifest-cases.ts'
import { buildScriptPool } from './script-pool.ts'
import type { SensorCase } from './sensor-case.ts'
import { requests, TRIGGER_CASES } from './trigger-cases.ts'

let folder: string
let scripts: ScriptPool
let receiver: Server
let url: string
let scene: EngineScene

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-manifests-'))
  scripts = await buildScriptPool(folder)
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const known = requests.get(scene) ?? []
      requests.set(scene, [...known, body])
      // `fail` says how many times it is to fail before it succeeds.
      const failures = Number((JSON.parse(body) as { fail?: string }).fail ?? 0)
      const before = known.filter(one => one === body).length
      response.writeHead(before < failures ? 500 : 200).end()
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
})

afterAll(async () => {
  await scripts.close()
  receiver.closeAllConnections()
  receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

afterEach(() => scene.close())

const SENSOR_CASES = [...INPUT_CASES, ...TRIGGER_CASES]

const source = `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: hook}
spec:
  webhook:
    a: {endpoint: /a, method: POST, port: "0"}
    b: {endpoint: /b, method: POST, port: "0"}
`

function sensorOf({
  annotations = {},
  dependencies,
  dependency = '',
  triggers = DEFAULT_TRIGGERS,
}: SensorCase): string {
  const more = dependency === '' ? '' : `, ${dependency}`
  const given = dependencies ?? `\n- {name: dep, eventSourceName: hook, eventName: a${more}}`
  return `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: sensor, annotations: ${JSON.stringify(annotations)}}
spec:
  dependencies: ${given.replaceAll('\n', '\n  ')}
  triggers: ${triggers.replaceAll('\n', '\n  ').replaceAll('URL', url)}
`
}

const DEFAULT_TRIGGERS = `
- template:
    name: make
    k8s:
      operation: create
      source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: made}}}
      parameters: [{src: {dependencyName: dep, dataKey: body.name}, dest: metadata.name}]`

describe('a Sensor', () => {
  it.each(SENSOR_CASES.map(one => [one.name, one] as const))('%s', async (_, one) => {
    scene = await EngineScene.start({ scripts, access: { outbound: { allow: LOOPBACK_RANGES } } })
    await scene.apply([BUS, source, sensorOf(one), ...(one.given ? [one.given] : [])].join('\n---\n'))
    for (const [entry, body] of one.events ?? []) {
      const data = JSON.stringify({ header: {}, body })
      await scene.engine.fire({ namespace: 'default', source: 'hook', entry, data, who: 'test' })
    }
    await scene.settled()
    await one.afterwards?.(scene)
    if (one.makes) expect(await madeIn(scene)).toEqual(one.makes)
    if (one.outcome) expect(await one.outcome(scene)).toEqual(one.is)
    expect(scene.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('there are enough of them', () => {
    scene = { close: () => Promise.resolve() } as EngineScene
    expect(new Set(SENSOR_CASES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60)
  })
})

async function madeIn(of: EngineScene): Promise<string[]> {
  const found = (await of.list('ConfigMap')) as (KubeObject & { data?: Record<string, string> })[]
  return found
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
    .map(({ metadata, data = {} }) => {
      const values = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))
      return [metadata.name, ...values.map(([key, value]) => `${key}=${value}`)].join(' ')
    })
}
