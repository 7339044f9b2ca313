import { describe, expect, it } from 'vitest'
import { healthOf, layOutFlow, withIdle } from './flow-layout.ts'

const busy = { namespace: 'shop', backlog: 0, parked: 0, lastAt: 1 }
const flow = {
  from: 0,
  to: 1,
  nodes: [
    { ...busy, id: 'source:shop:orders:incoming', column: 'source' as const, name: 'orders/incoming' },
    { ...busy, id: 'bus:shop:default', column: 'bus' as const, name: 'default' },
  ],
  edges: [
    {
      from: 'source:shop:orders:incoming',
      to: 'bus:shop:default',
      count: 1,
      errors: 0,
      rate: 1,
      errorShare: 0,
      lastAt: 1,
      query: '',
    },
  ],
}
const manifest = (kind: string, name: string) => ({ kind, metadata: { namespace: 'shop', name } })

describe('a flow', () => {
  it('shows what had nothing to do, once, below what had', () => {
    const forbidden = { type: 'Healthy', status: 'False', reason: 'Forbidden', message: 'not allowed to watch' }
    const whole = withIdle(flow, [
      manifest('EventSource', 'orders'),
      { ...manifest('EventSource', 'broken'), status: { conditions: [forbidden] } },
      manifest('Sensor', 'idle'),
      manifest('EventBus', 'default'),
    ])
    expect(whole.nodes.map(node => [node.column, node.name, healthOf(node)])).toEqual([
      ['source', 'orders/incoming', 'healthy'],
      ['bus', 'default', 'healthy'],
      ['source', 'broken', 'failed'],
      ['sensor', 'idle', 'healthy'],
    ])
    expect(whole.nodes[2]?.condition).toMatchObject({ reason: 'Forbidden', message: 'not allowed to watch' })
    const sources = layOutFlow(whole, 1000).nodes.filter(({ node }) => node.column === 'source')
    expect(sources.sort((a, b) => a.y - b.y).map(({ node }) => node.name)).toEqual(['orders/incoming', 'broken'])
  })

  it('warns of a template whose runs failed', () => {
    const template = { ...busy, id: 'template:shop:t', column: 'template' as const, name: 'WorkflowTemplate/t' }
    const edge = { ...flow.edges[0], from: 'trigger', to: template.id, count: 3, rate: 1, lastAt: 1, query: '' }
    expect(healthOf(template, [{ ...edge, errors: 1, errorShare: 1 / 3 }])).toBe('warning')
    expect(healthOf(template, [{ ...edge, errors: 0, errorShare: 0 }])).toBe('healthy')
  })

  it('is left as it is where everything is drawn already', () => {
    expect(withIdle(flow, [manifest('EventSource', 'orders')])).toBe(flow)
  })
})
