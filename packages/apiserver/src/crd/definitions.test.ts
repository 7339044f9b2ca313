import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it, vi } from 'vitest'
import { type ApiServer, createApiServer } from '../server/api-server.ts'

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }

const definition = (): KubeObject => ({
  ...CRD,
  metadata: { name: 'widgets.example.test' },
  spec: {
    group: 'example.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
})

const widget = (name: string, finalizers?: string[]): KubeObject => ({
  apiVersion: 'example.test/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default', ...(finalizers ? { finalizers } : {}) },
  spec: { size: 1 },
})

const WIDGETS = { apiVersion: 'example.test/v1', kind: 'Widget', namespace: 'default' }

async function serverWithWidgets(): Promise<ApiServer> {
  const server = await createApiServer()
  await server.client().create(definition())
  await vi.waitFor(() => server.client().list(WIDGETS), { timeout: 15_000 })
  return server
}

const definitionIsGone = (server: ApiServer) =>
  vi.waitFor(
    async () => {
      const { items } = await server.client().list(CRD)
      expect(items).toEqual([])
    },
    { timeout: 15_000 },
  )

describe('a CustomResourceDefinition', () => {
  it('is served once its names are accepted', async () => {
    const server = await serverWithWidgets()
    const created = await server.client().create(widget('a'))
    expect(created.metadata).toMatchObject({ generation: 1 })
  })

  it('takes its instances along when it is deleted', async () => {
    const server = await serverWithWidgets()
    await server.client().create(widget('a'))
    await server.client().delete({ ...CRD, name: 'widgets.example.test' })
    await definitionIsGone(server)
    await server.client().create(definition())
    const { items } = await vi.waitFor(() => server.client().list(WIDGETS), { timeout: 15_000 })
    expect(items).toEqual([])
  })

  it('stays until the last finalizer of an instance is gone', async () => {
    const server = await serverWithWidgets()
    const client = server.client()
    await client.create(widget('a', ['example.test/hold']))
    await client.delete({ ...CRD, name: 'widgets.example.test' })
    const instance = await vi.waitFor(
      async () => {
        const held = await client.get({ ...WIDGETS, name: 'a' })
        expect(held.metadata.deletionTimestamp).toBeDefined()
        return held
      },
      { timeout: 15_000 },
    )
    expect((await client.list(CRD)).items).toHaveLength(1)
    await client.patch(
      { ...WIDGETS, name: instance.metadata.name as string },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    )
    await definitionIsGone(server)
  })
})
