import type { Pod } from '@tiphys/kube/kinds'
import { expect, test } from 'vitest'
import { isActive, isAvailable, isTerminating, nextAvailability } from './readiness.ts'

const NOW = Date.parse('2024-01-01T00:01:00Z')
const pod = (phase: string, readySince?: string, deletionTimestamp?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: deletionTimestamp === undefined ? {} : { deletionTimestamp },
  status: {
    phase,
    ...(readySince && { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: readySince }] }),
  },
})

test('a pod is available once it has been ready for long enough', () => {
  const ready = pod('Running', '2024-01-01T00:00:50Z')
  expect(isAvailable(ready, 0, NOW)).toBe(true)
  expect(isAvailable(ready, 10, NOW)).toBe(true)
  expect(isAvailable(ready, 11, NOW)).toBe(false)
  expect(isAvailable(pod('Running'), 0, NOW)).toBe(false)
})

test('the next look is when the first of the waiting pods becomes available', () => {
  const pods = [pod('Running', '2024-01-01T00:00:55Z'), pod('Running', '2024-01-01T00:00:52Z'), pod('Pending')]
  expect(nextAvailability(pods, 10, NOW)).toBe(2000)
  expect(nextAvailability(pods, 5, NOW)).toBeUndefined()
  expect(nextAvailability(pods, 0, NOW)).toBeUndefined()
})

test('a pod that ended or is being deleted is not active, and one that ended does not terminate', () => {
  const deleted = '2024-01-01T00:00:00Z'
  expect([pod('Pending'), pod('Running'), pod('Failed'), pod('Succeeded')].map(isActive)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(isActive(pod('Running', undefined, deleted))).toBe(false)
  expect(isTerminating(pod('Running', undefined, deleted))).toBe(true)
  expect(isTerminating(pod('Failed', undefined, deleted))).toBe(false)
})
