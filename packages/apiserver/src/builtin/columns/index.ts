import type { TableColumns } from '../../table/table-columns.ts'
import {
  admissionPolicyBindingColumns,
  apiServiceColumns,
  customResourceDefinitionColumns,
  mutatingAdmissionPolicyColumns,
  priorityClassColumns,
  roleBindingColumns,
  runtimeClassColumns,
  validatingAdmissionPolicyColumns,
  webhookConfigurationColumns,
} from './cluster.ts'
import { createdAtColumn, nameColumn, table } from './columns.ts'
import {
  certificateSigningRequestColumns,
  configMapColumns,
  endpointsColumns,
  eventColumns,
  leaseColumns,
  namespaceColumns,
  nodeColumns,
  resourceQuotaColumns,
  secretColumns,
  serviceAccountColumns,
  serviceColumns,
} from './core.ts'
import { resourceClaimColumns } from './dynamic-resource.ts'
import {
  endpointSliceColumns,
  flowSchemaColumns,
  ingressClassColumns,
  ingressColumns,
  ipAddressColumns,
  networkPolicyColumns,
  priorityLevelConfigurationColumns,
  serviceCidrColumns,
} from './networking.ts'
import { podColumns } from './pods.ts'
import {
  csiDriverColumns,
  csiNodeColumns,
  persistentVolumeClaimColumns,
  persistentVolumeColumns,
  storageClassColumns,
  volumeAttachmentColumns,
  volumeAttributesClassColumns,
} from './storage.ts'
import {
  controllerRevisionColumns,
  cronJobColumns,
  daemonSetColumns,
  deploymentColumns,
  horizontalPodAutoscalerColumns,
  jobColumns,
  podDisruptionBudgetColumns,
  podTemplateColumns,
  replicaSetColumns,
  replicationControllerColumns,
  statefulSetColumns,
} from './workloads.ts'

const PLAIN: TableColumns = table(nameColumn, createdAtColumn)

const COLUMNS: Record<string, TableColumns> = {
  '/ConfigMap': configMapColumns,
  '/Endpoints': endpointsColumns,
  '/Event': eventColumns,
  '/Namespace': namespaceColumns,
  '/Node': nodeColumns,
  '/PersistentVolume': persistentVolumeColumns,
  '/PersistentVolumeClaim': persistentVolumeClaimColumns,
  '/Pod': podColumns,
  '/PodTemplate': podTemplateColumns,
  '/ReplicationController': replicationControllerColumns,
  '/ResourceQuota': resourceQuotaColumns,
  '/Secret': secretColumns,
  '/Service': serviceColumns,
  '/ServiceAccount': serviceAccountColumns,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': mutatingAdmissionPolicyColumns,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': admissionPolicyBindingColumns,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookConfigurationColumns,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': validatingAdmissionPolicyColumns,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': admissionPolicyBindingColumns,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookConfigurationColumns,
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinitionColumns,
  'apiregistration.k8s.io/APIService': apiServiceColumns,
  'apps/ControllerRevision': controllerRevisionColumns,
  'apps/DaemonSet': daemonSetColumns,
  'apps/Deployment': deploymentColumns,
  'apps/ReplicaSet': replicaSetColumns,
  'apps/StatefulSet': statefulSetColumns,
  'autoscaling/HorizontalPodAutoscaler': horizontalPodAutoscalerColumns,
  'batch/CronJob': cronJobColumns,
  'batch/Job': jobColumns,
  'certificates.k8s.io/CertificateSigningRequest': certificateSigningRequestColumns,
  'coordination.k8s.io/Lease': leaseColumns,
  'discovery.k8s.io/EndpointSlice': endpointSliceColumns,
  'events.k8s.io/Event': eventColumns,
  'flowcontrol.apiserver.k8s.io/FlowSchema': flowSchemaColumns,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': priorityLevelConfigurationColumns,
  'networking.k8s.io/Ingress': ingressColumns,
  'networking.k8s.io/IngressClass': ingressClassColumns,
  'networking.k8s.io/IPAddress': ipAddressColumns,
  'networking.k8s.io/NetworkPolicy': networkPolicyColumns,
  'networking.k8s.io/ServiceCIDR': serviceCidrColumns,
  'node.k8s.io/RuntimeClass': runtimeClassColumns,
  'policy/PodDisruptionBudget': podDisruptionBudgetColumns,
  'rbac.authorization.k8s.io/ClusterRoleBinding': roleBindingColumns,
  'rbac.authorization.k8s.io/RoleBinding': roleBindingColumns,
  'resource.k8s.io/ResourceClaim': resourceClaimColumns,
  'scheduling.k8s.io/PriorityClass': priorityClassColumns,
  'storage.k8s.io/CSIDriver': csiDriverColumns,
  'storage.k8s.io/CSINode': csiNodeColumns,
  'storage.k8s.io/StorageClass': storageClassColumns,
  'storage.k8s.io/VolumeAttachment': volumeAttachmentColumns,
  'storage.k8s.io/VolumeAttributesClass': volumeAttributesClassColumns,
}

/** How `kubectl get` shows a built-in kind; the name and the creation for kinds without columns of their own. */
export function builtinColumns(group: string, kind: string): TableColumns {
  return COLUMNS[`${group}/${kind}`] ?? PLAIN
}
