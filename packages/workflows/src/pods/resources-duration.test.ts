import type { Container, Pod } from '@tiphys/kube/kinds'
import { expect, test } from 'vitest'
import { resourcesDurationOf } from './resources-duration.ts'

const ran = (name: string, seconds: number) => ({
  name,
  state: {
    terminated: {
      exitCode: 0,
      startedAt: '2026-03-29T12:00:00Z',
      finishedAt: new Date(Date.parse('2026-03-29T12:00:00Z') + seconds * 1000).toISOString(),
    },
  },
})

function podOf(containers: Container[], statuses: object[], resources?: Container['resources']): Pod {
  return { spec: { containers, resources }, status: { containerStatuses: statuses } } as unknown as Pod
}

const main = (resources?: Container['resources']) => ({ name: 'main', ...(resources && { resources }) })

test('a step that asks for nothing counts as a part of a core and 100Mi', () => {
  expect(resourcesDurationOf(podOf([main()], [ran('main', 7.9)]))).toEqual({ cpu: 7, memory: 7 })
})

test('what a container asks for counts, or else its limits, in the units of each resource', () => {
  const resources = {
    limits: { cpu: '4', memory: '1Gi', 'nvidia.com/gpu': '2' },
    requests: { cpu: '1500m', 'ephemeral-storage': '20Gi' },
  }
  expect(resourcesDurationOf(podOf([main(resources)], [ran('main', 10)]))).toEqual({
    cpu: 20,
    memory: 102,
    'nvidia.com/gpu': 20,
    'ephemeral-storage': 20,
  })
})

test('all containers count, and what never ran or still runs counts nothing', () => {
  const names = ['main', 'beside', 'never']
  const statuses = [ran('main', 3), { name: 'beside', state: { running: { startedAt: '2026-03-29T12:00:00Z' } } }]
  expect(
    resourcesDurationOf(
      podOf(
        names.map(name => ({ name })),
        statuses,
      ),
    ),
  ).toEqual({ cpu: 3, memory: 3 })
  const pod = podOf([main()], [ran('main', 3)])
  const withInit = {
    ...pod,
    spec: { ...pod.spec, initContainers: [{ name: 'init' }] },
    status: { ...pod.status, initContainerStatuses: [ran('init', 2)] },
  } as unknown as Pod
  expect(resourcesDurationOf(withInit)).toEqual({ cpu: 5, memory: 5 })
})

test('what the pod has for all of its containers counts once', () => {
  const containers = [{ name: 'main' }, { name: 'second' }]
  const statuses = [ran('main', 10), ran('second', 10)]
  expect(resourcesDurationOf(podOf(containers, statuses, { requests: { cpu: '3', memory: '200Mi' } }))).toEqual({
    cpu: 40,
    memory: 30,
  })
})
