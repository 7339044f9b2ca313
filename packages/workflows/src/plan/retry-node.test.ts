import type { Affinity } from '@tiphys/kube/kinds'
import { describe, expect, test } from 'vitest'
import type { WorkflowSpec } from '../spec/workflow.ts'
import type { ObservedPod } from './observed.ts'
import { ended, leaf, next, pods, start, workflowOf } from './testing/planning.ts'

test('backoff grows, up to its cap', () => {
  const strategy = { limit: 4, backoff: { duration: '10s', factor: 3, cap: '1m' } }
  let workflow = workflowOf({ entrypoint: 'main', templates: [{ ...leaf, name: 'main', retryStrategy: strategy }] })
  const seen: Record<string, ObservedPod> = {}
  const waits: number[] = []
  let now = start
  for (let attempt = 0; attempt <= 4; attempt++) {
    const asked = next(workflow, { observed: { pods: seen }, now })
    const [pod] = pods(asked.plan)
    seen[pod?.nodeId ?? ''] = ended(pod?.podName ?? '', 'Failed')
    const failed = next(asked.workflow, { observed: { pods: seen }, now })
    workflow = failed.workflow
    if (failed.plan.wakeAt === undefined) break
    waits.push((failed.plan.wakeAt - now) / 1000)
    now = failed.plan.wakeAt
  }
  expect(waits).toEqual([10, 30, 60, 60])
  expect(workflow.status).toMatchObject({ phase: 'Failed', message: 'No more retries left' })
})

test('an attempt may run until what all of them have together is over', () => {
  const strategy = { limit: 4, backoff: { duration: '10s', maxDuration: '1m' } }
  const main = { ...leaf, name: 'main', retryStrategy: strategy }
  const first = next(workflowOf({ entrypoint: 'main', templates: [main] }))
  const [one] = pods(first.plan)
  expect(one?.deadline).toBeUndefined()
  const failed = { [one?.nodeId ?? '']: ended(one?.podName ?? '', 'Failed') }
  const waiting = next(first.workflow, { observed: { pods: failed }, now: start + 20_000 })
  const second = next(waiting.workflow, { observed: { pods: failed }, now: start + 30_000 })
  expect(pods(second.plan).map(({ nodeName, deadline }) => [nodeName, deadline])).toEqual([['run(1)', 30]])
})

describe('a retry that is to be on another node', () => {
  const strategy = { limit: 3, affinity: { nodeAntiAffinity: {} } }
  const failedAt = (name: string, nodeName: string): ObservedPod => ({ ...ended(name, 'Failed'), nodeName })
  const hostsOf = (affinity: unknown) =>
    (affinity as Affinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms

  /** What the pods of each round are to keep to, while every pod fails on a node of its own. */
  function affinities(spec: WorkflowSpec): unknown[] {
    const seen: Record<string, ObservedPod> = {}
    const found: unknown[] = []
    let step = next(workflowOf(spec))
    for (let round = 1; pods(step.plan).length > 0; round++) {
      for (const { nodeId, podName, template } of pods(step.plan)) {
        found.push(template.affinity)
        seen[nodeId] = failedAt(podName, `node-${round}`)
      }
      step = next(step.workflow, { observed: { pods: seen } })
    }
    return found
  }

  const notIn = (...values: string[]) => ({ key: 'kubernetes.io/hostname', operator: 'NotIn', values })

  test('keeps away from all where it has failed', () => {
    const found = affinities({ entrypoint: 'main', templates: [{ ...leaf, name: 'main', retryStrategy: strategy }] })
    expect(found.map(hostsOf)).toEqual([
      undefined,
      [{ matchExpressions: [notIn('node-1')] }],
      [{ matchExpressions: [notIn('node-1', 'node-2')] }],
      [{ matchExpressions: [notIn('node-1', 'node-2', 'node-3')] }],
    ])
    expect(
      affinities({ entrypoint: 'main', templates: [{ ...leaf, name: 'main', retryStrategy: { limit: 1 } }] }),
    ).toEqual([undefined, undefined])
  })

  test('keeps to what the manifest says of nodes besides', () => {
    const zone = { key: 'zone', operator: 'In', values: ['a'] }
    const disk = { key: 'disk', operator: 'Exists' }
    const affinity = {
      podAffinity: {},
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [zone] }, { matchExpressions: [disk] }],
        },
      },
    }
    const templates = [{ ...leaf, name: 'main', retryStrategy: { ...strategy, limit: 1 } }]
    const [, second] = affinities({ entrypoint: 'main', affinity, templates })
    expect(second).toMatchObject({ podAffinity: {} })
    expect(hostsOf(second)).toEqual([
      { matchExpressions: [zone, notIn('node-1')] },
      { matchExpressions: [disk, notIn('node-1')] },
    ])
  })

  test('goes for what is inside of steps that are done again', () => {
    const main = { name: 'main', retryStrategy: { ...strategy, limit: 1 }, steps: [[{ name: 'a', template: 'leaf' }]] }
    const found = affinities({ entrypoint: 'main', templates: [main, leaf] })
    expect(found.map(hostsOf)).toEqual([undefined, [{ matchExpressions: [notIn('node-1')] }]])
  })
})
