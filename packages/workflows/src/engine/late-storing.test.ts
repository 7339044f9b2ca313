import { describe, expect, it } from 'vitest'
import type { Action, Plan } from '../plan/plan.ts'
import type { NodeStatus, Workflow, WorkflowStatus } from '../spec/workflow.ts'
import { mayStoreLater, storeBy, withUnstored } from './late-storing.ts'

const workflow = (fields: Partial<Workflow> = {}): Workflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'run', resourceVersion: '1' },
  spec: { entrypoint: 'main' },
  status: { phase: 'Running' },
  ...fields,
})

const node = (fields: Partial<NodeStatus>): NodeStatus => ({
  id: 'run-1',
  name: 'run.a',
  displayName: 'a',
  type: 'Pod',
  phase: 'Pending',
  ...fields,
})

const CREATE_POD: Action = {
  do: 'createPod',
  nodeId: 'run-1',
  nodeName: 'run.a',
  podName: 'run-step-1',
  template: { name: 'step' },
  volumes: [],
  shared: {},
  daemon: false,
  needsResult: false,
}

const planned = (fields: Partial<Plan> = {}, status: WorkflowStatus = {}): Plan => ({
  status: { phase: 'Running', ...status },
  changed: true,
  actions: [CREATE_POD],
  labels: {},
  annotations: {},
  transitions: [{ node: node({}), from: undefined }],
  ...fields,
})

describe('storing a plan later', () => {
  it('is allowed for a step that ends well and the pod of the next, also for the first', () => {
    const next = [
      { node: node({ phase: 'Succeeded' }), from: 'Running' as const },
      { node: node({ id: 'run-2', type: 'StepGroup', phase: 'Running' }), from: undefined },
      { node: node({ id: 'run-3' }), from: undefined },
    ]
    expect(mayStoreLater(workflow(), planned({ transitions: next }))).toBe(true)
    const { status: _status, ...unbegun } = workflow()
    expect(mayStoreLater(unbegun as Workflow, planned())).toBe(true)
  })

  it.each([
    ['the end of a run', planned({}, { phase: 'Succeeded' })],
    ['a step that fails', planned({ transitions: [{ node: node({ phase: 'Failed' }), from: 'Running' }] })],
    ['a step that is left out', planned({ transitions: [{ node: node({ type: 'Skipped' }), from: undefined }] })],
    ['what the engine does itself', planned({ actions: [{ do: 'releaseLock', holder: 'run-1' }] })],
    ['a lock that is held', planned({}, { synchronization: {} })],
    ['a template that was looked up', planned({}, { storedTemplates: {} })],
    ['a manifest that was looked up', planned({}, { storedWorkflowTemplateSpec: {} })],
    [
      'a pod with artifacts',
      planned({ actions: [{ ...CREATE_POD, template: { name: 'step', outputs: { artifacts: [{ name: 'file' }] } } }] }),
    ],
  ])('is not allowed for %s', (_what, plan) => {
    expect(mayStoreLater(workflow(), plan)).toBe(false)
  })

  it.each(['{{=sprig.now()}}', '{{workflow.duration}}', '{{steps.b.finishedAt}}'])(
    'is not allowed where the moment decides: %s',
    when => {
      const templates = [{ name: 'main', steps: [[{ name: 'a', template: 'step', when }]] }]
      expect(mayStoreLater(workflow({ spec: { entrypoint: 'main', templates } }), planned())).toBe(false)
    },
  )

  it('has an end, and none is begun while few runs are under way', () => {
    expect(storeBy(5000, 1)).toBe(5000)
    expect(storeBy(5000, 100)).toBe(7000)
  })
})

describe('a status that is not stored yet', () => {
  const unstored = { base: workflow(), status: { phase: 'Running' as const, progress: '1/2' }, by: 0 }

  it('is what a run has come to, also when somebody stops it meanwhile', () => {
    const stopped = workflow({ metadata: { name: 'run', resourceVersion: '2' }, spec: { shutdown: 'Stop' } })
    expect(withUnstored(workflow(), unstored)?.status).toBe(unstored.status)
    expect(withUnstored(stopped, unstored)).toMatchObject({ spec: { shutdown: 'Stop' }, status: { progress: '1/2' } })
  })

  it('yields to a status that somebody else has changed', () => {
    const resumed = workflow({
      metadata: { name: 'run', resourceVersion: '2' },
      status: { phase: 'Running', nodes: {} },
    })
    expect(withUnstored(resumed, unstored)).toBeUndefined()
  })
})
