import { type KubeObject, kindRef } from '@tiphys/kube'
import type { PodDisruptionBudget } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatTime } from '../../timestamp.ts'
import { createStage, type Stage } from '../stage.ts'
import { budgetStatus, expectation } from './budget-status.ts'
import { createDisruptionController } from './disruption-controller.ts'
import { formatSelector } from './selector-text.ts'

const BUDGET = { ...kindRef('policy/v1', 'PodDisruptionBudget'), namespace: 'default', name: 'b' }
const POD = kindRef('v1', 'Pod')

describe('how many pods should be healthy', () => {
  const rules: [spec: PodDisruptionBudget['spec'], pods: number, scale: number, expected: number, healthy: number][] = [
    [{ minAvailable: 2 }, 3, 0, 3, 2],
    [{ minAvailable: 5 }, 3, 0, 3, 5],
    [{ minAvailable: '50%' }, 3, 5, 5, 3],
    [{ minAvailable: '0%' }, 3, 5, 5, 0],
    [{ maxUnavailable: 1 }, 3, 5, 5, 4],
    [{ maxUnavailable: 7 }, 3, 5, 5, 0],
    [{ maxUnavailable: '30%' }, 3, 5, 5, 3],
    [{ maxUnavailable: '0%' }, 3, 5, 5, 5],
    [{}, 3, 0, 0, 0],
  ]
  for (const [spec, pods, scale, expectedPods, desiredHealthy] of rules) {
    test(`${JSON.stringify(spec)} of ${scale}: ${desiredHealthy}`, () => {
      const budget = { spec } as PodDisruptionBudget
      expect(expectation(budget, pods, scale)).toEqual({ expectedPods, desiredHealthy })
    })
  }

  test('no disruption is allowed where no pods are expected', () => {
    const budget = { metadata: { generation: 1 } } as PodDisruptionBudget
    const status = budgetStatus(budget, { expectedPods: 0, desiredHealthy: 0 }, 3, {}, 'now')
    expect(status.disruptionsAllowed).toBe(0)
  })
})

test('a selector is printed as Go prints it', () => {
  const selector = {
    matchLabels: { b: '2', a: '1' },
    matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }],
  }
  expect(formatSelector(selector as Parameters<typeof formatSelector>[0])).toBe(
    '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
  )
})

