import type { KubeObject } from '@tiphys/kube'
import { type AdmissionRequest, admittedName } from '../../registry/admission.ts'
import { forbidden, type StatusError } from '../../status-error.ts'

/** What a plugin may read of the cluster. Objects are shared: nobody changes them. */
export interface ClusterLookup {
  /** `namespace` is empty for cluster-scoped objects. */
  get(resource: { group: string; resource: string }, namespace: string, name: string): KubeObject | undefined
  list(resource: { group: string; resource: string }, namespace: string): Iterable<KubeObject>
}

export const SERVICE_ACCOUNTS = { group: '', resource: 'serviceaccounts' }
export const LIMIT_RANGES = { group: '', resource: 'limitranges' }
export const RESOURCE_QUOTAS = { group: '', resource: 'resourcequotas' }
export const PRIORITY_CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }
export const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' }
export const INGRESS_CLASSES = { group: 'networking.k8s.io', resource: 'ingressclasses' }
export const RUNTIME_CLASSES = { group: 'node.k8s.io', resource: 'runtimeclasses' }

/** `pods "x" is forbidden: …` */
export function deny(request: AdmissionRequest, why: string): StatusError {
  const { group, name: resource } = request.resource
  return forbidden({ group, resource }, admittedName(request), why)
}

/** The object of a create of one resource itself, not of a subresource; undefined for every other request. */
export function createdObject(request: AdmissionRequest, group: string, resource: string): KubeObject | undefined {
  return request.operation === 'CREATE' ? writtenObject(request, group, resource) : undefined
}

export function writtenObject(request: AdmissionRequest, group: string, resource: string): KubeObject | undefined {
  const isMatched = request.resource.group === group && request.resource.name === resource && request.subresource === ''
  return isMatched && (request.operation === 'CREATE' || request.operation === 'UPDATE') ? request.object : undefined
}
