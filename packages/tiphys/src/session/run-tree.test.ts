import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createTerminal } from '../terminal.ts'
import { drawRun, drawRunWithin, treeOfWorkflow } from './run-tree.ts'

const { out } = createTerminal({ stdout: { write: () => {} }, stderr: { write: () => {} } }, {})
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const node = (id: string, type: string, more: object = {}) => ({
  id,
  name: id,
  displayName: id,
  type,
  phase: 'Succeeded',
  startedAt: at(0),
  finishedAt: at(1),
  ...more,
})
const workflow = (nodes: readonly { id: string }[], status: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { namespace: 'shop', name: 'order' },
  status: {
    phase: 'Running',
    progress: '1/2',
    startedAt: at(0),
    nodes: Object.fromEntries(nodes.map(node => [node.id, node])),
    ...status,
  },
})
const draw = (object: ReturnType<typeof workflow>) =>
  drawRun(out, treeOfWorkflow(object), Date.UTC(2026, 0, 1, 0, 0, 9))

it('shows steps under what they belong to, and not the groups that the engine makes of them', () => {
  const nodes = [
    node('order', 'Steps', { children: ['g0'], phase: 'Running', finishedAt: null }),
    node('g0', 'StepGroup', { boundaryID: 'order', children: ['pay'] }),
    node('pay', 'Pod', { boundaryID: 'order', children: ['g1'] }),
    node('g1', 'StepGroup', { boundaryID: 'order', children: ['ship'] }),
    node('ship', 'Pod', { boundaryID: 'order', phase: 'Failed', message: 'exit code\n1' }),
  ]
  expect(draw(workflow(nodes))).toEqual([
    '● shop/order  Running 1/2  9s',
    '  ● order Steps  9s',
    '    ✔ pay  1s',
    '    ✖ ship  1s  exit code 1',
  ])
})

it('shows attempts under what is tried again, and items under their loop', () => {
  const nodes = [
    node('dag', 'DAG', { children: ['build', 'each'] }),
    node('build', 'Retry', { boundaryID: 'dag', children: ['build(0)', 'build(1)'] }),
    node('build(0)', 'Pod', { boundaryID: 'dag', phase: 'Failed' }),
    node('build(1)', 'Pod', { boundaryID: 'dag' }),
    node('each', 'TaskGroup', { boundaryID: 'dag', children: ['each(0:a)'] }),
    node('each(0:a)', 'Pod', { boundaryID: 'dag', phase: 'Pending', startedAt: null, finishedAt: null }),
  ]
  expect(draw(workflow(nodes, { phase: 'Succeeded', finishedAt: at(2) })).slice(1)).toEqual([
    '  ✔ dag DAG  1s',
    '    ✔ build Retry  1s',
    '      ✖ build(0)  1s',
    '      ✔ build(1)  1s',
    '    ✔ each TaskGroup  1s',
    '      ◷ each(0:a)',
  ])
})

it('waits for a run that nobody has begun', () => {
  const { status: _, ...fresh } = workflow([])
  expect(drawRun(out, treeOfWorkflow(fresh), 0)).toEqual(['◷ shop/order  Pending'])
})

it('survives a step that claims to belong to itself', () => {
  expect(draw(workflow([node('a', 'Pod', { boundaryID: 'a', children: ['a'] })]))).toHaveLength(2)
})

it('says what a suspended step waits for, and that a run is suspended', () => {
  const gate = node('gate', 'Suspend', {
    phase: 'Running',
    finishedAt: null,
    outputs: {
      parameters: [
        { name: 'by', value: 'me' },
        { name: 'verdict', valueFrom: { supplied: {} } },
      ],
    },
  })
  expect(draw(workflow([gate]))).toEqual([
    '◷ shop/order  Suspended 1/2  9s',
    '  ● gate Suspend  9s  waits: tiphys resume shop/order -p verdict=…',
  ])
  const held = { ...workflow([]), spec: { suspend: true } }
  expect(draw(held)).toEqual(['◷ shop/order  Suspended 1/2  9s  waits: tiphys resume shop/order'])
  expect(draw({ ...held, ...workflow([], { phase: 'Failed' }) })).toEqual(['✖ shop/order  Failed 1/2  9s'])
})

it('reads the nodes of a large run, which are compressed', () => {
  const compressedNodes = gzipSync(JSON.stringify({ big: node('big', 'Pod') })).toString('base64')
  expect(draw(workflow([], { nodes: undefined, compressedNodes }))).toEqual([
    '● shop/order  Running 1/2  9s',
    '  ✔ big  1s',
  ])
})

it('does not do what a message asks of a terminal', () => {
  const [, line] = draw(workflow([node('rude', 'Pod', { phase: 'Failed', message: 'one\x1b[2Jtwo\r\nthree' })]))
  expect(line).toBe('  ✖ rude  1s  one [2Jtwo three')
})

it('leaves out steps that are done well where the screen is too small', () => {
  const steps = Array.from({ length: 6 }, (_, i) => node(`step-${i}`, 'Pod', { boundaryID: 'order' }))
  const nodes = [
    node('order', 'Steps', { phase: 'Running', finishedAt: null }),
    ...steps,
    node('last', 'Pod', { boundaryID: 'order', phase: 'Failed' }),
  ]
  const within = (height: number) =>
    drawRunWithin(out, treeOfWorkflow(workflow(nodes)), Date.UTC(2026, 0, 1, 0, 0, 9), height).slice(2)
  expect(within(9)).toHaveLength(7)
  expect(within(6)).toEqual(['    ✔ step-4  1s', '    ✔ step-5  1s', '    ✖ last  1s', '  … 4 more steps'])
  expect(within(4)).toEqual(['    ✖ last  1s', '  … 6 more steps'])
  expect(within(3)).toEqual(['  … 7 more steps'])
})

it('shows what failed and what waits for a person where there is no room for all that is at work', () => {
  const running = { boundaryID: 'order', phase: 'Running', finishedAt: null }
  const nodes = [
    node('order', 'DAG', { phase: 'Running', finishedAt: null }),
    ...[1, 2, 3, 4].map(number => node(`work-${number}`, 'Pod', running)),
    node('later', 'Pod', { ...running, phase: 'Pending' }),
    node('broken', 'Pod', { boundaryID: 'order', phase: 'Failed' }),
    node('approve', 'Suspend', running),
  ]
  const lines = drawRunWithin(out, treeOfWorkflow(workflow(nodes)), Date.UTC(2026, 0, 1, 0, 0, 9), 6)
  expect(lines.slice(2)).toEqual([
    '    ● work-4  9s',
    '    ✖ broken  1s',
    '    ● approve Suspend  9s  waits: tiphys resume shop/order',
    '  … 4 more steps',
  ])
})
