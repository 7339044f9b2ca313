import type { DaemonSet, DaemonSetSpec, Node, Pod, Taint } from '@tiphys/kube/kinds'
import { describe, expect, test } from 'vitest'
import { planDaemons } from './daemon-plan.ts'
import { podForNode } from './daemon-pod.ts'
import { newDaemonRevision } from './daemon-revision.ts'
import { statusOfDaemons } from './daemon-status.ts'

const NOW = Date.UTC(2024, 0, 1)
const template = (image: string) => ({
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'main', image }] },
})

const setOf = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'ns', uid: 'set', generation: 3 },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: template('new'), ...rolling(1), ...spec },
})

const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
})

const node = (name: string, ...taints: Taint[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints },
})

interface Traits {
  isOld?: boolean
  phase?: string
  isDeleted?: boolean
  age?: number
}

const pod = (on: string, { isOld = false, phase = 'Running', isDeleted = false, age = 0 }: Traits = {}): Pod => {
  const set = setOf({ template: template(isOld ? 'old' : 'new') })
  const made = podForNode(set, newDaemonRevision(set, 1), on)
  const time = new Date(NOW - age * 1000).toISOString()
  return {
    ...made,
    metadata: {
      ...made.metadata,
      name: `${isOld ? 'old' : 'new'}-${on}`,
      creationTimestamp: time,
      ...(isDeleted && { deletionTimestamp: time }),
    },
    status: {
      phase,
      ...(phase === 'Running' && { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] }),
    },
  }
}

const observe = (nodes: Node[], pods: Pod[], spec: Partial<DaemonSetSpec> = {}, mayReplace = true) => {
  const set = setOf(spec)
  return { set, revision: newDaemonRevision(set, 2), nodes, pods, mayReplace: () => mayReplace, now: NOW }
}

const plan = (...seen: Parameters<typeof observe>) => {
  const { create, delete: removed } = planDaemons(observe(...seen))
  return [...create.map(name => `create ${name}`), ...removed.map(({ metadata }) => `delete ${metadata.name}`)]
}

const abc = ['a', 'b', 'c'].map(name => node(name))
const old = (name: string, traits: Traits = {}) => pod(name, { isOld: true, ...traits })

describe('every node', () => {
  test('gets the pod that it lacks', () => {
    expect(plan(abc, [pod('b')])).toEqual(['create a', 'create c'])
  })

  test('with a pod on its way out waits for its end', () => {
    expect(plan([node('a')], [pod('a', { isDeleted: true })])).toEqual([])
  })

  test('keeps the oldest of two pods', () => {
    const younger = { ...pod('a'), metadata: { ...pod('a').metadata, name: 'younger' } }
    expect(plan([node('a')], [younger, pod('a', { age: 5 })])).toEqual(['delete younger'])
  })

  test('that is not meant for the set loses its pod', () => {
    const away = node('a', { key: 'gpu', effect: 'NoExecute' })
    expect(plan([away], [pod('a')])).toEqual(['delete new-a'])
    expect(plan([node('a', { key: 'gpu', effect: 'NoSchedule' })], [pod('a')])).toEqual([])
  })

  test('is rid of a pod that ended, unless too many failed there before', () => {
    expect(plan([node('a')], [pod('a', { phase: 'Failed' })])).toEqual(['delete new-a'])
    expect(plan([node('a')], [pod('a', { phase: 'Failed' })], {}, false)).toEqual([])
    expect(plan([node('a')], [pod('a', { phase: 'Succeeded' })], {}, false)).toEqual(['delete new-a'])
  })

  test('that is gone takes the pods that waited for it along', () => {
    expect(plan([], [pod('a')])).toEqual(['delete new-a'])
  })
})

describe('an update', () => {
  test('replaces as many pods as may be unavailable', () => {
    expect(plan(abc, [old('a'), old('b'), old('c')])).toEqual(['delete old-a'])
    expect(plan(abc, [old('a'), old('b'), old('c')], rolling('50%'))).toEqual(['delete old-a', 'delete old-b'])
  })

  test('waits for new pods', () => {
    expect(plan(abc, [pod('a', { phase: 'Pending' }), old('b'), old('c')])).toEqual([])
    expect(plan(abc, [pod('a', { isDeleted: true }), old('b'), old('c')])).toEqual([])
  })

  test('replaces old pods that are not available in any case', () => {
    expect(plan(abc, [pod('a', { phase: 'Pending' }), old('b', { phase: 'Pending' }), old('c')])).toEqual([
      'delete old-b',
    ])
  })

  test('with a surge creates new pods beside old ones', () => {
    const surge = rolling(0, 1)
    expect(plan(abc, [old('a'), old('b'), old('c')], surge)).toEqual(['create a'])
    expect(plan(abc, [old('a'), pod('a', { phase: 'Pending' }), old('b'), old('c')], surge)).toEqual([])
    expect(plan(abc, [old('a', { age: 5 }), pod('a'), old('b'), old('c')], surge)).toEqual(['delete old-a'])
    expect(plan(abc, [pod('a'), old('b', { phase: 'Pending' }), old('c')], surge)).toEqual(['create b', 'create c'])
  })

  test('is left to people with OnDelete', () => {
    expect(plan(abc, [old('a'), old('b'), old('c')], { updateStrategy: { type: 'OnDelete' } })).toEqual([])
  })
})

test('the status counts nodes, not pods', () => {
  const tainted = node('d', { key: 'gpu', effect: 'NoSchedule' })
  const pods = [pod('a'), old('a', { age: 5 }), pod('b', { phase: 'Pending' }), pod('d')]
  expect(statusOfDaemons(observe([...abc, tainted], pods))).toEqual({
    observedGeneration: 3,
    desiredNumberScheduled: 3,
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
    updatedNumberScheduled: 1,
  })
})
