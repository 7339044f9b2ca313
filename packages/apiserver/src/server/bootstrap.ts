import type { KubeObject } from '@tiphys/kube'
import { readData } from '../data.ts'
import { createObject } from '../registry/create-object.ts'
import type { Registry } from '../registry/registry.ts'
import { keyOf } from '../registry/resource.ts'
import type { User } from '../request/api-request.ts'
import type { Json } from '../schema/schema.ts'

const SYSTEM: User = { name: 'system:apiserver', groups: ['system:masters'] }

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

const PRIORITY_CLASSES = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
]

/** The Service under which pods find the API; its address is the first of the range. */
const API_SERVICE = {
  metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
}

/** Makes what every new cluster has: namespaces, roles and bindings, priority classes. What is already there stays. */
export async function bootstrap(registry: Registry): Promise<void> {
  const make = async (group: string, version: string, resource: string, object: Record<string, unknown>) => {
    const served = registry.resources.find(group, version, resource)
    if (!served) throw new Error(`${resource} is not served`)
    const { namespace = '', name = '' } = object.metadata as { namespace?: string; name?: string }
    if (served.collection.get(keyOf(namespace, name))) return
    const decoded = served.decode(object as Json & KubeObject).object
    decoded.kind = served.kind
    decoded.apiVersion = group === '' ? version : `${group}/${version}`
    const write = {
      registry,
      resource: served,
      namespace,
      user: SYSTEM,
      fieldManager: 'kube-apiserver',
      dryRun: false,
      warnings: [],
    }
    await createObject(write, decoded)
  }
  for (const name of NAMESPACES) await make('', 'v1', 'namespaces', { metadata: { name } })
  await make('', 'v1', 'services', API_SERVICE)
  const rbac = JSON.parse(readData('bootstrap-rbac.json')) as Record<string, Record<string, unknown>[]>
  for (const [resource, objects] of Object.entries(rbac)) {
    for (const object of objects) await make('rbac.authorization.k8s.io', 'v1', resource, object)
  }
  for (const { name, value, description } of PRIORITY_CLASSES) {
    await make('scheduling.k8s.io', 'v1', 'priorityclasses', { metadata: { name }, value, description })
  }
}
