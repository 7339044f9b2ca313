import { kindRef } from '@tiphys/kube'
import type { Endpoint, EndpointSlice, Service, ServicePort } from '@tiphys/kube/kinds'
import type { Controller, ControllerContext } from '../controllers/controller.ts'
import type { ServicePortRoute, ServiceRoute } from '../runtime/pod-runtime.ts'

const SERVICE_NAME = 'kubernetes.io/service-name'

/** Where every service leads. The API's own service leads to the API, wherever that listens. */
export function serviceRoutes(services: readonly Service[], slices: readonly EndpointSlice[]): ServiceRoute[] {
  const slicesOf = new Map<string, EndpointSlice[]>()
  for (const slice of slices) {
    const key = `${slice.metadata.namespace}/${slice.metadata.labels?.[SERVICE_NAME] ?? ''}`
    const known = slicesOf.get(key)
    if (known) known.push(slice)
    else slicesOf.set(key, [slice])
  }
  return services
    .map(service => routeOf(service, slicesOf.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? []))
    .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name))
}

function routeOf(service: Service, slices: readonly EndpointSlice[]): ServiceRoute {
  const { spec } = service
  const { namespace = '', name = '' } = service.metadata
  const isApi = namespace === 'default' && name === 'kubernetes'
  const clusterIps = (spec?.clusterIPs ?? (spec?.clusterIP ? [spec.clusterIP] : [])).filter(
    ip => ip !== 'None' && ip !== '',
  )
  const { externalName } = spec ?? {}
  return {
    namespace,
    name,
    clusterIps,
    ...(spec?.type === 'ExternalName' && externalName ? { externalName } : {}),
    sessionAffinity: spec?.sessionAffinity === 'ClientIP' ? 'ClientIP' : 'None',
    ports: (spec?.ports ?? []).filter(isRouted).map(port => portRoute(port, slices, isApi)),
    endpoints: isApi ? [] : endpointsOf(slices),
    publishNotReadyAddresses: spec?.publishNotReadyAddresses === true,
  }
}

const isRouted = ({ protocol = 'TCP' }: ServicePort) => protocol === 'TCP' || protocol === 'UDP'

function portRoute(servicePort: ServicePort, slices: readonly EndpointSlice[], isApi: boolean): ServicePortRoute {
  const { name = '', protocol, port, nodePort } = servicePort
  return {
    name,
    protocol: protocol === 'UDP' ? 'UDP' : 'TCP',
    port,
    ...(nodePort ? { nodePort } : {}),
    targets: isApi ? ['api'] : targetsOf(name, slices),
  }
}

/** Ready endpoints; where there are none, those that are going away but still serve. */
function targetsOf(portName: string, slices: readonly EndpointSlice[]): { ip: string; port: number }[] {
  const ready: { ip: string; port: number }[] = []
  const leaving: { ip: string; port: number }[] = []
  for (const { ports, endpoints } of slices) {
    const number = (ports ?? []).find(port => (port.name ?? '') === portName)?.port
    if (number === undefined) continue
    for (const endpoint of endpoints ?? []) {
      const target = { ip: endpoint.addresses[0] ?? '', port: number }
      if (isReady(endpoint)) ready.push(target)
      else if (endpoint.conditions?.serving && endpoint.conditions.terminating) leaving.push(target)
    }
  }
  return (ready.length > 0 ? ready : leaving).sort((a, b) => compare(a.ip, b.ip) || a.port - b.port)
}

function endpointsOf(slices: readonly EndpointSlice[]): ServiceRoute['endpoints'][number][] {
  const byIp = new Map<string, ServiceRoute['endpoints'][number]>()
  for (const endpoint of slices.flatMap(slice => slice.endpoints ?? [])) {
    const { addresses, hostname } = endpoint
    const ip = addresses[0] ?? ''
    const ready = isReady(endpoint) || (byIp.get(ip)?.ready ?? false)
    byIp.set(ip, { ip, ...(hostname ? { hostname } : {}), ready })
  }
  return [...byIp.values()].sort((a, b) => compare(a.ip, b.ip))
}

/** Not to know counts as ready. */
const isReady = ({ conditions }: Endpoint) => conditions?.ready !== false
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** How long changes are gathered before the routes are made anew. */
const GATHERING_MS = 20

/** Keeps the routes of a network up to date. */
export function followServices(
  { caches, env }: Pick<ControllerContext, 'caches' | 'env'>,
  setServices: (services: readonly ServiceRoute[]) => void,
): Controller {
  const services = caches.acquire(kindRef<Service>('v1', 'Service'))
  const slices = caches.acquire(kindRef<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice'))
  let isDue = false
  let isSynced = false
  let timer = { cancel() {} }
  const tell = () => {
    isDue = false
    setServices(serviceRoutes(services.list(), slices.list()))
  }
  const tellSoon = () => {
    if (isDue || !isSynced) return
    isDue = true
    timer = env.clock.schedule(GATHERING_MS, tell)
  }
  services.subscribe(tellSoon)
  slices.subscribe(tellSoon)
  Promise.all([services.whenSynced(), slices.whenSynced()]).then(
    () => {
      isSynced = true
      tell()
    },
    // The cache was stopped, or has said why it failed.
    () => {},
  )
  return {
    name: 'service-routes',
    isIdle: () => isSynced && !isDue,
    async stop() {
      isSynced = false
      timer.cancel()
      services.release()
      slices.release()
    },
  }
}
