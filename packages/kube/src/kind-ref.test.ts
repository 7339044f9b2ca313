import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Client } from './client.ts'
import { kindRef } from './kind-ref.ts'
import type { Deployment, HorizontalPodAutoscaler, Pod } from './kinds.ts'
import type { KubeList, KubeObject } from './object.ts'

type Widget = { apiVersion: 'example.com/v1'; kind: 'Widget'; metadata: KubeObject['metadata']; spec: { size: number } }

describe('kindRef', () => {
  it('is the name of a kind', () => {
    expect(kindRef('apps/v1', 'Deployment')).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment' })
  })

  it('gives the answers of a client their type', () => {
    const calls = (client: Client) => ({
      get: client.get({ ...kindRef('apps/v1', 'Deployment'), namespace: 'ns', name: 'web' }),
      list: client.list({ ...kindRef('v1', 'Pod'), namespace: 'ns' }),
      scaler: client.get({ ...kindRef('autoscaling/v2', 'HorizontalPodAutoscaler'), namespace: 'ns', name: 'web' }),
      widget: client.get({ ...kindRef<Widget>('example.com/v1', 'Widget'), name: 'w' }),
      unknown: client.get({ ...kindRef('example.com/v1', 'Gadget'), name: 'g' }),
      plain: client.get({ apiVersion: 'v1', kind: 'Pod', name: 'p' }),
      created: client.create<Pod>({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] },
      }),
    })
    type Calls = ReturnType<typeof calls>
    expectTypeOf<Calls['get']>().resolves.toEqualTypeOf<Deployment>()
    expectTypeOf<Calls['list']>().resolves.toEqualTypeOf<KubeList<Pod>>()
    expectTypeOf<Calls['scaler']>().resolves.toEqualTypeOf<HorizontalPodAutoscaler>()
    expectTypeOf<Calls['widget']>().resolves.toEqualTypeOf<Widget>()
    expectTypeOf<Calls['unknown']>().resolves.toEqualTypeOf<KubeObject>()
    expectTypeOf<Calls['plain']>().resolves.toEqualTypeOf<KubeObject>()
    expectTypeOf<Calls['created']>().resolves.toEqualTypeOf<Pod>()
  })

  it('knows the fields of built-in kinds', () => {
    expectTypeOf<NonNullable<Deployment['spec']>['replicas']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<NonNullable<Pod['spec']>['containers'][number]['name']>().toEqualTypeOf<string>()
  })
})
