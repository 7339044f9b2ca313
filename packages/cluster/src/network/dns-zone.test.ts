import { describe, expect, test } from 'vitest'
import type { ServiceRoute } from '../runtime/pod-runtime.ts'
import { type DnsRecord, RecordType, ResponseCode } from './dns-message.ts'
import { answerQuestion, createZone } from './dns-zone.ts'
import { parseIpv4Range } from './ipv4.ts'

const service = (name: string, more: Partial<ServiceRoute> = {}): ServiceRoute => ({
  namespace: 'shop',
  name,
  clusterIps: [],
  sessionAffinity: 'None',
  ports: [],
  endpoints: [],
  publishNotReadyAddresses: false,
  ...more,
})

const ready = [
  { ip: '10.244.0.5', hostname: 'db-0', ready: true },
  { ip: '10.244.0.6', hostname: 'db-1', ready: true },
  { ip: '10.244.0.7', ready: true },
  { ip: '10.244.0.8', hostname: 'db-3', ready: false },
]

const zone = createZone({
  domain: 'cluster.local',
  dnsAddress: '10.96.0.10',
  ranges: [parseIpv4Range('10.244.0.0/16'), parseIpv4Range('10.96.0.0/12')],
  services: [
    service('web', {
      clusterIps: ['10.96.3.4'],
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targets: [{ ip: '10.244.0.9', port: 8080 }] },
        { name: '', protocol: 'UDP', port: 99, targets: [] },
      ],
      endpoints: [{ ip: '10.244.0.9', ready: true }],
    }),
    service('db', {
      ports: [{ name: 'pg', protocol: 'TCP', port: 5432, targets: [{ ip: '10.244.0.5', port: 15_432 }] }],
      endpoints: ready,
    }),
    service('eager', { endpoints: ready, publishNotReadyAddresses: true }),
    service('empty', {}),
    service('outside', { externalName: 'example.com.' }),
    service('alias', { externalName: 'web.shop.svc.cluster.local' }),
    service('circle', { externalName: 'circle.shop.svc.cluster.local' }),
    service('wide', { externalName: `${'x'.repeat(70)}.com` }),
  ],
})

function ask(name: string, type: keyof typeof RecordType = 'A', turn = 0) {
  const question = { labels: name.split('.'), type: RecordType[type], class: 1 }
  const answer = answerQuestion(zone, question, turn)
  if (!answer) return 'foreign'
  if (answer.code === ResponseCode.NXDOMAIN) return 'NXDOMAIN'
  if (answer.code !== ResponseCode.NOERROR) return answer.code
  if (answer.answers.length === 0) return 'NODATA'
  return answer.answers.map(show)
}

function show(record: DnsRecord): string {
  if (record.type === 'A') return record.address
  if (record.type === 'SRV') return `${record.priority} ${record.weight} ${record.port} ${record.target.join('.')}`
  if (record.type === 'TXT') return record.text
  if (record.type === 'AAAA') return record.bytes.join(':')
  if (record.type === 'SOA') return record.server.join('.')
  return record.target.join('.')
}

describe('names of services', () => {
  test('a service has its ClusterIP, whatever the case of its name', () => {
    expect(ask('web.shop.svc.cluster.local')).toEqual(['10.96.3.4'])
    expect(ask('WeB.Shop.SVC.cluster.LOCAL')).toEqual(['10.96.3.4'])
  })

  test('a headless service has its ready endpoints, in turn', () => {
    expect(ask('db.shop.svc.cluster.local')).toEqual(['10.244.0.5', '10.244.0.6', '10.244.0.7'])
    expect(ask('db.shop.svc.cluster.local', 'A', 4)).toEqual(['10.244.0.6', '10.244.0.7', '10.244.0.5'])
  })

  test('one that publishes addresses that are not ready has those, too', () => {
    expect(ask('eager.shop.svc.cluster.local')).toHaveLength(4)
    expect(ask('db-3.eager.shop.svc.cluster.local')).toEqual(['10.244.0.8'])
    expect(ask('db-3.db.shop.svc.cluster.local')).toBe('NXDOMAIN')
  })

  test('an endpoint has a name: its hostname, else its address', () => {
    expect(ask('db-1.db.shop.svc.cluster.local')).toEqual(['10.244.0.6'])
    expect(ask('10-244-0-7.db.shop.svc.cluster.local')).toEqual(['10.244.0.7'])
    expect(ask('10-244-0-9.web.shop.svc.cluster.local')).toEqual(['10.244.0.9'])
  })

  test('an ExternalName is an alias, followed as far as the cluster goes', () => {
    expect(ask('outside.shop.svc.cluster.local')).toEqual(['example.com'])
    expect(ask('outside.shop.svc.cluster.local', 'CNAME')).toEqual(['example.com'])
    expect(ask('alias.shop.svc.cluster.local')).toEqual(['web.shop.svc.cluster.local', '10.96.3.4'])
    expect(ask('circle.shop.svc.cluster.local')).not.toHaveLength(0)
    expect(ask('wide.shop.svc.cluster.local')).toBe('NODATA')
  })
})

