import { isDeepStrictEqual } from 'node:util'
import { kindRef } from '@tiphys/kube'
import type { Endpoint, EndpointAddress, EndpointSlice, EndpointSubset, Endpoints, Service } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { deleteSlice, serviceKeys } from './endpoint-slice-controller.ts'
import { isGoneOrClosing } from './quiet-write.ts'
import { MANAGED_BY, SERVICE_NAME, slicePrefix } from './slice-plan.ts'
import { TRIGGER_TIME } from './trigger-times.ts'

const CONTROLLER_NAME = 'endpointslicemirroring-controller.k8s.io'
const SKIP = 'endpointslice.kubernetes.io/skip-mirror'
const LEADER = 'control-plane.alpha.kubernetes.io/leader'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const MOST_ADDRESSES = 1000

/** Copies Endpoints that somebody wrote by hand, for a service without a selector, to EndpointSlices. */
export function createSliceMirroringController(context: ControllerContext): Controller {
  const { client } = context
  const endpoints = wakeBy(context, kindRef<Endpoints>('v1', 'Endpoints'), ({ object }) => [keyOfObject(object)])
  const services = wakeBy(context, kindRef<Service>('v1', 'Service'), ({ object }) => [keyOfObject(object)])
  const slices = wakeBy(context, kindRef<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice'), ({ object }) =>
    isMirrored(object) ? serviceKeys(object) : [],
  )
  return createReconciler(context, {
    name: 'endpointslicemirroring-controller',
    wakes: [endpoints, services, slices],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const original = endpoints.cache.get(name, namespace)
      const service = services.cache.get(name, namespace)
      const existing = slices.cache.indexBy(serviceKeys).get(key).filter(isMirrored)
      const isWanted = original && isForMirroring(original) && service && service.spec?.selector === undefined
      const wanted = isWanted ? mirrorOf(original) : []
      const left = [...existing]
      for (const slice of wanted) {
        const at = left.findIndex(each => hasSameShape(each, slice))
        const [current] = at < 0 ? [] : left.splice(at, 1)
        if (!current) await client.create(slice).catch(isGoneOrClosing)
        else if (!isSame(current, slice)) await client.update(overwritten(current, slice))
      }
      for (const slice of left) await deleteSlice(context, slice)
      return undefined
    },
  })
}

const isMirrored = ({ metadata }: EndpointSlice) => metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME

const isForMirroring = ({ metadata }: Endpoints) =>
  metadata.labels?.[SKIP] !== 'true' && metadata.annotations?.[LEADER] === undefined

const hasSameShape = (one: EndpointSlice, other: EndpointSlice) =>
  one.addressType === other.addressType && isDeepStrictEqual(one.ports ?? [], other.ports ?? [])

const isSame = (current: EndpointSlice, wanted: EndpointSlice) =>
  isDeepStrictEqual(current.endpoints ?? [], wanted.endpoints) &&
  isDeepStrictEqual(current.metadata.labels, wanted.metadata.labels) &&
  isDeepStrictEqual(current.metadata.annotations ?? {}, wanted.metadata.annotations)

const overwritten = (current: EndpointSlice, { metadata, endpoints }: EndpointSlice): EndpointSlice => ({
  ...current,
  metadata: { ...current.metadata, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} },
  endpoints: endpoints ?? [],
})

/** One slice for every subset and family of addresses. */
export function mirrorOf(endpoints: Endpoints): EndpointSlice[] {
  return (endpoints.subsets ?? []).flatMap(subset =>
    ['IPv4', 'IPv6'].flatMap(addressType => {
      const mirrored = endpointsOf(subset).filter(({ addresses }) => familyOf(addresses[0] ?? '') === addressType)
      return mirrored.length === 0 ? [] : [sliceOf(endpoints, subset, addressType, mirrored)]
    }),
  )
}

const familyOf = (ip: string) => (ip.includes(':') ? 'IPv6' : 'IPv4')

function endpointsOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): Endpoint[] {
  const endpointOf = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  })
  const all = [
    ...addresses.map(address => endpointOf(address, true)),
    ...notReadyAddresses.map(address => endpointOf(address, false)),
  ]
  return all.slice(0, MOST_ADDRESSES)
}

function sliceOf(
  { metadata }: Endpoints,
  { ports = [] }: EndpointSubset,
  addressType: string,
  endpoints: Endpoint[],
): EndpointSlice {
  const { namespace = '', name = '', uid = '', labels = {}, annotations = {} } = metadata
  const { [TRIGGER_TIME]: _time, [LAST_APPLIED]: _applied, ...copied } = annotations
  const owner = { apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      generateName: slicePrefix(name),
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME },
      annotations: copied,
      ownerReferences: [owner],
    },
    addressType,
    endpoints,
    ports: ports.map(({ name: portName = '', port, protocol = 'TCP', appProtocol }) => ({
      name: portName,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    })),
  }
}
