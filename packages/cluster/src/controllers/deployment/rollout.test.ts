import type { Deployment, DeploymentSpec, ReplicaSet } from '@tiphys/kube/kinds'
import { describe, expect, test } from 'vitest'
import { setAnnotations } from './revision.ts'
import { planRollout } from './rollout.ts'
import { planScaling } from './scaling.ts'

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
})

const deployment = (spec: Partial<DeploymentSpec> = {}, status: Deployment['status'] = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 1 },
  spec: {
    replicas: 10,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    template: template('new'),
    ...spec,
  },
  status,
})

interface Size {
  size: number
  available?: number
  age?: number
  desired?: number
  max?: number
}

const set = (name: string, { size, available = size, age = 0, desired = 10, max = 13 }: Size): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name,
    creationTimestamp: new Date(Date.UTC(2024, 0, 1) - age * 1000).toISOString(),
    annotations: {
      'deployment.kubernetes.io/desired-replicas': String(desired),
      'deployment.kubernetes.io/max-replicas': String(max),
    },
  },
  spec: { replicas: size, selector: {}, template: template(name) },
  status: { replicas: size, availableReplicas: available },
})

const sizesOf = (step: ReturnType<typeof planRollout>['step']) =>
  step?.type === 'resize'
    ? Object.fromEntries(step.resizes.map(({ set, replicas }) => [set.metadata.name, replicas]))
    : step

describe('a rolling update', () => {
  const step = (current: Size, ...old: Size[]) => {
    const sets = { current: set('new', current), old: old.map((size, i) => set(`old-${i}`, { ...size, age: 10 - i })) }
    return sizesOf(planRollout({ deployment: deployment(), sets, hasOldPods: true }).step)
  }

  test('creates a set that fills the surge', () => {
    const sets = { current: undefined, old: [set('old', { size: 10 })] }
    expect(planRollout({ deployment: deployment(), sets, hasOldPods: true }).step).toMatchObject({
      type: 'create',
      set: { spec: { replicas: 3 } },
    })
  })

  test('takes from the old as much as may be unavailable', () => {
    expect(step({ size: 3, available: 0 }, { size: 10 })).toEqual({ 'old-0': 8 })
  })

  test('grows into what the old left', () => {
    expect(step({ size: 3, available: 0 }, { size: 8 })).toEqual({ new: 5 })
  })

  test('waits when neither may move', () => {
    expect(step({ size: 5, available: 0 }, { size: 8 })).toBeUndefined()
  })

  test('takes what is not available first, from the oldest set on', () => {
    expect(step({ size: 3, available: 0 }, { size: 5, available: 4 }, { size: 5 })).toEqual({ 'old-0': 3 })
  })

  test('shrinks a set that is too large', () => {
    expect(step({ size: 12 })).toEqual({ new: 10 })
  })

  test('without surge or unavailability by rounding takes one old pod', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '1%' } }
    const sets = { current: set('new', { size: 0 }), old: [set('old', { size: 10, desired: 10 })] }
    const plan = planRollout({ deployment: deployment({ strategy }), sets, hasOldPods: true })
    expect(sizesOf(plan.step)).toEqual({ old: 9 })
  })
})

describe('recreating', () => {
  const strategy = { type: 'Recreate' }
  const current = set('new', { size: 0 })

  test('scales the old down before anything else', () => {
    const sets = { current, old: [set('old', { size: 10 })] }
    expect(sizesOf(planRollout({ deployment: deployment({ strategy }), sets, hasOldPods: true }).step)).toEqual({
      old: 0,
    })
  })

  test('waits for old pods', () => {
    const sets = { current, old: [set('old', { size: 0 })] }
    expect(planRollout({ deployment: deployment({ strategy }), sets, hasOldPods: true })).toEqual({ isRollout: true })
  })

  test('then scales the new up', () => {
    const sets = { current, old: [set('old', { size: 0 })] }
    expect(sizesOf(planRollout({ deployment: deployment({ strategy }), sets, hasOldPods: false }).step)).toEqual({
      new: 10,
    })
  })
})

describe('scaling', () => {
  const scaled = (replicas: number, current: Size, ...old: Size[]) => {
    const sets = { current: set('new', current), old: old.map((size, i) => set(`old-${i}`, { ...size, age: 10 - i })) }
    const resizes = planScaling(deployment({ replicas }), sets)
    return Object.fromEntries(resizes.map(({ set, replicas }) => [set.metadata.name, replicas]))
  }

  test('of a Deployment with one set resizes that', () => {
    expect(scaled(4, { size: 10 })).toEqual({ new: 4 })
  })

  test('of a Deployment without replicas resizes the newest', () => {
    expect(scaled(4, { size: 0 }, { size: 0 })).toEqual({ new: 4 })
  })

  test('up is shared in proportion, and the largest gets what is left', () => {
    expect(scaled(20, { size: 5 }, { size: 8 })).toEqual({ 'old-0': 14, new: 9 })
  })

  test('down is shared in proportion', () => {
    expect(scaled(5, { size: 7, desired: 15, max: 18 }, { size: 11, desired: 15, max: 18 })).toEqual({
      'old-0': 5,
      new: 3,
    })
  })

  test('to nothing empties all', () => {
    expect(scaled(0, { size: 5 }, { size: 8 })).toEqual({ 'old-0': 0, new: 0 })
  })

  test('when the new set has all that is wanted empties the others', () => {
    expect(scaled(10, { size: 10 }, { size: 3 })).toEqual({ 'old-0': 0 })
  })
})

describe('clean-up', () => {
  const complete = { updatedReplicas: 10, replicas: 10, availableReplicas: 10, observedGeneration: 1 }
  const old = (revision: number, size = 0): ReplicaSet => {
    const made = set(`old-${revision}`, { size })
    const annotations = { ...made.metadata.annotations, 'deployment.kubernetes.io/revision': String(revision) }
    return { ...made, metadata: { ...made.metadata, annotations } }
  }
  const removed = (limit: number, ...sets: ReplicaSet[]) => {
    const { step } = planRollout({
      deployment: deployment({ revisionHistoryLimit: limit }, complete),
      sets: { current: set('new', { size: 10 }), old: sets },
      hasOldPods: false,
    })
    return step?.type === 'clean-up' ? step.sets.map(({ metadata }) => metadata.name) : []
  }

  test('removes the oldest revisions beyond the limit', () => {
    expect(removed(1, old(10), old(9), old(2))).toEqual(['old-2', 'old-9'])
    expect(removed(3, old(10), old(9), old(2))).toEqual([])
  })
})

describe('the annotations of a set', () => {
  const history = 'deployment.kubernetes.io/revision-history'
  const revision = 'deployment.kubernetes.io/revision'

  test('keep the revisions that it had', () => {
    const annotations = setAnnotations(deployment(), { [revision]: '3', [history]: '1' }, 5)
    expect(annotations).toMatchObject({ [revision]: '5', [history]: '1,3' })
  })

  test('forget the first revisions when the history becomes too long', () => {
    const long = Array.from({ length: 500 }, (_, i) => 1000 + i).join(',')
    const annotations = setAnnotations(deployment(), { [revision]: '3000', [history]: long }, 5000)
    expect(annotations[history]?.length).toBeLessThanOrEqual(2000)
    expect(annotations[history]).toMatch(/,1499,3000$/)
  })

  test('do not go back to an earlier revision', () => {
    expect(setAnnotations(deployment(), { [revision]: '7' }, 5)).toEqual({ [revision]: '7' })
  })
})
