import type { EndpointSlice, Node, Pod, Service } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { planSlices } from './slice-plan.ts'

const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', uid: 'service' },
  spec: { clusterIP: '10.96.0.9', selector: { app: 'web' }, ports: [{ port: 80 }], ipFamilies: ['IPv4'] },
}
const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one' } }

const podOf = (index: number, isReady = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${index}`, namespace: 'default', uid: `uid-${index}` },
  spec: { nodeName: 'one', containers: [] },
  status: {
    phase: 'Running',
    podIPs: [{ ip: `10.244.${index >> 8}.${index & 255}` }],
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  },
})

const pods = (count: number) => Array.from({ length: count }, (_, i) => podOf(i))

const plan = (wanted: readonly Pod[], existing: readonly EndpointSlice[]) =>
  planSlices({ service, pods: wanted, nodeOf: () => node, existing })

/** The slices after the plan, with names. */
let drawn = 0
const carryOut = (wanted: readonly Pod[], existing: readonly EndpointSlice[]): EndpointSlice[] => {
  const { create, update, delete: gone } = plan(wanted, existing)
  const kept = existing.filter(slice => !gone.includes(slice))
  const after = kept.map(slice => update.find(({ metadata }) => metadata.name === slice.metadata.name) ?? slice)
  return [...after, ...create.map(slice => ({ ...slice, metadata: { ...slice.metadata, name: `web-${drawn++}` } }))]
}

const sizes = (slices: readonly EndpointSlice[]) => slices.map(({ endpoints = [] }) => endpoints.length)

describe('a plan for the slices of a service', () => {
  it('puts at most a hundred endpoints into a slice', () => {
    expect(sizes(carryOut(pods(250), []))).toEqual([100, 100, 50])
  })

  it('is empty when nothing changed', () => {
    const slices = carryOut(pods(120), [])
    expect(plan(pods(120), slices)).toEqual({ create: [], update: [], delete: [] })
  })

  it('fills a slice that has room before it makes another', () => {
    const slices = carryOut(pods(120), [])
    const { create, update } = plan(pods(150), slices)
    expect(create).toEqual([])
    expect(sizes(update)).toEqual([50])
  })

  it('writes only the slice of an endpoint that changed', () => {
    const slices = carryOut(pods(120), [])
    const changed = pods(120).map((pod, i) => (i === 110 ? podOf(i, false) : pod))
    const { create, update, delete: gone } = plan(changed, slices)
    expect([create, gone]).toEqual([[], []])
    expect(sizes(update)).toEqual([20])
  })

  it('leaves a placeholder when the last endpoint goes', () => {
    const slices = carryOut(pods(1), [])
    const after = carryOut([], slices)
    expect(sizes(after)).toEqual([0])
    expect(plan([], after)).toEqual({ create: [], update: [], delete: [] })
  })
})
