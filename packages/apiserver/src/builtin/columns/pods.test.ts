import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { formatDuration } from './age.ts'
import { podColumns } from './pods.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')

function row(status: Record<string, unknown>, spec: Record<string, unknown> = {}, metadata = {}): unknown[] {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec },
    status,
  }
  return podColumns.cells(pod, NOW).slice(1, 5)
}

describe('pods in kubectl get', () => {
  it('counts ready containers and restarts with the time of the last', () => {
    const containerStatuses = [
      {
        name: 'a',
        ready: true,
        restartCount: 2,
        state: { running: {} },
        lastState: { terminated: { finishedAt: '2026-01-01T00:58:00Z' } },
      },
      { name: 'b', ready: true, state: { running: {} } },
    ]
    expect(row({ phase: 'Running', containerStatuses })).toEqual(['2/2', 'Running', '2 (2m ago)', '60m'])
  })

  it('shows why a container waits', () => {
    const containerStatuses = [{ name: 'a', state: { waiting: { reason: 'CrashLoopBackOff' } }, restartCount: 3 }]
    expect(row({ phase: 'Running', containerStatuses })).toEqual(['0/2', 'CrashLoopBackOff', '3', '60m'])
  })

  it('shows how far the init containers are', () => {
    const initContainerStatuses = [
      { name: 'i', state: { terminated: { exitCode: 0 } } },
      { name: 'j', state: { running: {} } },
    ]
    const spec = { initContainers: [{ name: 'i' }, { name: 'j' }] }
    expect(row({ phase: 'Pending', initContainerStatuses }, spec)).toEqual(['0/2', 'Init:1/2', '0', '60m'])
  })

  it('shows a failed end and a pod that is being deleted', () => {
    const containerStatuses = [{ name: 'a', state: { terminated: { exitCode: 3 } } }]
    expect(row({ phase: 'Failed', containerStatuses })[1]).toBe('ExitCode:3')
    expect(row({ phase: 'Running' }, {}, { deletionTimestamp: '2026-01-01T00:59:00Z' })[1]).toBe('Terminating')
  })
})

describe('ages', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [121, '2m1s'],
    [600, '10m'],
    [10800, '3h'],
    [10860, '3h1m'],
    [28800, '8h'],
    [172800, '2d'],
    [176400, '2d1h'],
    [86400 * 8, '8d'],
    [86400 * 365 * 2 + 86400, '2y1d'],
    [86400 * 365 * 9, '9y'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(formatDuration(seconds * 1000)).toBe(text)
  })
})
