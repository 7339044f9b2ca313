import type { ServicePortRoute, ServiceRoute } from '../runtime/pod-runtime.ts'
import {
  type Answer,
  CLASS_IN,
  type DnsRecord,
  type Labels,
  type Question,
  RecordType,
  ResponseCode,
} from './dns-message.ts'
import { type Ipv4Range, isInRange, parseIpv4 } from './ipv4.ts'

/** The names of a cluster, prepared for being asked. */
export interface Zone {
  domain: Labels
  dnsAddress: string
  /** Ranges whose reverse names belong to the cluster. */
  ranges: readonly Ipv4Range[]
  /** Service by `name.namespace`. */
  services: ReadonlyMap<string, ServiceRoute>
  namespaces: ReadonlySet<string>
  /** The names that an address leads back to. */
  namesOfAddress: ReadonlyMap<string, readonly Labels[]>
}

export interface ZoneOptions {
  domain: string
  dnsAddress: string
  ranges: readonly Ipv4Range[]
  services: readonly ServiceRoute[]
}

/** Names may change at any time: nobody should remember an answer for long. */
const TTL = 5
const LONGEST_CHAIN = 8

export function createZone({ domain, dnsAddress, ranges, services }: ZoneOptions): Zone {
  const labels = domain.toLowerCase().split('.')
  const namesOfAddress = new Map<string, Labels[]>()
  const remember = (address: string, name: Labels) => {
    const names = namesOfAddress.get(address)
    if (names) names.push(name)
    else namesOfAddress.set(address, [name])
  }
  for (const service of services) {
    const name = [service.name, service.namespace, 'svc', ...labels]
    for (const ip of service.clusterIps) remember(ip, name)
    for (const endpoint of endpointsOf(service)) remember(endpoint.ip, [endpointName(endpoint), ...name])
  }
  return {
    domain: labels,
    dnsAddress,
    ranges,
    services: new Map(services.map(service => [`${service.name}.${service.namespace}`.toLowerCase(), service])),
    namespaces: new Set(services.map(service => service.namespace)),
    namesOfAddress,
  }
}

/** What the cluster says to a question; undefined when the name is none of the cluster's.
 *  `turn` rotates addresses, so that askers who take the first one spread. */
export function answerQuestion(zone: Zone, question: Question, turn = 0): Answer | undefined {
  const name = question.labels.map(label => label.toLowerCase())
  const owner = question.labels
  if (question.class !== CLASS_IN) return { ...EMPTY, code: ResponseCode.REFUSED }
  if (question.type === RecordType.AXFR) return { ...EMPTY, code: ResponseCode.REFUSED }
  const found = endsWith(name, zone.domain)
    ? recordsOf(zone, name.slice(0, -zone.domain.length), owner)
    : reverseRecords(zone, name, owner)
  if (found === 'foreign') return undefined
  if (found === 'none') return { ...EMPTY, code: ResponseCode.NXDOMAIN, authority: [startOfAuthority(zone)] }
  const answers = follow(zone, select(found.records, question.type), question.type)
  if (answers.length === 0) return { ...EMPTY, authority: [startOfAuthority(zone)] }
  return { ...EMPTY, answers: rotate(answers, turn), additional: found.additional ?? [] }
}

const EMPTY: Answer = { code: ResponseCode.NOERROR, answers: [], authority: [], additional: [] }

/** `none`: there is no such name. A name with no records exists, because names below it do. */
type Found = { records: readonly DnsRecord[]; additional?: readonly DnsRecord[] } | 'none'

const EXISTS: Found = { records: [] }

function recordsOf(zone: Zone, name: Labels, owner: Labels): Found {
  const [kind, namespace, ...rest] = name.toReversed()
  const below = rest.toReversed()
  if (kind === undefined) return { records: [{ ...startOfAuthority(zone), name: owner }, nameServer(zone, owner)] }
  switch (kind) {
    case 'svc':
      if (namespace === undefined) return EXISTS
      if (!zone.namespaces.has(namespace)) return 'none'
      return below.length === 0 ? EXISTS : serviceRecords(zone, namespace, below, owner)
    case 'pod':
      return podRecords(namespace, below, owner)
    case 'dns':
      if (namespace === undefined) return EXISTS
      return namespace === 'ns' && below.length === 0 ? { records: [address(owner, zone.dnsAddress)] } : 'none'
    case 'dns-version':
      return namespace === undefined ? { records: [{ type: 'TXT', name: owner, ttl: TTL, text: '1.1.0' }] } : 'none'
    default:
      return 'none'
  }
}

/** `below` ends with the service: `web`, `web-0.web`, `_http._tcp.web`. */
function serviceRecords(zone: Zone, namespace: string, below: Labels, owner: Labels): Found {
  const service = zone.services.get(`${below.at(-1)}.${namespace}`)
  if (!service) return 'none'
  const own = [service.name, service.namespace, 'svc', ...zone.domain]
  const prefix = below.slice(0, -1)
  if (prefix.length === 0) return ownRecords(service, own, owner)
  if (prefix.length === 1) {
    const [label = ''] = prefix
    if (label === '_tcp' || label === '_udp') {
      return service.ports.some(port => protocolLabel(port) === label) ? EXISTS : 'none'
    }
    const endpoints = endpointsOf(service).filter(endpoint => endpointName(endpoint) === label)
    return endpoints.length === 0 ? 'none' : { records: endpoints.map(({ ip }) => address(owner, ip)) }
  }
  const [portName, protocol] = prefix
  const ports = service.ports.filter(
    port => port.name !== '' && `_${port.name}` === portName && protocolLabel(port) === protocol,
  )
  if (prefix.length > 2 || ports.length === 0) return 'none'
  return portRecords(service, ports, own, owner)
}

