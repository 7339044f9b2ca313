import { type KubeObject, kindRef } from '@tiphys/kube'
import type { EndpointSlice, Node, Pod, Service } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { Pacing } from './pacing.ts'
import { isGoneOrClosing } from './quiet-write.ts'
import { hasOwnEndpoints, selectedPods, servicesOfPod } from './selected-pods.ts'
import { CONTROLLER_NAME, MANAGED_BY, planSlices, SERVICE_NAME } from './slice-plan.ts'
import { TriggerTimes, withTriggerTime } from './trigger-times.ts'

/** Keeps the EndpointSlices of every service that selects pods. */
export function createEndpointSliceController(context: ControllerContext): Controller {
  const { client } = context
  const times = new TriggerTimes()
  const pacing = new Pacing(context.env.clock)
  const services = wakeBy(context, kindRef<Service>('v1', 'Service'), ({ object }) => [keyOfObject(object)])
  const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), change => servicesOfPod(change, services.cache))
  const slices = wakeBy(context, kindRef<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice'), ({ object }) =>
    isManaged(object) ? serviceKeys(object) : [],
  )
  const nodes = wakeBy(context, kindRef<Node>('v1', 'Node'), change => {
    const isOther = change.type !== 'updated' || zoneOf(change.old) !== zoneOf(change.object)
    return isOther ? services.cache.list().filter(hasOwnEndpoints).map(keyOfObject) : []
  })

  return createReconciler(context, {
    name: 'endpointslice-controller',
    wakes: [services, pods, slices, nodes],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const service = services.cache.get(name, namespace)
      if (!service) {
        times.forget(key)
        pacing.forget(key)
      }
      // Slices of a deleted service go with their owner; without a selector they are somebody else's.
      if (!service || !hasOwnEndpoints(service) || service.metadata.deletionTimestamp !== undefined) return undefined
      const selected = selectedPods(service, pods.cache)
      const wait = pacing.wait(key, selected.length)
      if (wait > 0) return wait
      const existing = slices.cache
        .indexBy(serviceKeys)
        .get(key)
        .filter(slice => isManaged(slice) && slice.metadata.deletionTimestamp === undefined)
      const nodeOf = ({ spec }: Pod) => nodes.cache.get(spec?.nodeName ?? '')
      const time = times.next(service, selected)
      const plan = planSlices({ service, pods: selected, nodeOf, existing })
      // One write less where an old slice can become a new one.
      while (plan.create.length > 0 && plan.delete.length > 0) {
        const old = plan.delete.find(slice => isReusable(slice, plan.create[0]))
        if (!old) break
        plan.delete.splice(plan.delete.indexOf(old), 1)
        const { endpoints, ports, metadata } = plan.create.shift() as EndpointSlice
        const reused = { ...old, metadata: { ...old.metadata, labels: metadata.labels }, endpoints, ports }
        plan.update.push(reused as EndpointSlice)
      }
      const annotated = (slice: EndpointSlice): EndpointSlice => ({
        ...slice,
        metadata: { ...slice.metadata, annotations: withTriggerTime(slice.metadata.annotations, time) },
      })
      for (const slice of plan.create) await client.create(annotated(slice)).catch(isGoneOrClosing)
      for (const slice of plan.update) await client.update(annotated(slice))
      for (const slice of plan.delete) await deleteSlice(context, slice)
      return undefined
    },
  })
}

export async function deleteSlice({ client }: ControllerContext, { metadata }: EndpointSlice): Promise<void> {
  const { namespace = '', name = '' } = metadata
  await client.delete({ ...kindRef('discovery.k8s.io/v1', 'EndpointSlice'), namespace, name }).catch(isGoneOrClosing)
}

const isReusable = (slice: EndpointSlice, wanted: EndpointSlice | undefined) =>
  slice.addressType === wanted?.addressType &&
  slice.metadata.ownerReferences?.[0]?.uid === wanted.metadata.ownerReferences?.[0]?.uid

const isManaged = ({ metadata }: KubeObject) => metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME
const zoneOf = ({ metadata }: Node) => metadata.labels?.['topology.kubernetes.io/zone']

/** The key of the service that a slice says it belongs to. */
export const serviceKeys = ({ metadata }: EndpointSlice): readonly string[] => {
  const service = metadata.labels?.[SERVICE_NAME]
  return service === undefined ? [] : [`${metadata.namespace}/${service}`]
}
