import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUS, EngineScene } from './engine-scene.ts'

const PORT = 18_261

let scene: EngineScene

/** Stores what the path leads to. */
const MANIFESTS = `${BUS}---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: sensor}
spec:
  dependencies: [{name: dep, eventSourceName: hook, eventName: push}]
  triggers:
    - template:
        name: keep
        k8s:
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: kept-}, data: {}}}
          parameters: [{src: {dependencyName: dep, dataKey: body}, dest: data.body}]
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: hook}
spec: {webhook: {push: {endpoint: /push, method: POST, port: "${PORT}"}}}
`

beforeEach(async () => {
  scene = await EngineScene.start()
  await scene.apply(MANIFESTS)
})
afterEach(() => scene.close())

async function post(body: Uint8Array | string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const bytes = typeof body === 'string' ? body : Buffer.from(body)
  const answer = await fetch(`http://127.0.0.1:${PORT}/push`, { method: 'POST', body: bytes, headers })
  return [answer.status, await answer.text()]
}

/** The bodies that went all the way. */
async function kept(): Promise<unknown[]> {
  await scene.settled()
  const found = (await scene.list('ConfigMap')) as { metadata: { name?: string }; data?: { body?: string } }[]
  return found
    .filter(({ metadata }) => metadata.name?.startsWith('kept-'))
    .map(({ data }) => JSON.parse(data?.body ?? '') as unknown)
}

const OCTETS = { 'content-type': 'application/octet-stream' }

describe('a webhook with a binary body', () => {
  it.each([
    ['bytes', Uint8Array.from({ length: 256 }, (_, i) => i), OCTETS],
    [
      'a picture',
      Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(4000)]),
      { 'content-type': 'image/png' },
    ],
    ['what is packed', gzipSync('{"a":1}'), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    ['nothing', '', OCTETS],
    ['JSON behind a NUL', '\0{"a":1}', OCTETS],
  ])(
    'which is %s is refused with the reason, as upstream does, and the next one is taken',
    async (_, body, headers) => {
      const [status, text] = await post(body, headers)
      expect([status, text]).toEqual([400, expect.stringContaining('no JSON')])
      expect((await post('{"next":true}'))[0]).toBe(200)
      expect(await kept()).toEqual([{ next: true }])
    },
  )

  it('arrives byte for byte when its sender writes it as JSON can', async () => {
    const bytes = randomBytes(3000)
    const text = Array.from({ length: 0x500 }, (_, i) => String.fromCharCode(i)).join('')
    expect((await post(JSON.stringify({ bytes: bytes.toString('base64'), text }), OCTETS))[0]).toBe(200)
    const [body] = (await kept()) as { bytes: string; text: string }[]
    expect(Buffer.from(body?.bytes ?? '', 'base64').equals(bytes)).toBe(true)
    expect(body?.text).toBe(text)
  })

  it('has a sign in the place of what is no text, in JSON and in forms', async () => {
    const broken = Buffer.concat([Buffer.from('{"text":"a'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('b"}')])
    expect((await post(broken))[0]).toBe(200)
    expect((await post('name=%ff%00x', { 'content-type': 'application/x-www-form-urlencoded' }))[0]).toBe(200)
    expect(new Set((await kept()).map(body => JSON.stringify(body)))).toEqual(
      new Set(['{"text":"a\ufffd\ufffd(b"}', JSON.stringify({ name: ['\ufffd\0x'] })]),
    )
  })
})
