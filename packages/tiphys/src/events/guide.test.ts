import { readFileSync } from 'node:fs'
import { freePort } from '@tiphys/env/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { EngineScene } from './engine-scene.ts'

const guide = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8')
const [pipeline = '', rights = ''] = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)

let scene: EngineScene
beforeEach(async () => {
  scene = await EngineScene.start()
  // Only what the guide allows.
  const everything = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'everything' }
  await scene.client.delete(everything)
})
afterEach(() => scene.close())

it('the first pipeline of the guide does what it says, with the rights that it has', async () => {
  const port = await freePort()
  await scene.apply(rights)
  await scene.apply(pipeline.replace('"12000"', `"${port}"`))
  const order = async (body: object, key: string) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
    const response = await fetch(`http://127.0.0.1:${port}/orders`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect([response.status, await response.text()]).toEqual([200, 'success'])
    await scene.settled()
  }
  await order({ item: 'book', amount: 12 }, 'one')
  await order({ item: 'pen', amount: 2 }, 'two')
  await order({ item: 'book', amount: 12 }, 'one')
  await order({ item: '$(id) {{ .Input }}', amount: 10 }, 'three')
  const made = (await scene.list('ConfigMap')).filter(({ metadata }) => metadata.name?.startsWith('order-'))
  expect(made.map(({ data }) => (data as { item: string }).item).sort()).toEqual(['$(id) {{ .Input }}', 'book'])
  for (const { metadata } of made) {
    expect(metadata.annotations).toHaveProperty(['tiphys.dev/event'])
    expect(metadata.labels).toMatchObject({
      'events.argoproj.io/sensor': 'keeper',
      'events.argoproj.io/trigger': 'keep',
    })
  }
})

it('the request of the guide makes a ConfigMap', async () => {
  const port = await freePort()
  await scene.apply(rights)
  await scene.apply(pipeline.replace('"12000"', `"${port}"`))
  const [, name = '', value = '', body = '', path = ''] =
    /curl -H '([\w-]+): ([^']+)' -d '([^']+)' http:\/\/127\.0\.0\.1:12000(\S+)/.exec(guide) ?? []
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: { [name]: value }, body })
  expect(await answer.text()).toBe('success')
  await scene.settled()
  expect((await scene.configMaps()).filter(made => made.startsWith('order-'))).toHaveLength(1)
})

it('without the rights nothing is made, and the Sensor says which one is missing', async () => {
  const port = await freePort()
  await scene.apply(rights.replace('resources: [configmaps]', 'resources: [secrets]'))
  await scene.apply(pipeline.replace('"12000"', `"${port}"`))
  const body = JSON.stringify({ item: 'book', amount: 12 })
  expect((await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST', body })).status).toBe(200)
  await scene.settled()
  expect((await scene.configMaps()).filter(name => name.startsWith('order-'))).toEqual([])
  await scene.advance(30_000)
  const { status } = await scene.get('Sensor', 'keeper')
  expect(JSON.stringify(status)).toMatch(/cannot create resource \\?\\?\\"configmaps/)
})