describe('other records', () => {
  test('named ports have SRV records: one for a service with an address, one for every endpoint of a headless one', () => {
    expect(ask('_http._tcp.web.shop.svc.cluster.local', 'SRV')).toEqual(['0 100 80 web.shop.svc.cluster.local'])
    expect(ask('_pg._tcp.db.shop.svc.cluster.local', 'SRV')).toEqual([
      '0 33 15432 db-0.db.shop.svc.cluster.local',
      '0 33 5432 db-1.db.shop.svc.cluster.local',
      '0 33 5432 10-244-0-7.db.shop.svc.cluster.local',
    ])
    expect(ask('_http._udp.web.shop.svc.cluster.local', 'SRV')).toBe('NXDOMAIN')
    expect(ask('_http._tcp.web.shop.svc.cluster.local', 'A')).toBe('NODATA')
    expect(ask('_tcp.web.shop.svc.cluster.local', 'SRV')).toBe('NODATA')
  })

  test('SRV answers bring the addresses along', () => {
    const labels = '_pg._tcp.db.shop.svc.cluster.local'.split('.')
    const answer = answerQuestion(zone, { labels, type: RecordType.SRV, class: 1 })
    expect(answer?.additional.map(show)).toEqual(['10.244.0.5', '10.244.0.6', '10.244.0.7'])
  })

  test('addresses lead back to names', () => {
    expect(ask('4.3.96.10.in-addr.arpa', 'PTR')).toEqual(['web.shop.svc.cluster.local'])
    expect(ask('5.0.244.10.in-addr.arpa', 'PTR')).toEqual([
      'db-0.db.shop.svc.cluster.local',
      'db-0.eager.shop.svc.cluster.local',
    ])
    expect(ask('1.1.244.10.in-addr.arpa', 'PTR')).toBe('NXDOMAIN')
    expect(ask('1.1.168.192.in-addr.arpa', 'PTR')).toBe('foreign')
  })

  test('a pod has a name made of its address', () => {
    expect(ask('10-244-0-5.shop.pod.cluster.local')).toEqual(['10.244.0.5'])
    expect(ask('nonsense.shop.pod.cluster.local')).toBe('NXDOMAIN')
  })

  test('the zone has its name server, its authority and the version of the names', () => {
    expect(ask('cluster.local', 'NS')).toEqual(['ns.dns.cluster.local'])
    expect(ask('cluster.local', 'SOA')).toEqual(['ns.dns.cluster.local'])
    expect(ask('ns.dns.cluster.local')).toEqual(['10.96.0.10'])
    expect(ask('dns-version.cluster.local', 'TXT')).toEqual(['1.1.0'])
  })
})

describe('what is not there', () => {
  test('a name that exists without the record asked for differs from a name that does not exist', () => {
    for (const name of ['web.shop.svc.cluster.local', 'shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local']) {
      expect(ask(name, 'AAAA')).toBe('NODATA')
    }
    for (const name of [
      'no.shop.svc.cluster.local',
      'web.no.svc.cluster.local',
      'no.svc.cluster.local',
      'no.cluster.local',
    ]) {
      expect(ask(name)).toBe('NXDOMAIN')
    }
  })

  test('a headless service without ready endpoints does not exist', () => {
    expect(ask('empty.shop.svc.cluster.local')).toBe('NXDOMAIN')
  })

  test('both come with the authority that lets askers remember them briefly', () => {
    for (const name of ['no.cluster.local', 'svc.cluster.local']) {
      const answer = answerQuestion(zone, { labels: name.split('.'), type: RecordType.A, class: 1 })
      expect(answer?.authority).toMatchObject([{ type: 'SOA', name: ['cluster', 'local'], negativeTtl: 5 }])
    }
  })

  test('other names are none of the cluster’s', () => {
    for (const name of ['example.com', 'local', 'xcluster.local', 'arpa']) expect(ask(name)).toBe('foreign')
  })

  test('other classes and the transfer of the zone are refused', () => {
    expect(ask('cluster.local', 'AXFR')).toBe(ResponseCode.REFUSED)
    expect(answerQuestion(zone, { labels: ['a'], type: 1, class: 3 })?.code).toBe(ResponseCode.REFUSED)
  })
})
