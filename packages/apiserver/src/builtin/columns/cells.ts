import { type Fields, listAt, textAt, textsAt } from '../fields.ts'

/** What kubectl shows for something that is not there. */
export const orNone = (text: string): string => (text === '' ? '<none>' : text)
export const orUnset = (value: unknown): unknown => value ?? '<unset>'

export const containerNames = (podSpec: Fields): string =>
  listAt(podSpec, 'containers')
    .map(container => textAt(container, 'name'))
    .join(',')
export const containerImages = (podSpec: Fields): string =>
  listAt(podSpec, 'containers')
    .map(container => textAt(container, 'image'))
    .join(',')

/** `a=b,c=d` in order of the names. */
export function formatLabels(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  return orNone(pairs.sort().join(','))
}

const ACCESS_MODES: readonly [mode: string, short: string][] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

export function formatAccessModes(parent: Fields): string {
  const modes = textsAt(parent, 'accessModes')
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

/** Addresses of a load balancer, each once, in order. */
export function loadBalancerAddresses(status: Fields): string[] {
  const addresses = listAt(status, 'ingress').map(ingress => textAt(ingress, 'ip') || textAt(ingress, 'hostname'))
  return [...new Set(addresses.filter(address => address !== ''))].sort()
}

/** The first few of a list, and how many more there are. */
export function firstFew(texts: readonly string[], shown: number, total: number): string {
  const text = texts.slice(0, shown).join(',')
  return total > shown ? `${text} + ${total - shown} more...` : text
}

export const joinHostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
