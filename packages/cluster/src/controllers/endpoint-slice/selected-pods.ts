import { type ObjectChange, type SharedCache } from '@tiphys/kube'
import type { Pod, Service, ServicePort } from '@tiphys/kube/kinds'
import { keyOfObject } from '../controller.ts'

/** Whether the service's endpoints are made from pods. */
export const hasOwnEndpoints = ({ spec }: Service) => spec?.selector !== undefined && spec.type !== 'ExternalName'

export const isSelected = ({ spec }: Service, labels: Readonly<Record<string, string>> = {}) =>
  Object.entries(spec?.selector ?? {}).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)

export const selectedPods = (service: Service, pods: SharedCache<Pod>): readonly Pod[] =>
  pods
    .list(service.metadata.namespace)
    .filter(({ metadata }) => isSelected(service, metadata.labels))
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))

/** The services that a pod's change concerns: those that select it, or did. */
export function* servicesOfPod(change: ObjectChange<Pod>, services: SharedCache<Service>): Iterable<string> {
  const { object } = change
  const old = change.type === 'updated' ? change.old : undefined
  const before = old?.metadata.labels
  for (const service of services.list(object.metadata.namespace)) {
    if (!hasOwnEndpoints(service)) continue
    if (!isSelected(service, object.metadata.labels) && !(before && isSelected(service, before))) continue
    // Looked at last: most pods are selected by no service.
    if (old && !isOtherForServices(old, object)) return
    yield keyOfObject(service)
  }
}

const isOtherForServices = (old: Pod, pod: Pod) => servicesPart(old) !== servicesPart(pod)

const servicesPart = (pod: Pod) =>
  JSON.stringify([
    pod.metadata.labels,
    pod.metadata.deletionTimestamp,
    pod.metadata.uid,
    pod.spec?.nodeName,
    pod.spec?.hostname,
    pod.spec?.subdomain,
    pod.status?.phase,
    pod.status?.podIPs,
    readyCondition(pod)?.status,
  ])

export const readyCondition = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready')
export const isPodReady = (pod: Pod) => readyCondition(pod)?.status === 'True'

/** A pod that has an address and has not ended. */
export const isReachable = ({ status }: Pod) =>
  status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && (status?.podIPs ?? []).length > 0

export const addressOf = (pod: Pod, isIpv6: boolean): string | undefined =>
  pod.status?.podIPs?.find(({ ip }) => ip?.includes(':') === isIpv6)?.ip

export const isHeadless = ({ spec }: Service) => (spec?.clusterIP ?? '') === '' || spec?.clusterIP === 'None'

/** The number of the pod's port that a service port leads to, which may be named. */
export function targetPortOf({ spec }: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (targetPort === undefined) return port
  if (typeof targetPort === 'number') return targetPort
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = ports.find(each => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)
    if (found) return found.containerPort
  }
  return undefined
}

/** The pod's name in DNS below the service's. */
export const hostnameFor = ({ metadata, spec }: Pod, service: Service): string | undefined =>
  spec?.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace
    ? spec.hostname
    : undefined
