import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { eventDefinitions } from '@tiphys/events'
import type { KubeObject, ObjectRef } from '@tiphys/kube'
import { afterAll, beforeAll, expect, it } from 'vitest'

let server: ApiServer
beforeAll(async () => {
  server = await createApiServer()
  const client = server.client()
  for (const definition of eventDefinitions) await client.create(definition)
  for (const { apiVersion, kind, metadata } of eventDefinitions)
    await established({ apiVersion, kind, name: metadata.name ?? '' })
})
afterAll(() => server.close())

async function established(ref: ObjectRef): Promise<void> {
  for (;;) {
    const { status } = (await server.client().get(ref)) as {
      status?: { conditions?: { type: string; status: string }[] }
    }
    if (status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}

const create = (apiVersion: string, kind: string, spec: unknown): Promise<KubeObject> =>
  server.client().create({ apiVersion, kind, metadata: { generateName: 'x-', namespace: 'default' }, spec })

it.each(['EventBus', 'EventSource', 'Sensor'])('%s keeps what nobody knows', async kind => {
  const spec = { anything: { at: ['all'] } }
  expect((await create('argoproj.io/v1alpha1', kind, spec)).spec).toEqual(spec)
})

it('what people do has defaults and limits', async () => {
  const own = (kind: string, spec: unknown) => create('tiphys.dev/v1alpha1', kind, spec)
  expect((await own('Replay', { source: 'hooks' })).spec).toEqual({
    source: 'hooks',
    eventBusName: 'default',
    mode: 'Run',
    rate: 10,
  })
  expect((await own('Retry', { sensor: 's', events: ['0'.repeat(32)] })).spec).toMatchObject({ rate: 10 })
  await expect(own('Retry', {})).rejects.toThrow('spec.sensor: Required value')
  await expect(own('Discard', { sensor: 's' })).rejects.toThrow('spec.reason: Required value')
  await expect(own('Replay', { events: ['x'] })).rejects.toThrow('spec.events[0]')
})
