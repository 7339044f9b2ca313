import type { Pod } from '@tiphys/kube/kinds'
import { describe, expect, test } from 'vitest'
import { podsToDelete } from './deletion-order.ts'
import { planReplicas, type Replicated, statusOfReplicas } from './replicas.ts'

const NOW = Date.parse('2024-01-02T00:00:00Z')
const HOUR = 3_600_000
const at = (ago: number) => new Date(NOW - ago).toISOString()

interface Traits {
  node?: string
  phase?: string
  readyFor?: number
  age?: number
  cost?: string
  restarts?: number
}

const pod = (
  name: string,
  { node = 'n', phase = 'Running', readyFor, age = HOUR, cost, restarts = 0 }: Traits,
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    creationTimestamp: at(age),
    ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
  },
  spec: { containers: [], ...(node !== '' && { nodeName: node }) },
  status: {
    phase,
    containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount: restarts }],
    ...(readyFor !== undefined && {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(readyFor) }],
    }),
  },
})

const owner = (replicas: number): Replicated => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas },
})

describe('of two pods the one to delete is', () => {
  test.each<[string, Traits, Traits]>([
    ['the one without a node', { node: '' }, { node: 'n' }],
    ['the one that is pending', { phase: 'Pending' }, { phase: 'Running' }],
    ['the one that is not ready', {}, { readyFor: HOUR }],
    ['the one that costs less', { readyFor: HOUR, cost: '-5' }, { readyFor: HOUR }],
    ['the one ready for a shorter time', { readyFor: 1000 }, { readyFor: HOUR }],
    ['the one that restarted more often', { restarts: 3 }, { restarts: 1 }],
    ['the younger one', { age: 1000 }, { age: HOUR }],
  ])('%s', (_, going, staying) => {
    const [first, second] = [pod('going', going), pod('staying', staying)]
    expect(podsToDelete([first, second], [], 1, NOW)).toEqual([first])
    expect(podsToDelete([second, first], [], 1, NOW)).toEqual([first])
  })

  test('the one that shares its node with more of its kind', () => {
    const pods = [pod('alone', { node: 'a', readyFor: HOUR }), pod('crowded', { node: 'b', readyFor: HOUR })]
    const related = [...pods, pod('other', { node: 'b', readyFor: HOUR })]
    expect(podsToDelete(pods, related, 1, NOW)[0]?.metadata.name).toBe('crowded')
  })

  test('any, by uid, when both are of about the same age', () => {
    const [a, b] = [pod('a', { age: HOUR }), pod('b', { age: HOUR - 1000 })]
    expect(podsToDelete([b, a], [], 1, NOW)).toEqual([a])
  })

  test('a cost that is no number counts as none', () => {
    const [a, b] = [pod('a', { readyFor: HOUR, cost: '007' }), pod('b', { readyFor: HOUR, cost: '-1' })]
    expect(podsToDelete([a, b], [], 1, NOW)).toEqual([b])
  })
})

describe('a number of replicas', () => {
  const related = () => []

  test('is reached in steps of at most 500', () => {
    expect(planReplicas(owner(1200), { active: [], related, now: NOW })).toEqual({ type: 'create', count: 500 })
  })

  test('that is reached asks for nothing', () => {
    expect(planReplicas(owner(1), { active: [pod('a', {})], related, now: NOW })).toEqual({ type: 'none' })
  })

  test('of an owner that is being deleted asks for nothing', () => {
    const deleted = { ...owner(3), metadata: { name: 'web', deletionTimestamp: at(0) } }
    expect(planReplicas(deleted, { active: [], related, now: NOW })).toEqual({ type: 'none' })
  })
})

test('a failure keeps the words of its first occurrence until it is over', () => {
  const failing = { active: [], terminating: [], failure: new Error('first'), now: NOW }
  const first = statusOfReplicas(owner(2), failing)
  expect(first.conditions).toMatchObject([{ type: 'ReplicaFailure', reason: 'FailedCreate', message: 'first' }])
  const again = { ...owner(2), status: first }
  expect(statusOfReplicas(again, { ...failing, failure: new Error('second') }).conditions).toEqual(first.conditions)
  expect(statusOfReplicas(again, { ...failing, failure: undefined })).toEqual({
    replicas: 0,
    terminatingReplicas: 0,
    observedGeneration: 2,
  })
})
