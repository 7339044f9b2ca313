import { Quantity } from '@tiphys/expressions/quantity'
import { goQuote } from '@tiphys/kube'
import type { Container, Pod } from '@tiphys/kube/kinds'

/** What a pod knows of its place. */
export interface PodPlace {
  nodeName: string
  hostIps: readonly string[]
  podIps: readonly string[]
  /** What a container without limits may use. */
  allocatable: Readonly<Record<string, string>>
}

/** The value of a field that a pod may ask for. Throws for any other, with the kubelet's message. */
export function podField(pod: Pod, fieldPath: string, place: PodPlace): string {
  const { metadata, spec } = pod
  const subscripted = /^(metadata\.(?:annotations|labels))\['([^']+)'\]$/u.exec(fieldPath)
  if (subscripted) {
    const [, path, key = ''] = subscripted
    return (path === 'metadata.labels' ? metadata.labels : metadata.annotations)?.[key] ?? ''
  }
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name ?? ''
    case 'metadata.namespace':
      return metadata.namespace ?? ''
    case 'metadata.uid':
      return metadata.uid ?? ''
    case 'metadata.labels':
      return formatMap(metadata.labels)
    case 'metadata.annotations':
      return formatMap(metadata.annotations)
    case 'spec.nodeName':
      return place.nodeName
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? ''
    case 'status.hostIP':
      return place.hostIps[0] ?? ''
    case 'status.hostIPs':
      return place.hostIps.join(',')
    case 'status.podIP':
      return place.podIps[0] ?? ''
    case 'status.podIPs':
      return place.podIps.join(',')
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`)
  }
}

/** One `key="value"` a line, in the order of the keys. */
const formatMap = (map: Readonly<Record<string, string>> = {}) =>
  Object.entries(map)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .join('\n')

/** The value of `limits.cpu`, `requests.memory`, …, in units of the divisor, rounded up. */
export function resourceField(
  container: Container,
  { resource, divisor }: { resource: string; divisor?: string },
  { allocatable }: PodPlace,
): string {
  const [, list, name = ''] = /^(limits|requests)\.(.+)$/u.exec(resource) ?? []
  if (list === undefined) throw new Error(`unsupported container resource : ${resource}`)
  const own = container.resources?.[list === 'limits' ? 'limits' : 'requests']?.[name]
  const amount = own ?? (list === 'limits' ? allocatable[name] : undefined) ?? '0'
  const unit = milli(divisor === undefined || divisor === '0' ? '1' : divisor)
  return String((milli(amount) + unit - 1n) / unit)
}

/** Thousandths: what the smallest divisor counts. */
const milli = (text: string): bigint => {
  const value = Quantity.parse(text)
  return value.isZero ? 0n : value.scaledValue(-3)
}
