import { BlockList, isIP } from 'node:net'
import { asError, RetryableFailure, TerminalFailure } from '@tiphys/env'

/** Where requests may go that manifests and events ask for. Public addresses, and no others unless they are named here. */
export interface OutboundAccess {
  /** Ranges, as `10.0.0.0/8`. */
  readonly allow?: readonly string[]
  /** Addresses of a host name, when not the machine's resolver says it. */
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>
}

export interface ResolvedAddress {
  address: string
  family: number
}

export const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128'] as const
export const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] as const

/** Everything that leads to this machine, its neighbours or many, or that hides another address in itself. */
const REFUSED = [
  ...LOOPBACK_RANGES,
  ...PRIVATE_RANGES,
  '0.0.0.0/8',
  '100.64.0.0/10',
  // Where clouds answer with a machine's credentials.
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

let refusedList: BlockList | undefined
/** Made for those who send requests: reading the ranges takes as long as loading the rest of this package. */
const isRefused = (address: string): boolean => {
  refusedList ??= blockList(REFUSED)
  return contains(refusedList, address)
}

/** The one address that a request to a URL is sent to. It is found once: a name that means another address a moment later
 *  changes nothing. Throws when any of the name's addresses is refused. */
export async function outboundAddress(
  url: URL,
  { allow = [], resolve = resolveName }: OutboundAccess,
): Promise<ResolvedAddress> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses = family === 0 ? await found(host, resolve) : [{ address: host, family }]
  const allowed = blockList(allow)
  for (const { address } of addresses)
    if (isRefused(address) && !contains(allowed, address)) throw refused(url, host, address)
  return addresses[0] as ResolvedAddress
}

/** Reads a URL that a request may be sent to. Odd spellings of addresses (`0x7f.1`) become the usual one. */
export function outboundUrl(text: string): URL {
  let url: URL
  try {
    url = new URL(text)
  } catch (cause) {
    throw new TerminalFailure('outbound-invalid', { what: `${JSON.stringify(text)} is no URL`, cause })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TerminalFailure('outbound-invalid', {
      what: `${JSON.stringify(text)} cannot be requested`,
      why: 'only http and https are',
    })
  return url
}

async function found(
  host: string,
  resolve: (host: string) => Promise<readonly ResolvedAddress[]>,
): Promise<readonly ResolvedAddress[]> {
  let addresses: readonly ResolvedAddress[] = []
  let why = 'it has no address'
  try {
    addresses = await resolve(host)
  } catch (thrown) {
    why = asError(thrown).message
  }
  if (addresses.length > 0) return addresses
  throw new RetryableFailure('outbound-host-unknown', { what: `The host ${host} was not found`, why })
}

async function resolveName(host: string): Promise<ResolvedAddress[]> {
  const { lookup } = await import('node:dns/promises')
  return lookup(host, { all: true })
}

function refused(url: URL, host: string, address: string): TerminalFailure {
  return new TerminalFailure('outbound-address-refused', {
    what: `No request is sent to ${url.origin}`,
    why: host === address ? 'that is not a public address' : `${host} is ${address}, which is not a public address`,
    todo: 'If it may be reached, whoever runs Tiphys has to allow the address',
  })
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (type === 'ipv6' ? 128 : 32)), type)
  }
  return list
}
