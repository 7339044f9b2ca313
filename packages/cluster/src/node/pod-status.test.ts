import type { Container, Pod, PodSpec } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import type { Activity, ObservedPod, Running } from './observed-pod.ts'
import { podStatus } from './pod-status.ts'
import { statusPatch } from './status-patch.ts'

const NOW = Date.parse('2024-01-01T00:01:00Z')
const NODE = { hostIps: ['192.0.2.1'] }

const podWith = (spec: Partial<PodSpec>, more: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u1', generation: 2 },
  spec: { containers: [{ name: 'main', image: 'x' }], ...spec },
  ...more,
})

const unstarted: Activity = { state: 'unstarted' }
const running = (more: Partial<Running> = {}): Activity => ({
  state: 'running',
  id: 'process://1',
  startedAt: NOW - 5000,
  isStarted: true,
  isReady: true,
  ...more,
})
const exited = (exitCode: number): Activity => ({
  state: 'exited',
  termination: { id: 'process://1', exitCode, reason: 'Error', startedAt: NOW - 5000, finishedAt: NOW - 1000 },
})

const observe = (activities: Record<string, Activity>, more: Partial<ObservedPod> = {}): ObservedPod => ({
  sandbox: { state: 'ready', ips: ['10.0.0.1'] },
  containers: new Map(
    Object.entries(activities).map(([name, activity]) => [name, { activity, restartCount: 0, imageId: '' }]),
  ),
  acceptedAt: NOW - 10_000,
  isGone: false,
  ...more,
})

const sidecar: Container = { name: 'side', restartPolicy: 'Always' }
const init: Container = { name: 'init' }
const deleted = { metadata: { name: 'web', namespace: 'default', deletionTimestamp: '2024-01-01T00:00:00Z' } }

describe('the phase of a pod', () => {
  it.each<[string, Pod, ObservedPod, string]>([
    ['nothing has begun', podWith({}), observe({ main: unstarted }), 'Pending'],
    ['it runs', podWith({}), observe({ main: running() }), 'Running'],
    ['a server is about to restart', podWith({}), observe({ main: exited(0) }), 'Running'],
    ['its work is done', podWith({ restartPolicy: 'Never' }), observe({ main: exited(0) }), 'Succeeded'],
    ['its work failed', podWith({ restartPolicy: 'Never' }), observe({ main: exited(1) }), 'Failed'],
    ['its work is tried again', podWith({ restartPolicy: 'OnFailure' }), observe({ main: exited(1) }), 'Running'],
    [
      'one of two has ended',
      podWith({ restartPolicy: 'Never', containers: [{ name: 'a' }, { name: 'b' }] }),
      observe({ a: exited(1), b: running() }),
      'Running',
    ],
    [
      'it is being initialized',
      podWith({ initContainers: [init] }),
      observe({ init: running(), main: unstarted }),
      'Pending',
    ],
    [
      'its initialization failed for good',
      podWith({ initContainers: [init], restartPolicy: 'Never' }),
      observe({ init: exited(1), main: unstarted }),
      'Failed',
    ],
    [
      'a sidecar is starting',
      podWith({ initContainers: [sidecar] }),
      observe({ side: running({ isStarted: false }), main: unstarted }),
      'Pending',
    ],
    [
      'a sidecar starts again beside what runs',
      podWith({ initContainers: [sidecar] }),
      observe({ side: running({ isStarted: false }), main: running() }),
      'Running',
    ],
    [
      'only a sidecar is left',
      podWith({ initContainers: [sidecar], restartPolicy: 'Never' }),
      observe({ side: running(), main: exited(0) }),
      'Running',
    ],
    [
      'the sidecars of finished work ended badly',
      podWith({ initContainers: [sidecar], restartPolicy: 'Never' }),
      observe({ side: exited(137), main: exited(0) }),
      'Succeeded',
    ],
    ['a deleted server ended well', podWith({}, deleted), observe({ main: exited(0) }), 'Succeeded'],
    ['a deleted server was killed', podWith({}, deleted), observe({ main: exited(137) }), 'Failed'],
    ['it was deleted before it began', podWith({}, deleted), observe({ main: unstarted }), 'Failed'],
    ['it was judged', podWith({}), observe({ main: running() }, { verdict: { reason: 'R', message: 'M' } }), 'Failed'],
    ['it was final before', podWith({}, { status: { phase: 'Failed' } }), observe({ main: running() }), 'Failed'],
  ])('when %s', (_, pod, observed, phase) => {
    expect(podStatus(pod, observed, NODE, NOW).phase).toBe(phase)
  })
})

describe('the status of a pod', () => {
  it('keeps the time of a condition that does not change', () => {
    const lastTransitionTime = '2023-12-31T00:00:00Z'
    const pod = podWith({}, { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] } })
    const ready = (observed: ObservedPod) =>
      podStatus(pod, observed, NODE, NOW).conditions.find(({ type }) => type === 'Ready')
    expect(ready(observe({ main: running() }))?.lastTransitionTime).toBe(lastTransitionTime)
    expect(ready(observe({ main: running({ isReady: false }) }))).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
      observedGeneration: 2,
      lastTransitionTime: '2024-01-01T00:01:00Z',
    })
  })

  it('is not written when the API says the same in other words', () => {
    const pod = podWith({})
    const status = podStatus(pod, observe({ main: running() }), NODE, NOW)
    const stored = {
      ...status,
      qosClass: 'BestEffort',
      conditions: [
        ...status.conditions.map(each => ({ ...each, lastProbeTime: '' })),
        { type: 'other', status: 'True' },
      ],
      containerStatuses: (status.containerStatuses ?? []).map(each => ({ ...each, lastState: {} })),
    }
    expect(statusPatch(stored, status)).toBeUndefined()
  })

  it('is patched where it differs, and nowhere else', () => {
    const pod = podWith({})
    const before = podStatus(pod, observe({ main: running({ isReady: false }) }), NODE, NOW)
    const after = podStatus({ ...pod, status: before }, observe({ main: running() }), NODE, NOW + 1000)
    const patch = statusPatch(before, after)
    expect(Object.keys(patch ?? {})).toEqual(['containerStatuses', 'conditions'])
    expect(patch?.['conditions']).toMatchObject([
      { type: 'Ready', status: 'True', reason: null, message: null },
      { type: 'ContainersReady', status: 'True', reason: null, message: null },
    ])
  })
})