describe('the status of a budget', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await createStage(createDisruptionController)
  })
  afterEach(() => stage.stop())

  const budget = (spec: object) =>
    stage.client.create({
      ...kindRef('policy/v1', 'PodDisruptionBudget'),
      metadata: { namespace: 'default', name: 'b' },
      spec: { selector: { matchLabels: { app: 'x' } }, ...spec },
    })
  const pod = async (name: string, more: { isReady?: boolean; owner?: KubeObject } = {}) => {
    const { owner, isReady = true } = more
    await stage.client.create({
      ...POD,
      metadata: {
        namespace: 'default',
        name,
        labels: { app: 'x' },
        ...(owner && {
          ownerReferences: [
            {
              apiVersion: owner.apiVersion,
              kind: owner.kind,
              name: owner.metadata.name ?? '',
              uid: owner.metadata.uid ?? '',
              controller: true,
            },
          ],
        }),
      },
      spec: { containers: [{ name: 'c', image: 'c' }] },
    })
    await setConditions(name, [{ type: 'Ready', status: isReady ? 'True' : 'False' }])
  }
  const setConditions = (name: string, conditions: object[]) =>
    stage.client.patch(
      { ...POD, namespace: 'default', name },
      { type: 'merge', patch: { status: { phase: 'Running', conditions } } },
      { subresource: 'status' },
    )
  const workload = (kind: string, name: string, replicas: number, owner?: KubeObject) =>
    stage.client.create({
      apiVersion: 'apps/v1',
      kind,
      metadata: {
        namespace: 'default',
        name,
        ...(owner && {
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: owner.kind,
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              controller: true,
            },
          ],
        }),
      },
      spec: {
        ...(kind !== 'DaemonSet' && { replicas }),
        ...(kind === 'StatefulSet' && { serviceName: 's' }),
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'c' }] } },
      },
    } as unknown as KubeObject)
  const status = async () => (await stage.client.get(BUDGET)).status
  const counts = async () => {
    const { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed } = (await status()) ?? {}
    return { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed }
  }

  test('counts healthy pods and says whether one may go', async () => {
    await budget({ minAvailable: 1 })
    await pod('p')
    await pod('q')
    await pod('r', { isReady: false })
    await stage.settle()
    expect(await status()).toEqual({
      observedGeneration: 1,
      expectedPods: 3,
      currentHealthy: 2,
      desiredHealthy: 1,
      disruptionsAllowed: 1,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: expect.any(String),
        },
      ],
    })
    await setConditions('q', [{ type: 'Ready', status: 'False' }])
    await stage.settle()
    expect((await status())?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'InsufficientPods' })
  })

  test('without pods nothing may go, and an Event says so', async () => {
    await budget({ minAvailable: 1 })
    await stage.settle()
    expect(await counts()).toEqual({ expectedPods: 0, currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 })
    expect(await stage.events('b')).toEqual(['NoPods No matching pods found'])
  })

  test('a pod that leaves the selection counts no longer', async () => {
    await budget({ minAvailable: 1 })
    await pod('p')
    await pod('q')
    await stage.settle()
    await stage.client.patch(
      { ...POD, namespace: 'default', name: 'q' },
      { type: 'merge', patch: { metadata: { labels: { app: 'y' } } } },
    )
    await stage.settle()
    expect(await counts()).toEqual({ expectedPods: 1, currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0 })
  })

  for (const kind of ['ReplicaSet', 'StatefulSet', 'Deployment'] as const) {
    test(`a share is of what the ${kind} wants`, async () => {
      const top = await workload(kind, 'top', 10)
      const owner = kind === 'Deployment' ? await workload('ReplicaSet', 'set', 4, top) : top
      await budget({ maxUnavailable: '25%' })
      for (const name of ['p', 'q', 'r']) await pod(name, { owner })
      await stage.settle()
      expect(await counts()).toEqual({ expectedPods: 10, currentHealthy: 3, desiredHealthy: 7, disruptionsAllowed: 0 })
    })
  }

  test('a controller without a scale is a failure that is said', async () => {
    const owner = await workload('DaemonSet', 'set', 0)
    await pod('p', { owner })
    await budget({ maxUnavailable: 1 })
    await stage.settle()
    expect((await status())?.conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'SyncFailed',
      message: 'daemonsets.apps does not implement the scale subresource',
    })
    expect(await stage.events('b')).toEqual([
      'CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: daemonsets.apps does not implement the scale subresource',
    ])
  })

  test('a controller that is gone is a failure that is said', async () => {
    const owner = await workload('ReplicaSet', 'set', 1)
    await pod('p', { owner })
    await stage.client.delete({ ...kindRef('apps/v1', 'ReplicaSet'), namespace: 'default', name: 'set' })
    await budget({ maxUnavailable: 1 })
    await stage.settle()
    expect((await status())?.conditions?.[0]?.message).toBe('found no controllers for pod "p"')
  })

  test('pods without a controller are reported where a share is asked for', async () => {
    await pod('p')
    await budget({ maxUnavailable: 1 })
    await stage.settle()
    expect((await stage.events('b'))[0]).toMatch(
      /^UnmanagedPods Pods selected by this PodDisruptionBudget \(selector: &LabelSelector\{/,
    )
  })

  test('a pod that matches two budgets is reported', async () => {
    await budget({ minAvailable: 1 })
    await stage.client.create({
      ...kindRef('policy/v1', 'PodDisruptionBudget'),
      metadata: { namespace: 'default', name: 'c' },
      spec: { selector: { matchLabels: { app: 'x' } }, minAvailable: 1 },
    })
    await stage.settle()
    await pod('p')
    await stage.settle()
    expect(await stage.events('p')).toEqual([
      'MultiplePodDisruptionBudgets Pod "default"/"p" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.',
    ])
  })

  test('an allowed eviction counts until the pod is gone or two minutes have passed', async () => {
    await budget({ minAvailable: 1 })
    await pod('p')
    await pod('q')
    await stage.settle()
    const disruptedPods = { p: formatTime(stage.clock.now()), gone: formatTime(stage.clock.now()) }
    await stage.client.patch(BUDGET, { type: 'merge', patch: { status: { disruptedPods } } }, { subresource: 'status' })
    await stage.settle()
    expect((await status())?.disruptedPods).toEqual({ p: disruptedPods.p })
    expect(await counts()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    await stage.pass(121)
    expect((await status())?.disruptedPods).toBeUndefined()
    expect(await counts()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 })
    expect(await stage.events('p')).toEqual([
      "NotDeleted Pod was expected by PDB default/default to be deleted but it wasn't",
    ])
  })

  test('an announced disruption that does not come is taken back after two minutes', async () => {
    await pod('p')
    const lastTransitionTime = formatTime(stage.clock.now())
    await setConditions('p', [
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime },
    ])
    await stage.pass(115)
    const condition = async () =>
      (await stage.client.get({ ...POD, namespace: 'default', name: 'p' })).status?.conditions?.[0]
    expect(await condition()).toMatchObject({ status: 'True' })
    await stage.pass(6)
    expect(await condition()).toMatchObject({ type: 'DisruptionTarget', status: 'False' })
  })

  test('nothing is written while nothing changes', async () => {
    await budget({ minAvailable: 1 })
    await pod('p')
    await stage.settle()
    const { revision } = stage.server.storage
    await stage.pass(600)
    expect(stage.server.storage.revision).toBe(revision)
  })
})
