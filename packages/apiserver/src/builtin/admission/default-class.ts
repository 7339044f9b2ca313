import type { KubeObject } from '@tiphys/kube'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { ensureObject, isPresent } from '../fields.ts'
import { type ClusterLookup, createdObject, INGRESS_CLASSES, STORAGE_CLASSES } from './cluster-lookup.ts'

/** A claim without a storage class gets the cluster's default, if there is one. */
export function defaultStorageClassAdmission(lookup: ClusterLookup): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate(request) {
      const claim = createdObject(request, '', 'persistentvolumeclaims')
      if (claim === undefined || hasAnnotation(claim, 'volume.beta.kubernetes.io/storage-class')) return
      const spec = ensureObject(claim, 'spec')
      if (isPresent(spec, 'storageClassName')) return
      const [newest] = defaults(lookup.list(STORAGE_CLASSES, ''), [
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ])
      if (newest !== undefined) spec.storageClassName = newest.metadata.name
    },
  }
}

/** An ingress without a class gets the cluster's default, if there is one. */
export function defaultIngressClassAdmission(lookup: ClusterLookup): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    mutate(request) {
      const ingress = createdObject(request, 'networking.k8s.io', 'ingresses')
      if (ingress === undefined || hasAnnotation(ingress, 'kubernetes.io/ingress.class')) return
      const spec = ensureObject(ingress, 'spec')
      if (isPresent(spec, 'ingressClassName')) return
      const classes = lookup.list(INGRESS_CLASSES, '')
      const [newest] = defaults(classes, ['ingressclass.kubernetes.io/is-default-class'])
      if (newest !== undefined) spec.ingressClassName = newest.metadata.name
    },
  }
}

const hasAnnotation = (object: KubeObject, name: string) => object.metadata.annotations?.[name] !== undefined

/** Those marked as default: the newest first, then by name. */
function defaults(classes: Iterable<KubeObject>, annotations: readonly string[]): KubeObject[] {
  const marked = [...classes].filter(({ metadata }) =>
    annotations.some(name => metadata.annotations?.[name] === 'true'),
  )
  return marked.sort((a, b) => {
    const [timeA, timeB] = [String(a.metadata.creationTimestamp ?? ''), String(b.metadata.creationTimestamp ?? '')]
    if (timeA !== timeB) return timeA > timeB ? -1 : 1
    return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
  })
}
