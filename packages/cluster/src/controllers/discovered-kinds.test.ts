import { formatApiVersion, type KubeObject, kindRef } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDiscoveredKinds, type DiscoveredKinds } from './discovered-kinds.ts'
import { createStage, type Stage } from './stage.ts'

describe('the kinds of a cluster', () => {
  let stage: Stage
  let kinds: DiscoveredKinds
  beforeEach(async () => {
    stage = await createStage()
    kinds = createDiscoveredKinds(stage.context)
    await kinds.whenReady()
  })
  afterEach(async () => {
    kinds.stop()
    await stage.stop()
  })

  const define = (versions: string[]) =>
    stage.client.create<KubeObject>({
      ...kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: versions.map((name, index) => ({
          name,
          served: true,
          storage: index === 0,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    })
  const versionsOf = (kind: string) =>
    kinds
      .list()
      .filter(one => one.kind === kind)
      .map(formatApiVersion)

  test('are named in one version each, the preferred one', () => {
    expect(versionsOf('HorizontalPodAutoscaler')).toEqual(['autoscaling/v2'])
    expect(versionsOf('Pod')).toEqual(['v1'])
  })

  test('change with definitions', async () => {
    let changes = 0
    kinds.onChange(() => changes++)
    await define(['v1'])
    await stage.settle()
    expect(kinds.list().find(({ kind }) => kind === 'Widget')).toMatchObject({
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      namespaced: false,
    })
    await stage.client.delete({
      ...kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      name: 'widgets.example.com',
    })
    await stage.settle()
    expect(versionsOf('Widget')).toEqual([])
    expect(changes).toBe(2)
  })

  test('prefer stable versions to beta to alpha, newer ones, and those of other names last', async () => {
    await define(['later', 'v1alpha9', 'v2beta1', 'v10', 'v2'])
    await stage.settle()
    expect(versionsOf('Widget')).toEqual(['example.com/v10'])
  })
})
