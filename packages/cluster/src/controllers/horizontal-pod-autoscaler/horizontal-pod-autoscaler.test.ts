import { type KubeObject, kindRef } from '@tiphys/kube'
import type { Deployment, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, Pod } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatTime } from '../../timestamp.ts'
import { createDeploymentController } from '../deployment/deployment.ts'
import { createReplicaSetController } from '../replica-set/replica-set.ts'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { createHorizontalPodAutoscalerController } from './horizontal-pod-autoscaler.ts'
import type { MetricsSource, PodUsage } from './metrics-source.ts'

let stage: WorkloadStage
/** What every pod uses, in thousandths of a core. */
let usedMilli: number | undefined

const metrics: MetricsSource = {
  async resourceUsage(namespace, labelSelector) {
    if (usedMilli === undefined) throw new Error('unable to fetch metrics from resource metrics API: none')
    const { items } = await stage.client.list<Pod>({ ...kindRef<Pod>('v1', 'Pod'), namespace, labelSelector })
    const usage: PodUsage = { milli: usedMilli, at: stage.clock.now(), windowMs: 0 }
    return new Map(items.map(({ metadata }) => [metadata.name ?? '', usage]))
  },
}

beforeEach(async () => {
  usedMilli = 100
  stage = await createWorkloadStage([
    createDeploymentController,
    createReplicaSetController,
    context => createHorizontalPodAutoscalerController(context, metrics),
  ])
})
afterEach(() => stage.stop())

async function createDeployment(replicas: number): Promise<void> {
  const container = { name: 'main', image: 'nginx', resources: { requests: { cpu: '100m' } } }
  await stage.client.create({
    ...kindRef<Deployment>('apps/v1', 'Deployment'),
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
    },
  } as Deployment)
  await startPods()
}

async function startPods(): Promise<void> {
  await stage.keepReady()
  for (const { metadata, status } of await stage.pods()) {
    if (status?.startTime !== undefined) continue
    const patch = { status: { startTime: formatTime(stage.clock.now()) } }
    const { name = '' } = metadata
    const ref = { ...kindRef('v1', 'Pod'), namespace: 'default', name }
    await stage.client.patch(ref, { type: 'merge', patch }, { subresource: 'status' })
  }
  await stage.settle()
}

async function createAutoscaler(spec: Partial<HorizontalPodAutoscalerSpec>): Promise<void> {
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } }
  await stage.client.create({
    ...kindRef<HorizontalPodAutoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler'),
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 10,
      metrics: [{ type: 'Resource', resource }],
      ...spec,
    },
  } as HorizontalPodAutoscaler)
  await stage.settle()
}

const get = <T extends KubeObject>(apiVersion: string, kind: string) =>
  stage.client.get<T>({ apiVersion, kind, namespace: 'default', name: 'web' })
const replicas = async () => (await get<Deployment & KubeObject>('apps/v1', 'Deployment')).spec?.replicas
const conditions = async () => {
  const { status } = await get<HorizontalPodAutoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler')
  return (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`)
}

test('doubles what uses twice as much as it should', async () => {
  await createDeployment(2)
  await createAutoscaler({})
  expect(await replicas()).toBe(4)
  expect(await conditions()).toEqual([
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ])
  expect(await stage.events('web')).toContain(
    'SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target',
  )
  const { status } = await get<HorizontalPodAutoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler')
  expect(status).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 4,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } } },
    ],
  })
})

test('does nothing about a difference within the tolerance', async () => {
  usedMilli = 54
  await createDeployment(2)
  await createAutoscaler({})
  expect(await replicas()).toBe(2)
  expect((await conditions())[0]).toBe('AbleToScale=True ReadyForNewScale')
})

test('goes down only when five minutes have asked for it', async () => {
  usedMilli = 10
  await createDeployment(4)
  await createAutoscaler({})
  expect(await replicas()).toBe(4)
  expect((await conditions())[0]).toBe('AbleToScale=True ScaleDownStabilized')
  await stage.pass(320)
  expect(await replicas()).toBe(1)
})

test('goes no faster than its policies allow', async () => {
  usedMilli = 500
  await createDeployment(2)
  const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }]
  await createAutoscaler({ behavior: { scaleUp: { policies } } })
  expect(await replicas()).toBe(3)
  expect(await conditions()).toContain('ScalingLimited=True ScaleUpLimit')
  await startPods()
  await stage.pass(30)
  expect(await replicas()).toBe(3)
  await stage.pass(45)
  expect(await replicas()).toBe(4)
})

test('stays within its bounds', async () => {
  await createDeployment(2)
  await createAutoscaler({ minReplicas: 3, maxReplicas: 3 })
  expect(await replicas()).toBe(3)
  expect(await stage.events('web')).toContain(
    'SuccessfulRescale New size: 3; reason: Current number of replicas below Spec.MinReplicas',
  )
})

test('says that there are no metrics', async () => {
  usedMilli = undefined
  await createDeployment(2)
  await createAutoscaler({})
  expect(await conditions()).toEqual([
    'AbleToScale=True SucceededGetScale',
    'ScalingActive=False FailedGetResourceMetric',
  ])
  const none =
    'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: none'
  expect(await stage.events('web')).toEqual(
    expect.arrayContaining([
      `FailedGetResourceMetric ${none}`,
      `FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${none}`,
    ]),
  )
})
