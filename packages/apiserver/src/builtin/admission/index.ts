import type { Random } from '@tiphys/env'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import type { ClusterLookup } from './cluster-lookup.ts'
import { defaultIngressClassAdmission, defaultStorageClassAdmission } from './default-class.ts'
import { defaultTolerationSecondsAdmission } from './default-toleration-seconds.ts'
import { limitRangerAdmission } from './limit-ranger.ts'
import { priorityAdmission } from './priority.ts'
import { runtimeClassAdmission } from './runtime-class.ts'
import { serviceAccountAdmission } from './service-account.ts'
import { storageObjectInUseProtectionAdmission } from './storage-object-in-use-protection.ts'
import { taintNodesByConditionAdmission } from './taint-nodes-by-condition.ts'

/** The plugins a real server has on by default, in its order. They come after NamespaceLifecycle and before webhooks. */
export function builtinAdmission(lookup: ClusterLookup, random: Random): AdmissionPlugin[] {
  return [
    limitRangerAdmission(lookup),
    serviceAccountAdmission(lookup, random),
    taintNodesByConditionAdmission,
    priorityAdmission(lookup),
    defaultTolerationSecondsAdmission,
    defaultStorageClassAdmission(lookup),
    storageObjectInUseProtectionAdmission,
    runtimeClassAdmission(lookup),
    defaultIngressClassAdmission(lookup),
  ]
}

export type { ClusterLookup } from './cluster-lookup.ts'
export { resourceQuotaAdmission } from './resource-quota.ts'
