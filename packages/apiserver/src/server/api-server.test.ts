import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { createApiServer } from './api-server.ts'

describe('an embedded API server', () => {
  it('stores what is created, in this process', async () => {
    const server = await createApiServer()
    const client = server.client()
    const created = await client.create<KubeObject>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { x: '1' },
    })
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    const read = await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' })
    expect(read).toEqual(created)
    await server.close()
  })

  it('lets nobody change what is stored, and shares the answer to a write with who only reads it', async () => {
    const server = await createApiServer()
    const client = server.client()
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { x: '1' },
    }
    const own = await client.create<KubeObject & { data: Record<string, string> }>(object)
    own.data.x = '2'
    object.data.x = '3'
    const patch = { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } } as const
    const [first, second] = [
      await client.patch<typeof own>(ref, patch, { readsOnly: true }),
      await client.patch<typeof own>(ref, patch, { readsOnly: true }),
    ]
    expect(first).toMatchObject({ data: { x: '1' }, metadata: { labels: { a: 'b' } } })
    expect(second.data).toBe(first.data)
    expect((await client.get<typeof own>(ref)).data).not.toBe(first.data)
    await server.close()
  })
})
