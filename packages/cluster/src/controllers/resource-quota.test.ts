import { kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createResourceQuotaController } from './resource-quota.ts'
import { createStage, type Stage } from './stage.ts'

describe('the status of a quota', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await createStage(createResourceQuotaController)
  })
  afterEach(() => stage.stop())

  const QUOTA = { ...kindRef('v1', 'ResourceQuota'), namespace: 'default', name: 'q' }
  const quota = (hard: Record<string, string>, more: object = {}) =>
    stage.client.create({
      ...kindRef('v1', 'ResourceQuota'),
      metadata: { namespace: 'default', name: 'q' },
      spec: { hard, ...more },
    })
  const pod = (name: string, resources: object = {}, spec: object = {}) =>
    stage.client.create({
      ...kindRef('v1', 'Pod'),
      metadata: { namespace: 'default', name },
      spec: { containers: [{ name: 'c', image: 'c', resources }], ...spec },
    })
  const create = (apiVersion: string, kind: string, name: string, fields: object) =>
    stage.client.create({ apiVersion, kind, metadata: { namespace: 'default', name }, ...fields })
  const status = async () => (await stage.client.get(QUOTA)).status

  test('has the limits, and zero where nothing is used', async () => {
    await quota({ pods: '2', 'requests.cpu': '1' })
    await stage.settle()
    expect(await status()).toEqual({
      hard: { pods: '2', 'requests.cpu': '1' },
      used: { pods: '0', 'requests.cpu': '0' },
    })
  })

  test('counts what pods request and may use, as long as they live', async () => {
    await quota({ pods: '9', cpu: '9', 'requests.memory': '9Gi', 'limits.cpu': '9', 'count/pods': '9' })
    await pod('p', { requests: { cpu: '250m', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } })
    await pod('q', { requests: { cpu: '250m', memory: '512Mi' }, limits: { cpu: '500m', memory: '1Gi' } })
    await stage.settle()
    expect((await status())?.used).toEqual({
      pods: '2',
      'count/pods': '2',
      cpu: '500m',
      'requests.memory': '1536Mi',
      'limits.cpu': '1500m',
    })
    await stage.client.patch(
      { ...kindRef('v1', 'Pod'), namespace: 'default', name: 'p' },
      { type: 'merge', patch: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    )
    await stage.settle()
    expect((await status())?.used).toMatchObject({ pods: '1', 'count/pods': '2', cpu: '250m' })
    await stage.client.delete({ ...kindRef('v1', 'Pod'), namespace: 'default', name: 'q' }, { gracePeriodSeconds: 0 })
    await stage.settle()
    expect((await status())?.used).toMatchObject({ pods: '0', 'count/pods': '1', cpu: '0' })
  })

  test('counts services, claims and objects of any kind', async () => {
    await quota({
      services: '9',
      'services.nodeports': '9',
      persistentvolumeclaims: '9',
      'requests.storage': '10Gi',
      'gold.storageclass.storage.k8s.io/requests.storage': '10Gi',
      configmaps: '9',
      'count/deployments.apps': '9',
    })
    await create('v1', 'Service', 's', {
      spec: {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    })
    await create('v1', 'PersistentVolumeClaim', 'c', {
      spec: { storageClassName: 'gold', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
    })
    await create('apps/v1', 'Deployment', 'd', {
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'c' }] } },
      },
    })
    await stage.settle()
    expect((await status())?.used).toEqual({
      // The API has a service of its own.
      services: '2',
      'services.nodeports': '2',
      persistentvolumeclaims: '1',
      'requests.storage': '3Gi',
      'gold.storageclass.storage.k8s.io/requests.storage': '3Gi',
      configmaps: '1',
      'count/deployments.apps': '1',
    })
  })

  test('of a quota with scopes counts only what fits them', async () => {
    await quota({ pods: '9' }, { scopes: ['BestEffort', 'NotTerminating'] })
    await pod('fits')
    await pod('asks', { requests: { cpu: '1' } })
    await pod('ends', {}, { activeDeadlineSeconds: 60 })
    await stage.settle()
    expect((await status())?.used).toEqual({ pods: '1' })
  })

  test('counts custom kinds from when they exist', async () => {
    await quota({ 'count/widgets.example.com': '9' })
    await stage.settle()
    expect((await status())?.used).toBeUndefined()
    await stage.client.create({
      ...kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    await stage.settle()
    await create('example.com/v1', 'Widget', 'w', {})
    await stage.settle()
    expect((await status())?.used).toEqual({ 'count/widgets.example.com': '1' })
  })

  test('follows a change of the limits', async () => {
    await quota({ pods: '2' })
    await stage.settle()
    await stage.client.patch(QUOTA, { type: 'merge', patch: { spec: { hard: { pods: '3', secrets: '1' } } } })
    await stage.settle()
    expect(await status()).toEqual({ hard: { pods: '3', secrets: '1' }, used: { pods: '0', secrets: '0' } })
  })

  test('is not written while nothing changes, and other namespaces do not count', async () => {
    await quota({ pods: '2', configmaps: '5' })
    await stage.settle()
    const before = (await stage.client.get(QUOTA)).metadata.resourceVersion
    await stage.client.create({ ...kindRef('v1', 'Namespace'), metadata: { name: 'other' } })
    await stage.pass(1200)
    expect((await stage.client.get(QUOTA)).metadata.resourceVersion).toBe(before)
  })
})
