import type { KubeObject } from '@tiphys/kube'
import { forbidden, notFound } from '../status-error.ts'
import { type AdmissionRequest, admittedName } from './admission.ts'
import type { Registry } from './registry.ts'
import { groupResource } from './resource.ts'

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public'])

/** Nothing is created in a namespace that is not there or on its way out; the system's namespaces stay. */
export function namespaceLifecycle({ resources }: Pick<Registry, 'resources'>, request: AdmissionRequest): void {
  const { operation, resource, namespace, name } = request
  if (operation === 'DELETE' && resource.group === '' && resource.name === 'namespaces' && IMMORTAL.has(name)) {
    throw forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted')
  }
  if (operation !== 'CREATE' || !resource.namespaced) return
  const found = resources.find('', 'v1', 'namespaces')?.collection.get(namespace)
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace)
  if (isTerminating(found.object)) {
    const message = `namespace ${namespace} is being terminated`
    throw forbidden(
      groupResource(resource),
      admittedName(request),
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
    )
  }
}

const isTerminating = (namespace: KubeObject): boolean =>
  (namespace.status as { phase?: string } | undefined)?.phase === 'Terminating' ||
  namespace.metadata.deletionTimestamp !== undefined
