import type { Pod } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { judgeStorage } from './local-storage.ts'

const MIB = 1024 ** 2

const podWith = (name: string, sizeLimit?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [], volumes: [{ name: 'scratch', emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }] },
})
const use = (pod: Pod, bytes: number, logs = 0) => ({ pod, volumes: new Map([['scratch', bytes]]), logs })
const judged = (available: number, uses: Parameters<typeof judgeStorage>[1]) =>
  judgeStorage({ available, size: 100 * 1024 * MIB }, uses).map(({ pod, verdict }) => [pod.metadata.name, verdict])

describe('pods that keep too much on the disk', () => {
  it('go when a volume holds more than it may', () => {
    const message = 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". '
    expect(judged(1024 * MIB, [use(podWith('small', '1Mi'), MIB), use(podWith('large', '1Mi'), MIB + 1)])).toEqual([
      ['large', { reason: 'Evicted', message, graceMs: 1000 }],
    ])
  })

  it('go when the disk is nearly full, the largest first', () => {
    const uses = [use(podWith('one'), 10 * MIB), use(podWith('two'), 5 * MIB, 6 * MIB), use(podWith('none'), 0)]
    expect(judged(101 * MIB, uses)).toEqual([])
    const message =
      'The node was low on resource: ephemeral-storage. Threshold quantity: 104857600, available: 51200Ki. The pod was using 11264Ki. '
    expect(judged(50 * MIB, uses)).toEqual([['two', { reason: 'Evicted', message, graceMs: 1000 }]])
    expect(judged(50 * MIB, [use(podWith('none'), 0)])).toEqual([])
  })
})
