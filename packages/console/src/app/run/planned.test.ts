import type { StepDetail } from '@tiphys/archive'
import { describe, expect, it } from 'vitest'
import { suppliedOutputs, type WorkflowManifest, withPlanned } from './planned.ts'

const step = (id: string, more: Partial<StepDetail> = {}): StepDetail => ({
  step: id,
  name: id,
  type: 'Pod',
  phase: 'Succeeded',
  attempt: 1,
  at: 1,
  changedAt: 1,
  logs: [],
  ...more,
})
const links = (steps: readonly StepDetail[]) =>
  steps.flatMap(({ step: id, children = [] }) => children.map(child => `${id} → ${child}`)).sort()
const planned = (steps: readonly StepDetail[]) =>
  steps.filter(({ phase }) => phase === 'Planned').map(({ step: id }) => id)

describe('steps that have not begun', () => {
  it('come after the group that is under way, with what is in them', () => {
    const workflow: WorkflowManifest = {
      spec: {
        templates: [
          {
            name: 'main',
            steps: [
              [{ name: 'first', template: 'work' }],
              [{ name: 'inner', template: 'inner' }],
              [{ name: 'last', template: 'work' }],
            ],
          },
          { name: 'inner', steps: [[{ name: 'deep', template: 'work' }]] },
          { name: 'work' },
        ],
      },
      status: {
        nodes: {
          run: { id: 'run', type: 'Steps', templateName: 'main', templateScope: 'local/run', children: ['g0'] },
          g0: { id: 'g0', type: 'StepGroup', displayName: '[0]', boundaryID: 'run', children: ['first'] },
          first: { id: 'first', type: 'Pod', displayName: 'first', boundaryID: 'run' },
        },
      },
    }
    const steps = [step('run', { children: ['g0'] }), step('g0', { children: ['first'] }), step('first')]
    const all = withPlanned(steps, workflow, false)
    expect(planned(all)).toEqual(['run/1/inner', 'run/1/inner/0/deep', 'run/2/last'])
    expect(links(all)).toEqual(
      [
        'first → run/1/inner',
        'g0 → first',
        'run → g0',
        'run/1/inner → run/1/inner/0/deep',
        'run/1/inner/0/deep → run/2/last',
      ].sort(),
    )
    expect(withPlanned(steps, workflow, true).map(({ phase }) => phase)).toContain('Not reached')
  })

  it('come after what they depend on, found in the templates that the run has stored', () => {
    const workflow: WorkflowManifest = {
      status: {
        storedTemplates: {
          'namespaced/shop/handle': {
            name: 'handle',
            dag: {
              tasks: [
                { name: 'a', template: 'work' },
                { name: 'b', template: 'work', depends: 'a.Succeeded' },
                { name: 'c', template: 'work', dependencies: ['a', 'b'] },
              ],
            },
          },
        },
        nodes: {
          run: { id: 'run', type: 'DAG', templateRef: { name: 'shop', template: 'handle' } },
          a: { id: 'a', type: 'Retry', displayName: 'a', boundaryID: 'run', children: ['a0', 'a1'] },
          a0: { id: 'a0', type: 'Pod', displayName: 'a(0)', boundaryID: 'run' },
          a1: { id: 'a1', type: 'Pod', displayName: 'a(1)', boundaryID: 'run' },
        },
      },
    }
    const all = withPlanned(
      [step('run'), step('a', { children: ['a0', 'a1'] }), step('a0'), step('a1')],
      workflow,
      false,
    )
    expect(planned(all)).toEqual(['run/b', 'run/c'])
    expect(links(all)).toContain('a1 → run/b')
    expect(links(all)).toContain('run/b → run/c')
  })

  it('are none when everything has begun, and none when nothing is known of the templates', () => {
    const steps = [step('run'), step('only')]
    const nodes = {
      run: { id: 'run', type: 'Steps', templateName: 'main', templateScope: 'local/run', children: ['g0'] },
      g0: { id: 'g0', type: 'StepGroup', displayName: '[0]', boundaryID: 'run', children: ['only'] },
      only: { id: 'only', type: 'Pod', displayName: 'only', boundaryID: 'run' },
    }
    expect(withPlanned(steps, { status: { nodes } }, false)).toEqual(steps)
    const templates = [{ name: 'main', steps: [[{ name: 'only' }]] }]
    expect(withPlanned(steps, { spec: { templates }, status: { nodes } }, false)).toEqual(steps)
    expect(withPlanned(steps, {}, false)).toEqual(steps)
  })

  it('end, also when a template contains itself', () => {
    const templates = [{ name: 'loop', steps: [[{ name: 'a' }], [{ name: 'again', template: 'loop' }]] }]
    const nodes = { run: { id: 'run', type: 'Steps', templateName: 'loop', templateScope: 'local/run' } }
    expect(withPlanned([step('run')], { spec: { templates }, status: { nodes } }, false).length).toBeLessThan(40)
  })
})

it('a suspended step says what it wants to be given', () => {
  const parameters = [
    { name: 'approve', valueFrom: { supplied: {}, default: 'no' }, enum: ['yes', 'no'] },
    { name: 'made', value: 'x' },
  ]
  const workflow = { status: { nodes: { wait: { id: 'wait', type: 'Suspend', outputs: { parameters } } } } }
  expect(suppliedOutputs(workflow, 'wait').map(({ name }) => name)).toEqual(['approve'])
  expect(suppliedOutputs(undefined, 'wait')).toEqual([])
})
