import type { Strategy } from '../strategy.ts'
import {
  mutatingAdmissionPolicyBindingStrategy,
  mutatingAdmissionPolicyStrategy,
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from './admissionregistration/admission-policy.ts'
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './admissionregistration/webhook-configuration.ts'
import { apiServiceStrategy } from './apiregistration/api-service.ts'
import { controllerRevisionStrategy } from './apps/controller-revision.ts'
import { daemonSetStrategy } from './apps/daemon-set.ts'
import { deploymentStrategy } from './apps/deployment.ts'
import { replicaSetStrategy } from './apps/replica-set.ts'
import { statefulSetStrategy } from './apps/stateful-set.ts'
import { horizontalPodAutoscalerStrategy } from './autoscaling/horizontal-pod-autoscaler.ts'
import { cronJobStrategy } from './batch/cron-job.ts'
import { jobStrategy } from './batch/job.ts'
import { certificateSigningRequestStrategy } from './certificates/certificate-signing-request.ts'
import { leaseStrategy } from './coordination/lease.ts'
import { configMapStrategy } from './core/config-map.ts'
import { endpointsStrategy } from './core/endpoints.ts'
import { eventStrategy, eventsGroupEventStrategy } from './core/event.ts'
import { limitRangeStrategy } from './core/limit-range.ts'
import { namespaceStrategy } from './core/namespace.ts'
import { nodeStrategy } from './core/node.ts'
import { persistentVolumeStrategy } from './core/persistent-volume.ts'
import { persistentVolumeClaimStrategy } from './core/persistent-volume-claim.ts'
import { podStrategy } from './core/pod.ts'
import { podTemplateStrategy } from './core/pod-template.ts'
import { replicationControllerStrategy } from './core/replication-controller.ts'
import { resourceQuotaStrategy } from './core/resource-quota.ts'
import { secretStrategy } from './core/secret.ts'
import { serviceStrategy } from './core/service.ts'
import { serviceAccountStrategy } from './core/service-account.ts'
import { endpointSliceStrategy } from './discovery/endpoint-slice.ts'
import { flowSchemaStrategy } from './flowcontrol/flow-schema.ts'
import { priorityLevelConfigurationStrategy } from './flowcontrol/priority-level-configuration.ts'
import { ingressStrategy } from './networking/ingress.ts'
import { ingressClassStrategy } from './networking/ingress-class.ts'
import { ipAddressStrategy } from './networking/ip-address.ts'
import { networkPolicyStrategy } from './networking/network-policy.ts'
import { serviceCidrStrategy } from './networking/service-cidr.ts'
import { runtimeClassStrategy } from './node/runtime-class.ts'
import { podDisruptionBudgetStrategy } from './policy/pod-disruption-budget.ts'
import { clusterRoleStrategy, roleStrategy } from './rbac/role.ts'
import { clusterRoleBindingStrategy, roleBindingStrategy } from './rbac/role-binding.ts'
import {
  deviceClassStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  resourceSliceStrategy,
} from './resource/dynamic-resource.ts'
import { priorityClassStrategy } from './scheduling/priority-class.ts'
import { csiDriverStrategy } from './storage/csi-driver.ts'
import { csiNodeStrategy } from './storage/csi-node.ts'
import { csiStorageCapacityStrategy } from './storage/csi-storage-capacity.ts'
import { storageClassStrategy } from './storage/storage-class.ts'
import { volumeAttachmentStrategy } from './storage/volume-attachment.ts'
import { volumeAttributesClassStrategy } from './storage/volume-attributes-class.ts'

/** What every built-in kind adds to the generic server, by `group/Kind`; the core group is empty: `/Pod`. */
export const builtinStrategies: Record<string, Strategy> = {
  '/ConfigMap': configMapStrategy,
  '/Endpoints': endpointsStrategy,
  '/Event': eventStrategy,
  '/LimitRange': limitRangeStrategy,
  '/Namespace': namespaceStrategy,
  '/Node': nodeStrategy,
  '/PersistentVolume': persistentVolumeStrategy,
  '/PersistentVolumeClaim': persistentVolumeClaimStrategy,
  '/Pod': podStrategy,
  '/PodTemplate': podTemplateStrategy,
  '/ReplicationController': replicationControllerStrategy,
  '/ResourceQuota': resourceQuotaStrategy,
  '/Secret': secretStrategy,
  '/Service': serviceStrategy,
  '/ServiceAccount': serviceAccountStrategy,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': mutatingAdmissionPolicyStrategy,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': mutatingAdmissionPolicyBindingStrategy,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': mutatingWebhookConfigurationStrategy,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': validatingAdmissionPolicyStrategy,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': validatingAdmissionPolicyBindingStrategy,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': validatingWebhookConfigurationStrategy,
  'apiregistration.k8s.io/APIService': apiServiceStrategy,
  'apps/ControllerRevision': controllerRevisionStrategy,
  'apps/DaemonSet': daemonSetStrategy,
  'apps/Deployment': deploymentStrategy,
  'apps/ReplicaSet': replicaSetStrategy,
  'apps/StatefulSet': statefulSetStrategy,
  'autoscaling/HorizontalPodAutoscaler': horizontalPodAutoscalerStrategy,
  'batch/CronJob': cronJobStrategy,
  'batch/Job': jobStrategy,
  'certificates.k8s.io/CertificateSigningRequest': certificateSigningRequestStrategy,
  'coordination.k8s.io/Lease': leaseStrategy,
  'discovery.k8s.io/EndpointSlice': endpointSliceStrategy,
  'events.k8s.io/Event': eventsGroupEventStrategy,
  'flowcontrol.apiserver.k8s.io/FlowSchema': flowSchemaStrategy,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': priorityLevelConfigurationStrategy,
  'networking.k8s.io/Ingress': ingressStrategy,
  'networking.k8s.io/IngressClass': ingressClassStrategy,
  'networking.k8s.io/IPAddress': ipAddressStrategy,
  'networking.k8s.io/NetworkPolicy': networkPolicyStrategy,
  'networking.k8s.io/ServiceCIDR': serviceCidrStrategy,
  'node.k8s.io/RuntimeClass': runtimeClassStrategy,
  'policy/PodDisruptionBudget': podDisruptionBudgetStrategy,
  'rbac.authorization.k8s.io/ClusterRole': clusterRoleStrategy,
  'rbac.authorization.k8s.io/ClusterRoleBinding': clusterRoleBindingStrategy,
  'rbac.authorization.k8s.io/Role': roleStrategy,
  'rbac.authorization.k8s.io/RoleBinding': roleBindingStrategy,
  'resource.k8s.io/DeviceClass': deviceClassStrategy,
  'resource.k8s.io/ResourceClaim': resourceClaimStrategy,
  'resource.k8s.io/ResourceClaimTemplate': resourceClaimTemplateStrategy,
  'resource.k8s.io/ResourceSlice': resourceSliceStrategy,
  'scheduling.k8s.io/PriorityClass': priorityClassStrategy,
  'storage.k8s.io/CSIDriver': csiDriverStrategy,
  'storage.k8s.io/CSINode': csiNodeStrategy,
  'storage.k8s.io/CSIStorageCapacity': csiStorageCapacityStrategy,
  'storage.k8s.io/StorageClass': storageClassStrategy,
  'storage.k8s.io/VolumeAttachment': volumeAttachmentStrategy,
  'storage.k8s.io/VolumeAttributesClass': volumeAttributesClassStrategy,
}
