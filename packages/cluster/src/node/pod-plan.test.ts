import type { Container, Pod, PodSpec } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import type { Activity, ObservedContainer, ObservedPod, Running } from './observed-pod.ts'
import { type Action, DEADLINE_EXCEEDED, planPod } from './pod-plan.ts'

const NOW = 1_000_000

const podWith = (spec: Partial<PodSpec>, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u1', ...metadata },
  spec: { containers: [{ name: 'main' }], ...spec },
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
const exited = (exitCode: number, finishedAt = NOW - 1000): Activity => ({
  state: 'exited',
  termination: { id: 'process://1', exitCode, reason: 'Error', startedAt: NOW - 5000, finishedAt },
})

const observe = (
  activities: Record<string, Activity | ObservedContainer>,
  more: Partial<ObservedPod> = {},
): ObservedPod => ({
  sandbox: { state: 'ready', ips: ['10.0.0.1'] },
  containers: new Map(
    Object.entries(activities).map(([name, of]) => [
      name,
      'activity' in of ? of : { activity: of, restartCount: 0, imageId: '' },
    ]),
  ),
  acceptedAt: NOW - 10_000,
  isGone: false,
  ...more,
})

const brief = (actions: readonly Action[]) =>
  actions.map(action => ('container' in action ? `${action.type} ${action.container}` : action.type))

const init = (name: string): Container => ({ name })
const sidecar = (name: string): Container => ({ name, restartPolicy: 'Always' })

interface Case {
  title: string
  pod: Pod
  observed: ObservedPod
  actions: string[]
  wakeAt?: number
}

const deleted = { deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }

const CASES: Case[] = [
  {
    title: 'prepares a new pod',
    pod: podWith({}),
    observed: observe({}, { sandbox: { state: 'none' } }),
    actions: ['prepare'],
  },
  {
    title: 'waits while a volume is missing',
    pod: podWith({}),
    observed: observe({}, { sandbox: { state: 'waiting', until: NOW + 500 } }),
    actions: [],
    wakeAt: NOW + 500,
  },
  {
    title: 'starts all main containers at once',
    pod: podWith({ containers: [{ name: 'a' }, { name: 'b' }] }),
    observed: observe({ a: unstarted, b: unstarted }),
    actions: ['start a', 'start b'],
  },
  {
    title: 'starts init containers one after the other',
    pod: podWith({ initContainers: [init('i1'), init('i2')] }),
    observed: observe({ i1: exited(0), i2: unstarted, main: unstarted }),
    actions: ['start i2'],
  },
  {
    title: 'starts the main containers after the last init container',
    pod: podWith({ initContainers: [init('i1')] }),
    observed: observe({ i1: exited(0), main: unstarted }),
    actions: ['start main'],
  },
  {
    title: 'waits for a sidecar to be started before the next begins',
    pod: podWith({ initContainers: [sidecar('s'), init('i')] }),
    observed: observe({ s: running({ isStarted: false }), i: unstarted, main: unstarted }),
    actions: [],
  },
  {
    title: 'goes on when the sidecar is started',
    pod: podWith({ initContainers: [sidecar('s'), init('i')] }),
    observed: observe({ s: running(), i: unstarted, main: unstarted }),
    actions: ['start i'],
  },
  {
    title: 'restarts a sidecar that ended, beside what runs',
    pod: podWith({ initContainers: [sidecar('s')], restartPolicy: 'Never' }),
    observed: observe({ s: exited(0), main: running() }),
    actions: ['start s'],
  },
  {
    title: 'restarts a failed init container, and nothing after it',
    pod: podWith({ initContainers: [init('i')] }),
    observed: observe({ i: exited(1), main: unstarted }),
    actions: ['start i'],
  },
  {
    title: 'gives up after a failed init container of a pod that never restarts',
    pod: podWith({ initContainers: [init('i')], restartPolicy: 'Never' }),
    observed: observe({ i: exited(1), main: unstarted }),
    actions: ['remove'],
  },
  {
    title: 'waits for the backoff of a crashing container',
    pod: podWith({}),
    observed: observe({
      main: { activity: exited(1), restartCount: 2, imageId: '', backoff: { delayMs: 20_000, since: NOW - 5000 } },
    }),
    actions: [],
    wakeAt: NOW + 19_000,
  },
  {
    title: 'does not restart what ended well under OnFailure',
    pod: podWith({ restartPolicy: 'OnFailure' }),
    observed: observe({ main: exited(0) }),
    actions: ['remove'],
  },
  {
    title: 'restarts what failed under OnFailure',
    pod: podWith({ restartPolicy: 'OnFailure' }),
    observed: observe({ main: exited(1) }),
    actions: ['start main'],
  },
  {
    title: 'restarts by the rule of a container',
    pod: podWith({
      restartPolicy: 'Never',
      containers: [
        {
          name: 'main',
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        },
      ],
    }),
    observed: observe({ main: exited(42) }),
    actions: ['start main'],
  },
  {
    title: 'stops what its liveness probe finds dead',
    pod: podWith({}),
    observed: observe({ main: running({ unhealthy: 'liveness' }) }),
    actions: ['stop main'],
  },
  {
    title: 'ends the sidecars when the work is done, the last one first',
    pod: podWith({ initContainers: [sidecar('s1'), sidecar('s2')], restartPolicy: 'Never' }),
    observed: observe({ s1: running(), s2: running(), main: exited(0) }),
    actions: ['stop s2'],
  },
  {
    title: 'ends the main containers of a deleted pod before its sidecars',
    pod: podWith({ initContainers: [sidecar('s')] }, deleted),
    observed: observe({ s: running(), main: running() }),
    actions: ['stop main'],
  },
  {
    title: 'asks only once',
    pod: podWith({}, deleted),
    observed: observe({ main: running({ stopping: { killAt: NOW + 20_000 } }) }, { endingSince: NOW - 10_000 }),
    actions: [],
  },
  {
    title: 'stops sooner when it is deleted again with less grace',
    pod: podWith({}, { ...deleted, deletionGracePeriodSeconds: 1 }),
    observed: observe({ main: running({ stopping: { killAt: NOW + 20_000 } }) }, { endingSince: NOW - 10_000 }),
    actions: ['stop main'],
  },
  {
    title: 'waits for a container that is just being started before it ends the pod',
    pod: podWith({}, deleted),
    observed: observe({ main: { state: 'starting' } }),
    actions: [],
  },
  {
    title: 'removes a deleted pod when nothing runs any more',
    pod: podWith({}, deleted),
    observed: observe({ main: exited(0) }),
    actions: ['remove'],
  },
  {
    title: 'deletes it when everything is removed',
    pod: podWith({}, deleted),
    observed: observe({ main: exited(0) }, { sandbox: { state: 'removed', ips: [] } }),
    actions: ['delete'],
  },
  {
    title: 'does not delete what is gone already',
    pod: podWith({}),
    observed: observe({ main: exited(0) }, { sandbox: { state: 'removed', ips: [] }, isGone: true }),
    actions: [],
  },
  {
    title: 'keeps the deadline in mind',
    pod: podWith({ activeDeadlineSeconds: 60 }),
    observed: observe({ main: running() }),
    actions: [],
    wakeAt: NOW + 50_000,
  },
  {
    title: 'judges a pod that is over its deadline',
    pod: podWith({ activeDeadlineSeconds: 10 }),
    observed: observe({ main: running() }),
    actions: ['judge'],
  },
  {
    title: 'ends a pod that was judged',
    pod: podWith({ activeDeadlineSeconds: 10 }),
    observed: observe({ main: running() }, { verdict: DEADLINE_EXCEEDED }),
    actions: ['stop main'],
  },
]

describe('the plan of a pod', () => {
  it.each(CASES)('$title', ({ pod, observed, actions, wakeAt }) => {
    const plan = planPod(pod, observed, NOW)
    expect(brief(plan.actions)).toEqual(actions)
    expect(plan.wakeAt).toBe(wakeAt)
  })

  it('kills after the grace period, counted from the beginning of the end', () => {
    const observed = observe({ main: running() }, { endingSince: NOW - 10_000 })
    expect(planPod(podWith({}, deleted), observed, NOW).actions).toEqual([
      { type: 'stop', container: 'main', message: 'Stopping container main', killAt: NOW + 20_000 },
    ])
  })

  it('leaves a moment even when there is no grace', () => {
    const observed = observe({ main: running() })
    const [stop] = planPod(podWith({}, { ...deleted, deletionGracePeriodSeconds: 0 }), observed, NOW).actions
    expect(stop).toMatchObject({ killAt: NOW + 2000 })
  })
})
