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
})
