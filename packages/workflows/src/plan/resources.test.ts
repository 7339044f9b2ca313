import { expect, test } from 'vitest'
import type { ObservedPod } from './observed.ts'
import { leaf, next, pods, workflowOf } from './testing/planning.ts'

const used = (cpu: number, phase: 'Succeeded' | 'Failed' = 'Succeeded'): ObservedPod => ({
  name: 'pod',
  phase,
  outcome: { exitCode: phase === 'Succeeded' ? 0 : 1, resourcesDuration: { cpu, memory: 2 * cpu } },
})

test('what pods have used is told of each of them, of what they are steps of, and of the run', () => {
  const tried = { name: 'tried', retryStrategy: { limit: '1' }, container: { image: 'x', command: ['true'] } }
  const workflow = workflowOf({
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        steps: [
          [
            { name: 'inner', template: 'inner' },
            { name: 'tried', template: 'tried' },
          ],
          [{ name: 'last', template: 'leaf' }],
        ],
      },
      { name: 'inner', dag: { tasks: [{ name: 'each', template: 'leaf', withItems: ['a', 'b'] }] } },
      leaf,
      tried,
    ],
  })
  const spent: Record<string, ObservedPod> = {}
  const use: Record<string, ObservedPod> = {
    'run[0].inner.each(0:a)': used(1),
    'run[0].inner.each(1:b)': used(2),
    'run[0].tried(0)': used(4, 'Failed'),
    'run[0].tried(1)': used(8),
    'run[1].last': used(16),
  }
  let step = next(workflow)
  const told: Record<string, unknown> = {}
  for (let round = 0; round < 4; round++) {
    for (const { nodeId, nodeName } of pods(step.plan)) spent[nodeId] = use[nodeName] as ObservedPod
    step = next(step.workflow, { observed: { pods: spent } })
    for (const { node } of step.plan.transitions) told[node.name] = node.resourcesDuration?.cpu
  }
  expect(step.workflow.status?.phase).toBe('Succeeded')
  const found = Object.values(step.workflow.status?.nodes ?? {}).map(node => [node.name, node.resourcesDuration?.cpu])
  const expected = {
    'run[0].inner.each(0:a)': 1,
    'run[0].inner.each(1:b)': 2,
    'run[0].inner.each': 3,
    'run[0].inner': 3,
    'run[0].tried(0)': 4,
    'run[0].tried(1)': 8,
    'run[0].tried': 12,
    'run[0]': 15,
    'run[1].last': 16,
    'run[1]': 16,
    run: 31,
  }
  expect(Object.fromEntries(found)).toEqual(expected)
  expect(told, 'and to whoever measures').toEqual(expected)
  expect(step.workflow.status?.resourcesDuration).toEqual({ cpu: 31, memory: 62 })
  expect(next(step.workflow, { observed: { pods: spent } }).plan.changed).toBe(false)
})