function ownRecords(service: ServiceRoute, own: Labels, owner: Labels): Found {
  if (service.externalName !== undefined) {
    const target = service.externalName.replace(/\.$/, '').split('.')
    // The API server lets a name through whose parts are longer than DNS has room for.
    if (target.some(label => label.length === 0 || label.length > 63)) return EXISTS
    return { records: [{ type: 'CNAME', name: owner, ttl: TTL, target }] }
  }
  const addresses = service.clusterIps.length > 0 ? service.clusterIps : endpointsOf(service).map(({ ip }) => ip)
  if (addresses.length === 0) return 'none'
  const { records, additional } = portRecords(service, service.ports, own, owner)
  return { records: [...addresses.filter(isIpv4).map(ip => address(owner, ip)), ...records], additional }
}

/** SRV records: a service with an address is one target, a headless one as many as it has endpoints. */
function portRecords(service: ServiceRoute, ports: readonly ServicePortRoute[], own: Labels, owner: Labels) {
  const targets: { port: number; name: Labels; ip: string }[] = []
  for (const port of ports) {
    if (service.clusterIps.length > 0) {
      targets.push(...service.clusterIps.slice(0, 1).map(ip => ({ port: port.port, name: own, ip })))
      continue
    }
    for (const endpoint of endpointsOf(service)) {
      const target = port.targets.find(candidate => candidate !== 'api' && candidate.ip === endpoint.ip)
      const number = target === undefined || target === 'api' ? port.port : target.port
      targets.push({ port: number, name: [endpointName(endpoint), ...own], ip: endpoint.ip })
    }
  }
  const weight = Math.max(1, Math.floor(100 / Math.max(1, targets.length)))
  const records: DnsRecord[] = targets.map(({ port, name }) => {
    return { type: 'SRV', name: owner, ttl: TTL, priority: 0, weight, port, target: name }
  })
  const byName = new Map(targets.map(({ name, ip }) => [name.join('.'), address(name, ip)]))
  return { records, additional: [...byName.values()] }
}

/** `10-244-0-5.default.pod`. */
function podRecords(namespace: string | undefined, below: Labels, owner: Labels): Found {
  if (namespace === undefined || below.length === 0) return EXISTS
  const ip = (below[0] ?? '').replaceAll('-', '.')
  return below.length === 1 && isIpv4(ip) ? { records: [address(owner, ip)] } : 'none'
}

function reverseRecords(zone: Zone, name: Labels, owner: Labels): Found | 'foreign' {
  if (name.at(-1) !== 'arpa' || name.at(-2) !== 'in-addr') return 'foreign'
  const ip = name.slice(0, -2).toReversed().join('.')
  const number = parseIpv4(ip)
  if (number === undefined || !zone.ranges.some(range => isInRange(range, number))) return 'foreign'
  const names = zone.namesOfAddress.get(ip)
  return names ? { records: names.map(target => ({ type: 'PTR', name: owner, ttl: TTL, target })) } : 'none'
}

function select(records: readonly DnsRecord[], type: number): DnsRecord[] {
  return records.filter(
    record =>
      type === RecordType.ANY ||
      RecordType[record.type] === type ||
      (record.type === 'CNAME' && (type === RecordType.A || type === RecordType.AAAA)),
  )
}

/** Adds what an alias leads to as long as that is in the cluster: simple resolvers do not ask again. */
function follow(zone: Zone, records: DnsRecord[], type: number): DnsRecord[] {
  const answers = [...records]
  let last = answers.at(-1)
  for (let step = 0; step < LONGEST_CHAIN && last?.type === 'CNAME' && type === RecordType.A; step++) {
    const target: Labels = last.target
    const name = target.map(label => label.toLowerCase())
    if (!endsWith(name, zone.domain)) break
    const found = recordsOf(zone, name.slice(0, -zone.domain.length), target)
    const next = found === 'none' ? [] : select(found.records, type)
    answers.push(...next)
    last = next.at(-1)
  }
  return answers
}

/** Addresses and services turn; an alias stays before what it leads to. */
function rotate(records: readonly DnsRecord[], turn: number): DnsRecord[] {
  const fixed = records.filter(({ type }) => type !== 'A' && type !== 'SRV')
  const turning = records.filter(({ type }) => type === 'A' || type === 'SRV')
  const start = turning.length === 0 ? 0 : turn % turning.length
  return [...fixed, ...turning.slice(start), ...turning.slice(0, start)]
}

function endpointsOf(service: ServiceRoute) {
  return service.endpoints.filter(({ ip, ready }) => isIpv4(ip) && (ready || service.publishNotReadyAddresses))
}

function endpointName({ ip, hostname }: { ip: string; hostname?: string }): string {
  return (hostname ?? ip.replaceAll('.', '-')).toLowerCase()
}

function protocolLabel({ protocol }: ServicePortRoute): string {
  return `_${protocol.toLowerCase()}`
}

function startOfAuthority(zone: Zone): DnsRecord {
  return {
    type: 'SOA',
    name: zone.domain,
    ttl: TTL,
    server: ['ns', 'dns', ...zone.domain],
    mailbox: ['hostmaster', ...zone.domain],
    serial: 1,
    negativeTtl: TTL,
  }
}

function nameServer(zone: Zone, owner: Labels): DnsRecord {
  return { type: 'NS', name: owner, ttl: TTL, target: ['ns', 'dns', ...zone.domain] }
}

function address(name: Labels, ip: string): DnsRecord {
  return { type: 'A', name, ttl: TTL, address: ip }
}

function isIpv4(text: string): boolean {
  return parseIpv4(text) !== undefined
}

function endsWith(name: Labels, suffix: Labels): boolean {
  return (
    name.length >= suffix.length && suffix.every((label, index) => name[name.length - suffix.length + index] === label)
  )
}
