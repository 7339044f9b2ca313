import type { KubeObject } from '@tiphys/kube'
import { convertEvent } from '../core/event.ts'
import {
  flagAt,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { formatAge } from './age.ts'
import { firstFew, formatLabels, joinHostPort, loadBalancerAddresses, orNone } from './cells.ts'
import { ageColumn, column, nameColumn, table } from './columns.ts'

const spec = (object: KubeObject) => objectAt(object, 'spec')
const status = (object: KubeObject) => objectAt(object, 'status')

export const namespaceColumns = table(
  nameColumn,
  column('Status', object => textAt(status(object), 'phase')),
  ageColumn,
)

export const serviceAccountColumns = table(nameColumn, ageColumn)

const entries = (object: KubeObject, name: string) => Object.keys(textMapAt(object, name)).length
export const configMapColumns = table(
  nameColumn,
  column('Data', object => entries(object, 'data') + entries(object, 'binaryData')),
  ageColumn,
)

export const secretColumns = table(
  nameColumn,
  column('Type', object => textAt(object, 'type')),
  column('Data', object => entries(object, 'data')),
  ageColumn,
)

export const serviceColumns = table(
  nameColumn,
  column('Type', object => textAt(spec(object), 'type')),
  column('Cluster-IP', object => textsAt(spec(object), 'clusterIPs')[0] ?? '<none>'),
  column('External-IP', externalAddress),
  column('Port(s)', servicePorts),
  ageColumn,
  column('Selector', object => formatLabels(textMapAt(spec(object), 'selector')), { wide: true }),
)

function externalAddress(service: KubeObject): string {
  const external = textsAt(spec(service), 'externalIPs')
  switch (textAt(spec(service), 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(external.join(','))
    case 'LoadBalancer': {
      const addresses = [...loadBalancerAddresses(objectAt(status(service), 'loadBalancer')), ...external]
      return addresses.length === 0 ? '<pending>' : addresses.join(',')
    }
    case 'ExternalName':
      return textAt(spec(service), 'externalName')
    default:
      return '<unknown>'
  }
}

function servicePorts(service: KubeObject): string {
  const ports = listAt(spec(service), 'ports').map(port => {
    const nodePort = numberAt(port, 'nodePort')
    return `${numberAt(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(port, 'protocol')}`
  })
  return orNone(ports.join(','))
}

export const endpointsColumns = table(nameColumn, column('Endpoints', formatEndpoints), ageColumn)

function formatEndpoints(endpoints: KubeObject): string {
  const subsets = listAt(endpoints, 'subsets')
  if (subsets.length === 0) return '<none>'
  const addresses = subsets.flatMap(subset => {
    const ips = listAt(subset, 'addresses').map(address => textAt(address, 'ip'))
    const ports = listAt(subset, 'ports')
    if (ports.length === 0) return ips
    return ports.flatMap(port => ips.map(ip => joinHostPort(ip, numberAt(port, 'port'))))
  })
  return firstFew(addresses, 3, addresses.length)
}

export const nodeColumns = table(
  nameColumn,
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  ageColumn,
  column('Version', object => textAt(nodeInfo(object), 'kubeletVersion')),
  column('Internal-IP', object => nodeAddress(object, 'InternalIP'), { wide: true }),
  column('External-IP', object => nodeAddress(object, 'ExternalIP'), { wide: true }),
  column('OS-Image', object => textAt(nodeInfo(object), 'osImage') || '<unknown>', { wide: true }),
  column('Kernel-Version', kernelVersion, { wide: true }),
  column('Container-Runtime', object => textAt(nodeInfo(object), 'containerRuntimeVersion') || '<unknown>', {
    wide: true,
  }),
)

const nodeInfo = (node: KubeObject) => objectAt(status(node), 'nodeInfo')

function kernelVersion(node: KubeObject): string {
  const architecture = textAt(nodeInfo(node), 'architecture')
  const version = textAt(nodeInfo(node), 'kernelVersion') || '<unknown>'
  return architecture === '' ? version : `${version} (${architecture})`
}

function nodeStatus(node: KubeObject): string {
  const ready = listAt(status(node), 'conditions').findLast(condition => textAt(condition, 'type') === 'Ready')
  const words = [ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady']
  if (flagAt(spec(node), 'unschedulable')) words.push('SchedulingDisabled')
  return words.join(',')
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeRoles(node: KubeObject): string {
  const roles = new Set<string>()
  for (const [name, value] of Object.entries(node.metadata.labels ?? {})) {
    if (name.startsWith(ROLE_PREFIX) && name !== ROLE_PREFIX) roles.add(name.slice(ROLE_PREFIX.length))
    else if (name === 'kubernetes.io/role' && value !== '') roles.add(value)
  }
  return orNone([...roles].sort().join(','))
}

function nodeAddress(node: KubeObject, type: string): string {
  const address = listAt(status(node), 'addresses').find(each => textAt(each, 'type') === type)
  return address === undefined ? '<none>' : textAt(address, 'address')
}

const asCore = (event: KubeObject) => (event.apiVersion === 'v1' ? event : convertEvent(event, 'v1'))

export const eventColumns = table(
  column('Last Seen', lastSeen),
  column('Type', event => textAt(event, 'type')),
  column('Reason', event => textAt(event, 'reason')),
  column('Object', event => {
    const involved = objectAt(asCore(event), 'involvedObject')
    const kind = textAt(involved, 'kind').toLowerCase()
    return textAt(involved, 'name') === '' ? kind : `${kind}/${textAt(involved, 'name')}`
  }),
  column('Subobject', event => textAt(objectAt(asCore(event), 'involvedObject'), 'fieldPath'), { wide: true }),
  column('Source', eventSource, { wide: true }),
  column('Message', event => textAt(asCore(event), 'message').trim()),
  column('First Seen', firstSeen, { wide: true }),
  column('Count', eventCount, { wide: true }),
  column('Name', event => event.metadata.name ?? '', { format: 'name', wide: true }),
)

function firstSeen(event: KubeObject, now: number): string {
  const core = asCore(event)
  return formatAge(textAt(core, 'firstTimestamp') || textAt(core, 'eventTime'), now)
}

function lastSeen(event: KubeObject, now: number): string {
  const core = asCore(event)
  const series = optionalObjectAt(core, 'series')
  if (series !== undefined) return formatAge(textAt(series, 'lastObservedTime'), now)
  const last = textAt(core, 'lastTimestamp')
  return last === '' ? firstSeen(event, now) : formatAge(last, now)
}

function eventCount(event: KubeObject): number {
  const core = asCore(event)
  const series = optionalObjectAt(core, 'series')
  return series === undefined ? numberAt(core, 'count') || 1 : numberAt(series, 'count')
}

function eventSource(event: KubeObject): string {
  const core = asCore(event)
  const component = textAt(objectAt(core, 'source'), 'component') || textAt(core, 'reportingComponent')
  const host = textAt(objectAt(core, 'source'), 'host') || textAt(core, 'reportingInstance')
  return host === '' ? component : `${component}, ${host}`
}

export const resourceQuotaColumns = table(
  nameColumn,
  column('Request', quota => formatQuota(quota, false)),
  column('Limit', quota => formatQuota(quota, true)),
  ageColumn,
)

function formatQuota(quota: KubeObject, isLimit: boolean): string {
  const used = textMapAt(status(quota), 'used')
  return Object.entries(textMapAt(status(quota), 'hard'))
    .filter(([name]) => name.startsWith('limits.') === isLimit)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${used[name] ?? '0'}/${hard}`)
    .join(', ')
}

export const leaseColumns = table(
  nameColumn,
  column('Holder', object => optionalTextAt(spec(object), 'holderIdentity') ?? ''),
  ageColumn,
)

export const certificateSigningRequestColumns = table(
  nameColumn,
  ageColumn,
  column('SignerName', object => orNone(textAt(spec(object), 'signerName'))),
  column('Requestor', object => textAt(spec(object), 'username')),
  column('RequestedDuration', (object, now) => {
    if (!isPresent(spec(object), 'expirationSeconds')) return '<none>'
    const seconds = numberAt(spec(object), 'expirationSeconds')
    return formatAge(new Date(now - seconds * 1000).toISOString(), now)
  }),
  column('Condition', requestCondition),
)

function requestCondition(request: KubeObject): string {
  const has = (type: string) => listAt(status(request), 'conditions').some(each => textAt(each, 'type') === type)
  const words = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending']
  if (has('Failed')) words.push('Failed')
  if (textAt(status(request), 'certificate') !== '') words.push('Issued')
  return words.join(',')
}
