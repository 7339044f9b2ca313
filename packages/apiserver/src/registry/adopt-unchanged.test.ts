import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { adoptUnchanged } from './adopt-unchanged.ts'

const object = (more: Record<string, unknown>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', labels: { a: 'b' } },
  ...more,
})

describe('an updated object', () => {
  it('takes what did not change from the stored one, however deep, and keeps what did', () => {
    const stored = object({
      spec: { a: { b: [1, { c: 2 }] }, d: 1 },
      status: { nodes: { one: { x: 1 }, two: { x: 2 } } },
    })
    const updated = object({
      spec: { d: 1, a: { b: [1, { c: 2 }] } },
      status: { nodes: { one: { x: 1 }, two: { x: 3 }, three: {} } },
    })
    const wanted = structuredClone(updated)
    adoptUnchanged(updated, stored)
    expect(updated).toEqual(wanted)
    expect(updated.spec).toBe(stored.spec)
    const [now, before] = [updated, stored].map(({ status }) => (status as { nodes: Record<string, unknown> }).nodes)
    expect(now?.one).toBe(before?.one)
    expect(now?.two).not.toBe(before?.two)
  })

  it('adopts nothing that is shorter, longer or of another kind', () => {
    const stored = object({ spec: { a: [1, 2], b: { x: 1, y: 2 }, c: [], d: null, e: {} } })
    const updated = object({ spec: { a: [1], b: { x: 1 }, c: {}, d: {}, e: null } })
    const wanted = structuredClone(updated)
    adoptUnchanged(updated, stored)
    expect(updated).toEqual(wanted)
    expect(updated.spec).not.toBe(stored.spec)
  })

  it('keeps metadata of its own', () => {
    const [stored, updated] = [object({}), object({})]
    adoptUnchanged(updated, stored)
    expect(updated.metadata).not.toBe(stored.metadata)
    expect(updated.metadata.labels).not.toBe(stored.metadata.labels)
  })
})
