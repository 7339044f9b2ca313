import { kindRef } from '@tiphys/kube'
import type { EndpointSlice, Endpoints, Pod, PodSpec, Service, ServiceSpec } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serviceRoutes } from '../../network/service-routes.ts'
import { createStage, type Stage } from '../stage.ts'
import { createEndpointSliceController } from './endpoint-slice-controller.ts'
import { createEndpointsController } from './endpoints-controller.ts'
import { createSliceMirroringController } from './slice-mirroring.ts'

let stage: Stage

beforeEach(async () => {
  stage = await createStage(createEndpointSliceController, createEndpointsController, createSliceMirroringController)
  const labels = { 'topology.kubernetes.io/zone': 'east' }
  await stage.client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'one', labels } })
})

afterEach(() => stage.stop())

const addService = (name: string, spec: ServiceSpec) =>
  stage.client.create<Service>({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' }, spec })

const addPod = async (name: string, ip: string, isReady = true, spec: Partial<PodSpec> = {}) => {
  const ports = [{ name: 'http', containerPort: 8080 }]
  await stage.client.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { nodeName: 'one', containers: [{ name: 'c', image: 'x', ports }], ...spec },
  })
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: '2024-01-01T00:00:00Z' }]
  const patch = { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } }
  const ref = { ...kindRef('v1', 'Pod'), namespace: 'default', name }
  await stage.client.patch(ref, { type: 'merge', patch }, { subresource: 'status' })
}

const slicesOf = async (service: string) => {
  const labelSelector = `kubernetes.io/service-name=${service}`
  const { items } = await stage.client.list({
    ...kindRef<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice'),
    namespace: 'default',
    labelSelector,
  })
  return items
}

const endpointsOf = (name: string) =>
  stage.client.get({ ...kindRef<Endpoints>('v1', 'Endpoints'), namespace: 'default', name })

const WEB: ServiceSpec = { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] }

describe('EndpointSlices', () => {
  it('of a service without pods is a placeholder', async () => {
    await addService('web', WEB)
    await stage.settle()
    const [slice, ...others] = await slicesOf('web')
    expect(others).toEqual([])
    expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/)
    expect(slice?.endpoints ?? []).toEqual([])
    expect(slice?.metadata.labels).toEqual({
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': 'web',
    })
  })

  it('have the address, the named port, node, zone and readiness of every pod', async () => {
    await addService('web', WEB)
    await addPod('a', '10.244.0.2')
    await addPod('b', '10.244.0.3', false)
    await stage.settle()
    const [slice, ...others] = await slicesOf('web')
    expect(others).toEqual([])
    expect(slice?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }])
    expect(slice?.endpoints).toMatchObject([
      {
        addresses: ['10.244.0.2'],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: 'one',
        zone: 'east',
        targetRef: { kind: 'Pod', name: 'a', namespace: 'default' },
      },
      { addresses: ['10.244.0.3'], conditions: { ready: false, serving: false, terminating: false } },
    ])
    const { subsets, metadata } = await endpointsOf('web')
    expect(subsets).toMatchObject([
      {
        addresses: [{ ip: '10.244.0.2', nodeName: 'one' }],
        notReadyAddresses: [{ ip: '10.244.0.3' }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ])
    expect(metadata.labels).toEqual({ 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' })
  })

  it('say the host name of pods of a headless service', async () => {
    await addService('web', { ...WEB, clusterIP: 'None', publishNotReadyAddresses: true })
    await addPod('a', '10.244.0.2', false, { hostname: 'a-0', subdomain: 'web' })
    await stage.settle()
    const [slice] = await slicesOf('web')
    expect(slice?.metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '')
    expect(slice?.endpoints).toMatchObject([{ hostname: 'a-0', conditions: { ready: true, serving: false } }])
  })

  it('leave a service without a selector alone, but mirror Endpoints written by hand', async () => {
    await addService('manual', { ports: [{ port: 80 }] })
    await stage.settle()
    expect(await slicesOf('manual')).toEqual([])
    await stage.client.create<Endpoints>({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'manual', namespace: 'default', labels: { team: 'x' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 8080 }] }],
    })
    await stage.settle()
    const [slice, ...others] = await slicesOf('manual')
    expect(others).toEqual([])
    expect(slice?.metadata.labels).toEqual({
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      'kubernetes.io/service-name': 'manual',
      team: 'x',
    })
    expect(slice?.endpoints).toEqual([{ addresses: ['192.0.2.1'], conditions: { ready: true } }])
    await stage.client.delete({ ...kindRef('v1', 'Endpoints'), namespace: 'default', name: 'manual' })
    await stage.settle()
    expect(await slicesOf('manual')).toEqual([])
  })

  it('are not written when nothing changes', async () => {
    await addService('web', WEB)
    await addPod('a', '10.244.0.2')
    await stage.settle()
    const { revision } = stage.server.storage
    await stage.client.patch(
      { ...kindRef('v1', 'Pod'), namespace: 'default', name: 'a' },
      { type: 'merge', patch: { metadata: { annotations: { x: 'y' } } } },
    )
    await stage.pass(60)
    expect(stage.server.storage.revision).toBe(revision + 1)
  })

  it('become routes, in which the API leads to itself', async () => {
    await addService('web', WEB)
    await addPod('a', '10.244.0.2')
    await stage.settle()
    const { items: services } = await stage.client.list(kindRef<Service>('v1', 'Service'))
    const routes = serviceRoutes(services, await slicesOf('web'))
    expect(routes).toMatchObject([
      { name: 'kubernetes', ports: [{ name: 'https', port: 443, targets: ['api'] }] },
      {
        name: 'web',
        ports: [{ name: 'http', protocol: 'TCP', port: 80, targets: [{ ip: '10.244.0.2', port: 8080 }] }],
        endpoints: [{ ip: '10.244.0.2', ready: true }],
      },
    ])
  })
})
