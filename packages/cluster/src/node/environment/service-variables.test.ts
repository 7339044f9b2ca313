import type { Service } from '@tiphys/kube/kinds'
import { expect, it } from 'vitest'
import { serviceVariables } from './service-variables.ts'

const service = (
  namespace: string,
  name: string,
  clusterIP: string,
  ports: { name?: string; port: number }[],
): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace, name },
  spec: { clusterIP, ports: ports.map(port => ({ protocol: 'TCP', ...port })) },
})

const services = [
  service('default', 'kubernetes', '10.96.0.1', [{ name: 'https', port: 443 }]),
  service('shop', 'my-db', '10.96.0.7', [{ name: 'sql', port: 5432 }]),
  service('shop', 'headless', 'None', [{ port: 80 }]),
  service('other', 'hidden', '10.96.0.9', [{ port: 80 }]),
]

it('tells of the services of the own namespace and of the API', () => {
  expect(Object.fromEntries(serviceVariables(services, 'shop', true))).toEqual({
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    KUBERNETES_SERVICE_PORT_HTTPS: '443',
    KUBERNETES_PORT: 'tcp://10.96.0.1:443',
    KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
    KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
    KUBERNETES_PORT_443_TCP_PORT: '443',
    KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
    MY_DB_SERVICE_HOST: '10.96.0.7',
    MY_DB_SERVICE_PORT: '5432',
    MY_DB_SERVICE_PORT_SQL: '5432',
    MY_DB_PORT: 'tcp://10.96.0.7:5432',
    MY_DB_PORT_5432_TCP: 'tcp://10.96.0.7:5432',
    MY_DB_PORT_5432_TCP_PROTO: 'tcp',
    MY_DB_PORT_5432_TCP_PORT: '5432',
    MY_DB_PORT_5432_TCP_ADDR: '10.96.0.7',
  })
})

it('tells of the API alone when links are off', () => {
  const names = [...serviceVariables(services, 'shop', false).keys()]
  expect(names.every(name => name.startsWith('KUBERNETES_'))).toBe(true)
})
