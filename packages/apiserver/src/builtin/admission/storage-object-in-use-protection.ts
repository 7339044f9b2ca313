import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { createdObject } from './cluster-lookup.ts'

const FINALIZERS: readonly [group: string, resource: string, finalizer: string][] = [
  ['', 'persistentvolumes', 'kubernetes.io/pv-protection'],
  ['', 'persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['storage.k8s.io', 'volumeattributesclasses', 'kubernetes.io/vac-protection'],
]

/** Storage that is in use waits with its deletion until it no longer is. */
export const storageObjectInUseProtectionAdmission: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate(request) {
    for (const [group, resource, finalizer] of FINALIZERS) {
      const object = createdObject(request, group, resource)
      if (object === undefined) continue
      const finalizers = object.metadata.finalizers ?? []
      if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer]
    }
  },
}
