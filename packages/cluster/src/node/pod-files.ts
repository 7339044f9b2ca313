import { readFile } from 'node:fs/promises'
import type { Pod } from '@tiphys/kube/kinds'

export const CLUSTER_DOMAIN = 'cluster.local'

/** What the kernel takes. */
const LONGEST_HOSTNAME = 63

/** The name that the pod's containers have, and the domain it is in if it has one. */
export function podHostname({ metadata, spec }: Pod): { hostname: string; domain: string } {
  if (spec?.hostnameOverride) return { hostname: spec.hostnameOverride, domain: '' }
  const short = (spec?.hostname || metadata.name || '').slice(0, LONGEST_HOSTNAME).replace(/[-.]+$/u, '')
  const domain = spec?.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}` : ''
  return { hostname: spec?.setHostnameAsFQDN && domain !== '' ? `${short}.${domain}` : short, domain }
}

/** /etc/hosts of a pod with a network of its own. */
export function hostsFile(pod: Pod, ips: readonly string[]): string {
  const { hostname, domain } = podHostname(pod)
  const names = domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`
  return [
    '# Kubernetes-managed hosts file.',
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::0\tip6-localnet',
    'fe00::0\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
    ...ips.map(ip => `${ip}\t${names}`),
    aliasLines(pod),
  ].join('\n')
}

/** /etc/hosts of a pod in the machine's network: the machine's own, and the pod's aliases. */
export const hostNetworkHostsFile = (pod: Pod, machine: string): string =>
  `# Kubernetes-managed hosts file (host network).\n${machine}${aliasLines(pod)}`

function aliasLines({ spec }: Pod): string {
  const aliases = spec?.hostAliases ?? []
  if (aliases.length === 0) return ''
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`)
  return `\n# Entries added by HostAliases.\n${lines.join('')}`
}

export interface Resolver {
  nameservers: readonly string[]
  searches: readonly string[]
  options: readonly string[]
}

/** /etc/resolv.conf, from the pod's policy and configuration. `clusterDns` is empty where the cluster has no DNS. */
export function resolverFile({ metadata, spec }: Pod, clusterDns: readonly string[], machine: Resolver): string {
  const policy = spec?.dnsPolicy ?? 'ClusterFirst'
  const isCluster = policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && !spec?.hostNetwork)
  const base =
    policy === 'None'
      ? { nameservers: [], searches: [], options: [] }
      : isCluster && clusterDns.length > 0
        ? clusterResolver(metadata.namespace ?? '', clusterDns, machine)
        : machine
  const { nameservers = [], searches = [], options = [] } = spec?.dnsConfig ?? {}
  const own = options.map(({ name, value }) => (value ? `${name}:${value}` : (name ?? '')))
  const isOverridden = (option: string) => own.some(each => each.split(':')[0] === option.split(':')[0])
  const all = {
    nameservers: unique([...base.nameservers, ...nameservers]).slice(0, 3),
    searches: unique([...base.searches, ...searches]).slice(0, 32),
    options: [...base.options.filter(option => !isOverridden(option)), ...own],
  }
  return [
    ...(all.searches.length > 0 ? [`search ${all.searches.join(' ')}`] : []),
    ...all.nameservers.map(address => `nameserver ${address}`),
    ...(all.options.length > 0 ? [`options ${all.options.join(' ')}`] : []),
    '',
  ].join('\n')
}

const clusterResolver = (namespace: string, nameservers: readonly string[], machine: Resolver): Resolver => ({
  nameservers,
  searches: [`${namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN, ...machine.searches],
  options: ['ndots:5'],
})

const unique = (values: readonly string[]) => [...new Set(values)]

/** What this machine itself uses. */
export async function machineResolver(): Promise<Resolver> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const values = (keyword: string) =>
    text
      .split('\n')
      .filter(line => line.startsWith(`${keyword} `) || line.startsWith(`${keyword}\t`))
      .flatMap(line => line.split(/\s+/u).slice(1).filter(Boolean))
  return { nameservers: values('nameserver'), searches: values('search'), options: values('options') }
}
