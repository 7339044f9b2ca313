import { kindRef } from '@tiphys/kube'
import type { EndpointSlice, Service } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { createStage } from '../controllers/stage.ts'
import type { ServiceRoute } from '../runtime/pod-runtime.ts'
import { followServices, serviceRoutes } from './service-routes.ts'

const service = (name: string, spec: Service['spec']): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  ...(spec && { spec }),
})

const slice = (name: string, ports: EndpointSlice['ports'], endpoints: EndpointSlice['endpoints']): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${name}-x`, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ...(ports && { ports }),
  ...(endpoints && { endpoints }),
})

const web = service('web', {
  clusterIP: '10.96.0.9',
  clusterIPs: ['10.96.0.9'],
  type: 'NodePort',
  sessionAffinity: 'ClientIP',
  ports: [
    { name: 'http', port: 80, nodePort: 30080 },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ],
})

const endpoint = (ip: string, ready: boolean, serving = ready, terminating = false) => ({
  addresses: [ip],
  conditions: { ready, serving, terminating },
})

describe('routes of services', () => {
  it('lead to the ready endpoints of a port', () => {
    const endpoints = [endpoint('10.244.0.3', true), endpoint('10.244.0.2', true), endpoint('10.244.0.4', false)]
    const ports = [
      { name: 'http', port: 8080 },
      { name: 'dns', port: 5353, protocol: 'UDP' },
    ]
    expect(serviceRoutes([web], [slice('web', ports, endpoints)])).toEqual([
      {
        namespace: 'default',
        name: 'web',
        clusterIps: ['10.96.0.9'],
        sessionAffinity: 'ClientIP',
        ports: [
          {
            name: 'http',
            protocol: 'TCP',
            port: 80,
            nodePort: 30080,
            targets: [
              { ip: '10.244.0.2', port: 8080 },
              { ip: '10.244.0.3', port: 8080 },
            ],
          },
          {
            name: 'dns',
            protocol: 'UDP',
            port: 53,
            targets: [
              { ip: '10.244.0.2', port: 5353 },
              { ip: '10.244.0.3', port: 5353 },
            ],
          },
        ],
        endpoints: [
          { ip: '10.244.0.2', ready: true },
          { ip: '10.244.0.3', ready: true },
          { ip: '10.244.0.4', ready: false },
        ],
        publishNotReadyAddresses: false,
      },
    ])
  })

  it('lead to endpoints that are going away when there are no others', () => {
    const leaving = slice('web', [{ name: 'http', port: 8080 }], [endpoint('10.244.0.2', false, true, true)])
    expect(serviceRoutes([web], [leaving])[0]?.ports[0]?.targets).toEqual([{ ip: '10.244.0.2', port: 8080 }])
  })

  it('of a headless service have no addresses of their own', () => {
    const headless = service('db', { clusterIP: 'None', clusterIPs: ['None'] })
    const endpoints = [{ addresses: ['10.244.0.2'], hostname: 'db-0' }]
    expect(serviceRoutes([headless], [slice('db', [], endpoints)])[0]).toMatchObject({
      clusterIps: [],
      endpoints: [{ ip: '10.244.0.2', hostname: 'db-0', ready: true }],
    })
  })

  it('of an external name say it', () => {
    const away = service('away', { type: 'ExternalName', externalName: 'example.com' })
    expect(serviceRoutes([away], [])[0]).toMatchObject({ externalName: 'example.com', ports: [] })
  })
})

it('tells a network once of changes that come together', async () => {
  const told: (readonly ServiceRoute[])[] = []
  const stage = await createStage(context => followServices(context, services => told.push(services)))
  await stage.settle()
  expect(told.map(services => services.map(({ name }) => name))).toEqual([['kubernetes']])
  await Promise.all(['a', 'b', 'c'].map(name => stage.client.create(service(name, { ports: [{ port: 80 }] }))))
  await stage.settle()
  expect(told.map(services => services.map(({ name }) => name))).toEqual([
    ['kubernetes'],
    ['a', 'b', 'c', 'kubernetes'],
  ])
  await stage.client.delete({ ...kindRef('v1', 'Service'), namespace: 'default', name: 'b' })
  await stage.settle()
  expect(told.at(-1)?.map(({ name }) => name)).toEqual(['a', 'c', 'kubernetes'])
  await stage.stop()
})
