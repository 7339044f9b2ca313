import type { StepDetail } from '@tiphys/archive'
import { describe, expect, it } from 'vitest'
import { plainText, runsOf } from './ansi.ts'
import { criticalPath } from './critical-path.ts'
import { layOut, linesAt } from './graph.ts'
import { withoutStepGroups } from './step-groups.ts'
import { shortTitle } from './step-title.ts'

const step = (id: string, more: Partial<StepDetail> = {}): StepDetail => ({
  step: id,
  name: id,
  type: 'Pod',
  phase: 'Succeeded',
  attempt: 1,
  at: 0,
  changedAt: 10,
  logs: [],
  ...more,
})

describe('the graph', () => {
  it('puts every step below all that lead to it', () => {
    const { nodes, edges } = layOut([
      step('root', { children: ['a', 'b'] }),
      step('a', { children: ['join'] }),
      step('b', { children: ['c'] }),
      step('c', { children: ['join'] }),
      step('join'),
    ])
    expect(edges).toHaveLength(5)
    for (const { from, to } of edges) expect(to.y).toBeGreaterThan(from.y)
    const places = nodes.map(({ x, y }) => `${x}/${y}`)
    expect(new Set(places).size).toBe(nodes.length)
  })

  it('makes one node of many siblings, and leaves those that failed visible', () => {
    const children = Array.from({ length: 1000 }, (_, i) => `s${i}`)
    const steps = [
      step('root', { children }),
      ...children.map((id, i) => step(id, i % 400 === 7 ? { phase: 'Failed' } : {})),
    ]
    const { nodes } = layOut(steps)
    expect(nodes.filter(({ phase }) => phase === 'Failed').map(({ id }) => id)).toEqual(['s7', 's407', 's807'])
    expect(nodes.find(({ members }) => members)).toMatchObject({ title: '997 steps', byPhase: { Succeeded: 997 } })
    expect(layOut(steps, new Set(['group-root'])).nodes).toHaveLength(1001)
  })

  it.each([
    ['Skipped', 'Skipped'],
    ['Planned', 'Planned'],
    ['Running', 'Suspended', 'Suspend'],
  ])('does not say of many that are %s that they succeeded', (phase, said, type = 'Pod') => {
    const children = Array.from({ length: 25 }, (_, i) => `s${i}`)
    const { nodes } = layOut([step('root', { children }), ...children.map(id => step(id, { phase, type }))])
    expect(nodes.find(({ members }) => members)).toMatchObject({ phase: said, byPhase: { [said]: 25 } })
  })

  it('names steps by their beginning and their end where there is no room for all of it', () => {
    expect(shortTitle('render', 17)).toBe('render')
    expect(['07', '19'].map(i => shortTitle(`fetch-all-customers(${i}:customer-${i})`, 17))).toEqual([
      'fetch-al…omer-07)',
      'fetch-al…omer-19)',
    ])
    expect(shortTitle(`send(0:${'🎉'.repeat(20)})`, 17)).toBe('send(0:🎉…🎉🎉🎉🎉🎉🎉🎉)')
  })

  it('puts many that stand beside each other into rows of one frame, with one line for all of them', () => {
    const children = Array.from({ length: 1000 }, (_, i) => `s${i}`)
    const steps = [step('root', { children }), ...children.map(id => step(id, { children: ['join'] })), step('join')]
    const graph = layOut(steps, new Set(['group-root']))
    const [tray] = graph.trays
    expect(graph.edges).toHaveLength(2000)
    expect(graph.lines.map(({ fromY, toY }) => toY > fromY)).toEqual([true, true])
    expect(graph.width).toBeLessThan(2500)
    const placeOf = (id: string) => graph.nodes.find(node => node.id === id)
    for (const id of children) {
      expect(placeOf(id)?.y).toBeGreaterThan(tray?.y ?? Infinity)
      expect(placeOf(id)?.y).toBeLessThan((tray?.y ?? 0) + (tray?.height ?? 0))
    }
    expect(placeOf('join')?.y).toBeGreaterThan((tray?.y ?? 0) + (tray?.height ?? 0))
    const one = placeOf('s500')
    expect(one && linesAt(graph, one).map(({ key }) => key)).toEqual(['root→s500', 's500→join'])
  })

  it('draws a circle, which no workflow has, instead of hanging', () => {
    expect(layOut([step('a', { children: ['b'] }), step('b', { children: ['a'] })]).nodes).toHaveLength(2)
    expect(layOut([]).nodes).toEqual([])
  })

  it('hangs a step that only belongs to another below it', () => {
    const { edges } = layOut([step('root'), step('child', { parent: 'root' })])
    expect(edges.map(({ from, to }) => [from.id, to.id])).toEqual([['root', 'child']])
  })
})

describe('groups of steps', () => {
  it('are left out, and what they hold comes after what led to them', () => {
    const steps = withoutStepGroups([
      step('root', { type: 'Steps', children: ['[0]'] }),
      step('[0]', { type: 'StepGroup', children: ['a', 'b'] }),
      step('a', { children: ['[1]'] }),
      step('b', { children: ['[1]'] }),
      step('[1]', { type: 'StepGroup', children: ['c'] }),
      step('c'),
    ])
    expect(steps.map(({ step: id, children = [] }) => `${id}: ${children.join(' ')}`)).toEqual([
      'root: a b',
      'a: c',
      'b: c',
      'c: ',
    ])
  })

  it('stay when there is nothing in them', () => {
    const steps = [step('root', { children: ['[0]'] }), step('[0]', { type: 'StepGroup', phase: 'Error' })]
    expect(withoutStepGroups(steps)).toEqual(steps)
  })
})

it('the critical path is what the whole had to wait for', () => {
  const steps = [
    step('root', { type: 'DAG', children: ['fast', 'slow'], finishedAt: 100 }),
    step('fast', { finishedAt: 10, children: ['end'] }),
    step('slow', { finishedAt: 80, children: ['end'] }),
    step('end', { finishedAt: 99 }),
  ]
  expect([...criticalPath(steps)]).toEqual(['end', 'slow', 'root'])
})

describe('output', () => {
  it('keeps colours and drops everything else a terminal would do', () => {
    expect(runsOf('\x1b[31;1merror\x1b[0m: x')).toEqual([
      { text: 'error', className: 'ansi-red ansi-bold' },
      { text: ': x', className: '' },
    ])
    expect(plainText('\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07')).toBe('click')
    expect(plainText('\x1b]0;title\x1b\\text\x1b[2J\x1b[1;1H\x07')).toBe('text')
    expect(plainText('a\x00b\rc')).toBe('abc')
  })

  it('is the line itself when there is nothing in it', () =>
    expect(runsOf('<b>plain</b>')).toEqual([{ text: '<b>plain</b>', className: '' }]))
})
