import type { Client, KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { rememberWrites } from './own-writes.ts'

const pod = (resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion },
})

describe('what the engine wrote itself', () => {
  it('is known once, by the version that its write made', async () => {
    const own = rememberWrites({ update: async (object: KubeObject) => object } as unknown as Client)
    await own.client.update(pod('7'))
    expect(own.isEcho(pod('6'))).toBe(false)
    expect(own.isEcho(pod('7'))).toBe(true)
    expect(own.isEcho(pod('7'))).toBe(false)
  })

  it('is not what failed', async () => {
    const refused = { update: () => Promise.reject(new Error('conflict')) } as unknown as Client
    const own = rememberWrites(refused)
    await expect(own.client.update(pod('7'))).rejects.toThrow('conflict')
    expect(own.isEcho(pod('7'))).toBe(false)
  })
})
