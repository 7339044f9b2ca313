import { expect, test } from 'vitest'
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
