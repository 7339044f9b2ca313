import { VirtualClock } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { NodeUsage } from './node-usage.ts'
import { MachinePods } from './testing/machine-pods.ts'

const START = '2026-01-01T00:00:00Z'

function usedNode() {
  const clock = new VirtualClock(Date.parse(START))
  const pods = new MachinePods()
  const state = { running: { startedAt: START } }
  pods.add({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'web', uid: 'one' },
    spec: { containers: [] },
    status: {
      startTime: START,
      containerStatuses: [
        { name: 'a', image: '', imageID: '', ready: true, restartCount: 0, state },
        {
          name: 'ended',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 0 } },
        },
      ],
    },
  })
  let cpuNanoseconds = 1_000_000_000n
  pods.usage = async () => ({ cpuNanoseconds, memoryBytes: 2048 })
  const use = (nanoseconds: bigint) => {
    cpuNanoseconds += nanoseconds
  }
  return { usage: new NodeUsage('machine', pods, clock), clock, use }
}

describe('what a node uses', () => {
  it('is summed up over its pods, with rates between two summaries', async () => {
    const { usage, clock, use } = usedNode()
    expect(await usage.summary()).toMatchObject({
      node: { nodeName: 'machine', cpu: { usageCoreNanoSeconds: 1_000_000_000 }, memory: { workingSetBytes: 2048 } },
      pods: [
        { podRef: { name: 'web', namespace: 'default', uid: 'one' }, containers: [{ name: 'a', startTime: START }] },
      ],
    })
    use(5_000_000_000n)
    await clock.advance(10_000)
    expect(await usage.summary()).toMatchObject({
      pods: [{ containers: [{ cpu: { usageNanoCores: 500_000_000 } }], cpu: { usageNanoCores: 500_000_000 } }],
    })
  })

  it('is told in the form that metrics are scraped in', async () => {
    const { usage, clock } = usedNode()
    const labels = 'container="a",namespace="default",pod="web"'
    const text = await usage.resourceMetrics()
    expect(text).toContain(`container_cpu_usage_seconds_total{${labels}} 1 ${clock.now()}\n`)
    expect(text).toContain(`container_memory_working_set_bytes{${labels}} 2048 ${clock.now()}\n`)
    expect(text).toContain(`pod_memory_working_set_bytes{namespace="default",pod="web"} 2048 ${clock.now()}\n`)
    expect(text).not.toContain('ended')
    expect(usage.metrics()).toContain('kubelet_running_containers{container_state="running"} 1\n')
  })
})
