import { isDeepStrictEqual } from 'node:util'
import { kindRef } from '@tiphys/kube'
import type { Endpoints, Pod, Service } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { endpointSubsets, truncateSubsets } from './endpoint-subsets.ts'
import { Pacing } from './pacing.ts'
import { isGoneOrClosing } from './quiet-write.ts'
import { hasOwnEndpoints, isHeadless, selectedPods, servicesOfPod } from './selected-pods.ts'
import { HEADLESS } from './slice-plan.ts'
import { TriggerTimes, withTriggerTime } from './trigger-times.ts'

export const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by'
const CONTROLLER_NAME = 'endpoint-controller'
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'

/** Keeps the Endpoints object of every service that selects pods, for clients that do not read EndpointSlices. */
export function createEndpointsController(context: ControllerContext): Controller {
  const { client } = context
  const times = new TriggerTimes()
  const pacing = new Pacing(context.env.clock)
  const services = wakeBy(context, kindRef<Service>('v1', 'Service'), ({ object }) => [keyOfObject(object)])
  const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), change => servicesOfPod(change, services.cache))
  const endpoints = wakeBy(context, kindRef<Endpoints>('v1', 'Endpoints'), ({ object }) => [keyOfObject(object)])

  return createReconciler(context, {
    name: 'endpoints-controller',
    wakes: [services, pods, endpoints],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const service = services.cache.get(name, namespace)
      const current = endpoints.cache.get(name, namespace)
      if (!service) {
        times.forget(key)
        pacing.forget(key)
        // Without a service they belong to nobody; those of a leader election are no service's.
        if (!current || current.metadata.labels?.[ENDPOINTS_MANAGED_BY] !== CONTROLLER_NAME) return undefined
        await client.delete({ ...kindRef('v1', 'Endpoints'), namespace, name }).catch(isGoneOrClosing)
        return undefined
      }
      if (!hasOwnEndpoints(service)) return undefined
      const selected = selectedPods(service, pods.cache)
      const wait = pacing.wait(key, selected.length)
      if (wait > 0) return wait
      const { subsets, isTruncated } = truncateSubsets(endpointSubsets(service, selected))
      const labels = labelsFor(service)
      const time = times.next(service, selected)
      const isRight =
        isDeepStrictEqual(current?.subsets ?? [], subsets) && isDeepStrictEqual(current?.metadata.labels, labels)
      if (current && isRight) return undefined
      const { [OVER_CAPACITY]: _, ...others } = withTriggerTime(current?.metadata.annotations, time)
      const annotations = { ...others, ...(isTruncated ? { [OVER_CAPACITY]: 'truncated' } : {}) }
      if (current) await client.update({ ...current, metadata: { ...current.metadata, labels, annotations }, subsets })
      else {
        const metadata = { namespace, name, labels, annotations }
        await client
          .create<Endpoints>({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets })
          .catch(isGoneOrClosing)
      }
      return undefined
    },
  })
}

function labelsFor(service: Service): Record<string, string> {
  const { [HEADLESS]: _, ...own } = service.metadata.labels ?? {}
  return { ...own, ...(isHeadless(service) ? { [HEADLESS]: '' } : {}), [ENDPOINTS_MANAGED_BY]: CONTROLLER_NAME }
}
