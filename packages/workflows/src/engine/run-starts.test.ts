import { VirtualClock } from '@tiphys/env'
import type { Pod, PodStatus } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { createRunStarts } from './run-starts.ts'

const pod = (uid: string, status: PodStatus = { phase: 'Pending' }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
  status,
})

const RUNNING: PodStatus = { phase: 'Running', containerStatuses: [] }
const UNSCHEDULABLE: PodStatus = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
}

function setUp() {
  const clock = new VirtualClock()
  const woken: string[] = []
  const engine = { behind: 0 }
  const starts = createRunStarts({ clock, behind: () => engine.behind, wake: key => woken.push(key) })
  /** Begins runs of one pod each until one has to wait; returns how many began. */
  const fill = () => {
    let begun = 0
    while (starts.mayBegin(`default/run-${begun}`)) starts.see(pod(`pod-${begun++}`))
    return begun
  }
  return { clock, woken, engine, starts, fill }
}

describe('the start of new runs', () => {
  it('waits while many pods of others are not taken up, and comes as soon as they are, in order', () => {
    const { starts, woken, fill } = setUp()
    const begun = fill()
    expect(begun).toBeGreaterThan(8)
    expect([starts.mayBegin('default/next'), starts.waiting, woken]).toEqual([false, 2, []])
    starts.see(pod('pod-0', RUNNING))
    expect(woken).toEqual([`default/run-${begun}`])
    expect(starts.mayBegin(`default/run-${begun}`)).toBe(true)
    starts.see(pod('pod-1', UNSCHEDULABLE))
    expect(woken.at(-1)).toBe('default/next')
    expect(starts.waiting).toBe(0)
  })

  it('does not wait for steps that run, nor for pods that are gone', () => {
    const { starts, fill } = setUp()
    const begun = fill()
    starts.leave(`default/run-${begun}`)
    for (let index = 0; index < begun; index++) {
      if (index % 2 === 0) starts.see(pod(`pod-${index}`, RUNNING))
      else starts.forget(`pod-${index}`)
    }
    expect(fill()).toBe(begun)
  })

  it('waits while the engine is behind, and comes now and then however long that lasts', async () => {
    const { clock, starts, woken, engine } = setUp()
    engine.behind = 1000
    for (const key of ['a', 'b', 'c']) expect(starts.mayBegin(key)).toBe(false)
    await clock.advance(1000)
    expect(woken).toEqual(['a', 'b', 'c'])
    expect(woken.map(key => starts.mayBegin(key))).toEqual([true, true, true])
    expect(clock.waiting).toBe(0)
  })

  it('gives the turn of a run that is gone to the next', () => {
    const { starts, woken, fill } = setUp()
    const begun = fill()
    starts.mayBegin('default/next')
    starts.see(pod('pod-0', RUNNING))
    starts.leave(`default/run-${begun}`)
    expect(woken).toEqual([`default/run-${begun}`, 'default/next'])
  })
})
