import { type FieldSet, fieldSet } from './field-set.ts'

/** What a write to an object itself does not change, when its status is written apart. */
export const withoutStatusFields: FieldSet = fieldSet(['f:status'])

/** What a write to the status does not change, for most kinds. */
export const statusResetFields: FieldSet = fieldSet(['f:spec'])

const SPEC_AND_METADATA = fieldSet(['f:spec'], ['f:metadata'])

const STATUS_EXCEPTIONS: Readonly<Record<string, FieldSet>> = {
  '/pods': fieldSet(['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']),
  'apps/deployments': fieldSet(['f:spec'], ['f:metadata', 'f:labels']),
  'certificates.k8s.io/certificatesigningrequests': fieldSet(['f:spec'], ['f:status', 'f:conditions']),
  'scheduling.k8s.io/podgroups': SPEC_AND_METADATA,
  'networking.k8s.io/servicecidrs': SPEC_AND_METADATA,
  'storagemigration.k8s.io/storageversionmigrations': SPEC_AND_METADATA,
  'resource.k8s.io/resourceclaims': SPEC_AND_METADATA,
  'resource.k8s.io/devicetaintrules': SPEC_AND_METADATA,
  'internal.apiserver.k8s.io/storageversions': SPEC_AND_METADATA,
  'storage.k8s.io/volumeattachments': SPEC_AND_METADATA,
  'flowcontrol.apiserver.k8s.io/flowschemas': SPEC_AND_METADATA,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': SPEC_AND_METADATA,
  'admissionregistration.k8s.io/validatingadmissionpolicies': SPEC_AND_METADATA,
  'apiregistration.k8s.io/apiservices': SPEC_AND_METADATA,
}

/** What a write to the status of this resource does not change. Custom resources keep their metadata too. */
export function statusResetFieldsOf(resource: { group: string; resource: string; isCustom: boolean }): FieldSet {
  if (resource.isCustom) return SPEC_AND_METADATA
  return STATUS_EXCEPTIONS[`${resource.group}/${resource.resource}`] ?? statusResetFields
}
