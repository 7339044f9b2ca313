import type { OwnerReference } from '@tiphys/kube'
import type { PersistentVolumeClaim, Pod, StatefulSet, StatefulSetSpec } from '@tiphys/kube/kinds'
import { describe, expect, test } from 'vitest'
import { newRevision } from '../history/controller-revision.ts'
import { controllerReference } from '../pods/pod-template.ts'
import { planClaimOwners } from './claim-retention.ts'
import { planStatefulSet } from './stateful-plan.ts'
import { podAt } from './stateful-pod.ts'

const NOW = Date.UTC(2024, 0, 1)
const template = (image: string) => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'main', image }] },
})

const setOf = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'ns', uid: 'set' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'db' } },
    template: template('new'),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
})

const revision = (image: string, number: number) =>
  newRevision({ owner: setOf(), template: template(image), revision: number, collisionCount: 0 })
const current = revision('old', 1)
const update = revision('new', 2)

interface Traits {
  at?: typeof current
  phase?: string
  isDeleted?: boolean
}

const pod = (ordinal: number, { at = update, phase = 'Running', isDeleted = false }: Traits = {}): Pod => {
  const made = podAt(setOf(), at, ordinal)
  const lastTransitionTime = new Date(NOW).toISOString()
  return {
    ...made,
    metadata: { ...made.metadata, uid: `pod-${ordinal}`, ...(isDeleted && { deletionTimestamp: lastTransitionTime }) },
    status: {
      phase,
      ...(phase === 'Running' && { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] }),
    },
  }
}

const plan = (pods: Pod[], spec: Partial<StatefulSetSpec> = {}) =>
  planStatefulSet({ set: setOf(spec), pods, current, update, claimNamed: () => undefined, now: NOW }).map(
    action => `${action.type} ${action.pod.metadata.name}`,
  )

const parallel = { podManagementPolicy: 'Parallel' }

describe('an ordered set', () => {
  test('creates the first pod that is missing, once those before are ready', () => {
    expect(plan([])).toEqual(['create db-0'])
    expect(plan([pod(0)])).toEqual(['create db-1'])
    expect(plan([pod(0, { phase: 'Pending' })])).toEqual([])
    expect(plan([pod(0, { isDeleted: true }), pod(1), pod(2)])).toEqual([])
    expect(plan([pod(1), pod(2)])).toEqual(['create db-0'])
  })

  test('deletes a pod that ended, for its name to be free', () => {
    expect(plan([pod(0, { phase: 'Failed' }), pod(1), pod(2)])).toEqual(['delete db-0'])
  })

  test('removes the last pod that is too many', () => {
    expect(plan([pod(0), pod(1), pod(2)], { replicas: 1 })).toEqual(['delete db-2'])
    expect(plan([pod(0), pod(1), pod(2, { isDeleted: true })], { replicas: 1 })).toEqual([])
    expect(plan([pod(0, { phase: 'Pending' }), pod(1), pod(2)], { replicas: 1 })).toEqual([])
  })

  test('removes a pod that is not ready only as the first one that is not', () => {
    expect(plan([pod(0), pod(1), pod(2, { phase: 'Pending' })], { replicas: 1 })).toEqual(['delete db-2'])
    expect(plan([pod(0), pod(1, { phase: 'Pending' }), pod(2, { phase: 'Pending' })], { replicas: 1 })).toEqual([])
  })

  test('scales before it updates', () => {
    expect(plan([pod(0, { at: current }), pod(1, { at: current })])).toEqual(['create db-2'])
  })
})

describe('a parallel set', () => {
  test('creates and removes everything at once', () => {
    expect(plan([pod(1, { phase: 'Pending' })], parallel)).toEqual(['create db-0', 'create db-2'])
    expect(plan([pod(0), pod(1), pod(2)], { ...parallel, replicas: 1 })).toEqual(['delete db-2', 'delete db-1'])
  })
})

describe('an update', () => {
  test('replaces the last pod that is not up to date', () => {
    const old = { at: current }
    expect(plan([pod(0, old), pod(1, old), pod(2, old)])).toEqual(['delete db-2'])
    expect(plan([pod(0, old), pod(1, old), pod(2)])).toEqual(['delete db-1'])
    expect(plan([pod(0), pod(1), pod(2)])).toEqual([])
  })

  test('waits for the pod that it replaced before', () => {
    const pods = [pod(0, { at: current }), pod(1, { at: current }), pod(2, { phase: 'Pending' })]
    expect(plan(pods)).toEqual([])
    expect(plan(pods, parallel)).toEqual([])
  })

  test('stops at the partition', () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }
    const old = { at: current }
    expect(plan([pod(0, old), pod(1, old), pod(2)], { updateStrategy })).toEqual([])
  })

  test('is left to people with OnDelete', () => {
    const old = { at: current }
    expect(plan([pod(0, old), pod(1, old), pod(2, old)], { updateStrategy: { type: 'OnDelete' } })).toEqual([])
  })
})

test('a set that is being deleted does nothing', () => {
  const set = setOf()
  const deleted = { ...set, metadata: { ...set.metadata, deletionTimestamp: new Date(NOW).toISOString() } }
  expect(planStatefulSet({ set: deleted, pods: [], current, update, claimNamed: () => undefined, now: NOW })).toEqual(
    [],
  )
})

describe('the owners of a claim', () => {
  const claim = (ownerReferences: OwnerReference[] = []): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-db-0', ...(ownerReferences.length > 0 && { ownerReferences }) },
  })
  const owners = (whenDeleted: string, whenScaled: string, ordinal: number, ...present: OwnerReference[]) => {
    const set = setOf({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } })
    return planClaimOwners(claim(present), set, pod(ordinal))?.map(({ kind }) => kind)
  }
  const bySet = controllerReference(setOf())
  const foreign = { apiVersion: 'v1', kind: 'Other', name: 'other', uid: 'other', controller: true }

  test.each([
    ['nobody, when it is kept', 'Retain', 'Retain', 0, [bySet], []],
    ['the set, when it goes with it', 'Delete', 'Retain', 0, [], ['StatefulSet']],
    ['the set, also when its place was scaled away', 'Delete', 'Retain', 7, [], ['StatefulSet']],
    ['its pod, when it goes with a place that was scaled away', 'Retain', 'Delete', 7, [], ['Pod']],
    ['its pod instead of the set, when it goes with both', 'Delete', 'Delete', 7, [bySet], ['Pod']],
    ['as they are, when they are right', 'Delete', 'Retain', 0, [bySet], undefined],
    ['as they are, when something else controls it', 'Delete', 'Delete', 0, [foreign], undefined],
    ['as they are, when they mean a former set', 'Delete', 'Delete', 0, [{ ...bySet, uid: 'former' }], undefined],
  ])('%s', (_, whenDeleted, whenScaled, ordinal, present, expected) => {
    expect(owners(whenDeleted, whenScaled, ordinal, ...present)).toEqual(expected)
  })
})
