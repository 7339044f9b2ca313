import type { Pod, PodSpec } from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { hostsFile, podHostname, resolverFile } from './pod-files.ts'

const podWith = (spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop' },
  spec: { containers: [], ...spec },
})

const machine = { nameservers: ['192.0.2.53'], searches: ['example.com'], options: ['edns0'] }

describe('the files of a pod', () => {
  it('name it by its hostname and subdomain', () => {
    const pod = podWith({
      hostname: 'db',
      subdomain: 'cluster',
      hostAliases: [{ ip: '192.0.2.9', hostnames: ['a', 'b'] }],
    })
    const text = hostsFile(pod, ['10.0.0.5'])
    expect(text).toContain('10.0.0.5\tdb.cluster.shop.svc.cluster.local\tdb\n')
    expect(text).toContain('\n# Entries added by HostAliases.\n192.0.2.9\ta\tb\n')
    expect(podHostname({ ...pod, spec: { containers: [], ...pod.spec, setHostnameAsFQDN: true } }).hostname).toBe(
      'db.cluster.shop.svc.cluster.local',
    )
  })

  it.each<[string, Partial<PodSpec>, string]>([
    [
      'the cluster first',
      {},
      'search shop.svc.cluster.local svc.cluster.local cluster.local example.com\nnameserver 10.0.0.2\noptions ndots:5\n',
    ],
    ['the machine', { dnsPolicy: 'Default' }, 'search example.com\nnameserver 192.0.2.53\noptions edns0\n'],
    [
      'the machine, in its network',
      { hostNetwork: true },
      'search example.com\nnameserver 192.0.2.53\noptions edns0\n',
    ],
    [
      'nobody but whom it names',
      {
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['1.2.3.4'], searches: ['x.y'], options: [{ name: 'ndots', value: '1' }] },
      },
      'search x.y\nnameserver 1.2.3.4\noptions ndots:1\n',
    ],
    [
      'the cluster, with its own options',
      { dnsConfig: { options: [{ name: 'ndots', value: '2' }, { name: 'rotate' }] } },
      'search shop.svc.cluster.local svc.cluster.local cluster.local example.com\nnameserver 10.0.0.2\noptions ndots:2 rotate\n',
    ],
  ])('ask %s for names', (_, spec, text) => {
    expect(resolverFile(podWith(spec), ['10.0.0.2'], machine)).toBe(text)
  })
})
