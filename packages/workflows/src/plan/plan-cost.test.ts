import { expect, test } from 'vitest'
import type { Template, Workflow } from '../spec/workflow.ts'
import type { ObservedPod } from './observed.ts'
import { plan } from './plan.ts'

const leaf: Template = {
  name: 'leaf',
  inputs: { parameters: [{ name: 'x' }] },
  container: { image: 'x', command: ['echo', '{{inputs.parameters.x}}'] },
}

function chainOf(length: number): Workflow {
  const tasks = Array.from({ length }, (_, index) => ({
    name: `t${index}`,
    template: 'leaf',
    arguments: {
      parameters: [{ name: 'x', value: index === 0 ? '{{workflow.name}}' : `{{tasks.t${index - 1}.status}}` }],
    },
    ...(index === 0 ? {} : { depends: `t${index - 1}` }),
  }))
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'chain', namespace: 'team' },
    spec: { entrypoint: 'main', templates: [leaf, { name: 'main', dag: { tasks } }] },
  }
}

function fanOf(count: number): Workflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'fan', namespace: 'team' },
    spec: {
      entrypoint: 'main',
      templates: [
        leaf,
        {
          name: 'main',
          steps: [
            [
              {
                name: 'each',
                template: 'leaf',
                withSequence: { count },
                arguments: { parameters: [{ name: 'x', value: '{{item}}' }] },
              },
            ],
          ],
        },
      ],
    },
  }
}

/** Microseconds that one plan takes for each node, when half of the pods have ended. */
function costPerNode(manifest: Workflow, size: number): number {
  let workflow = manifest
  const pods: Record<string, ObservedPod> = {}
  const planned = () => {
    const result = plan({ workflow, templates: { get: () => undefined }, observed: { pods }, now: 1_774_785_600_000 })
    workflow = { ...workflow, status: result.status }
    for (const action of result.actions) {
      if (action.do === 'createPod')
        pods[action.nodeId] = { name: action.podName, phase: 'Succeeded', outcome: { exitCode: 0 } }
    }
  }
  for (let count = 0; count < size / 2 && workflow.status?.phase !== 'Succeeded'; count++) planned()
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 15; round++) {
    const before = performance.now()
    plan({ workflow, templates: { get: () => undefined }, observed: { pods }, now: 1_774_785_600_000 })
    best = Math.min(best, performance.now() - before)
  }
  return (best * 1000) / size
}

test.each([
  ['a chain of tasks', chainOf],
  ['a loop', fanOf],
])('planning %s of 1,000 costs at most twice as much for each as one of 100', (_, make) => {
  // The first rounds are slow because the code is new; a busy machine gets more than one try.
  costPerNode(make(50), 50)
  for (let attempt = 1; ; attempt++) {
    const small = costPerNode(make(100), 100)
    const large = costPerNode(make(1000), 1000)
    if (large <= small * 2) return
    if (attempt === 5) expect(large).toBeLessThanOrEqual(small * 2)
  }
})
