import { CelError, type CelValue, noOverloadFor, OpaqueValue, unsupportedConversion } from '../value.ts'
import { goQuote } from './go-text.ts'
import { type Implementation, overload } from './implementation.ts'
import { formatAddress, type IpAddress, isMapped, maskBytes, parseAddress, sharesPrefix } from './ip-address.ts'

class Ip extends OpaqueValue {
  readonly typeName = 'net.IP'
  readonly goType = 'cel.IP'
  readonly address: IpAddress

  constructor(address: IpAddress) {
    super()
    this.address = address
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof Ip)) return noOverloadFor(other)
    return this.toString() === other.toString()
  }

  override size(): number {
    return this.address.bytes.length
  }

  override throughOptional(): CelValue {
    return unsupportedConversion('netip.Addr', this.toString())
  }

  override toString(): string {
    return formatAddress(this.address)
  }
}

class Cidr extends OpaqueValue {
  readonly typeName = 'net.CIDR'
  readonly goType = 'cel.CIDR'
  readonly address: IpAddress
  readonly bits: number

  constructor(address: IpAddress, bits: number) {
    super()
    this.address = address
    this.bits = bits
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof Cidr)) return noOverloadFor(other)
    return this.toString() === other.toString()
  }

  override size(): number {
    return Math.ceil(this.bits / 8)
  }

  override throughOptional(): CelValue {
    return unsupportedConversion('netip.Prefix', this.toString())
  }

  override toString(): string {
    return `${formatAddress(this.address)}/${this.bits}`
  }
}

function parseIp(text: string): Ip | CelError {
  const address = parseAddress(text)
  if (typeof address === 'string') {
    return new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${address}`)
  }
  if (address.zone !== '') return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`)
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  return new Ip(address)
}

function parseCidr(text: string): Cidr | string {
  const failure = (why: string): string =>
    `network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): ${why}`
  const slash = text.lastIndexOf('/')
  if (slash < 0) return failure("no '/'")
  const address = parseAddress(text.slice(0, slash))
  if (typeof address === 'string') return failure(address)
  if (address.zone !== '') return failure('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(slash + 1)
  if (!/^(\d|[1-9]\d*)$/.test(bits) || bits.length > 15) return failure(`bad bits after slash: ${goQuote(bits)}`)
  if (Number(bits) > address.bytes.length * 8) return failure('prefix length out of range')
  if (isMapped(address)) return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`
  return new Cidr(address, Number(bits))
}

function cidr(text: string): CelValue {
  const parsed = parseCidr(text)
  if (parsed instanceof Cidr) return parsed
  return new CelError(`network address parse error during conversion from string: ${parsed}`)
}

function containsIp(range: Cidr, ip: CelValue): CelValue {
  // A string that is no address gives "no such overload", not the reason: the error is not passed on.
  if (!(ip instanceof Ip)) return noOverloadFor(range)
  return sharesPrefix(range.address, ip.address, range.bits)
}

function containsCidr(range: Cidr, other: CelValue): CelValue {
  if (!(other instanceof Cidr)) return noOverloadFor(other)
  return range.bits <= other.bits && sharesPrefix(range.address, other.address, range.bits)
}

const byte = ({ address }: Ip, index: number): number => address.bytes[index] as number
const isIpv4 = ({ address }: Ip): boolean => address.bytes.length === 4
const isUnspecified = ({ address }: Ip): boolean => address.bytes.every(value => value === 0)

function isLoopback(ip: Ip): boolean {
  if (isIpv4(ip)) return byte(ip, 0) === 127
  return ip.address.bytes.every((value, index) => value === (index === 15 ? 1 : 0))
}

function isLinkLocalMulticast(ip: Ip): boolean {
  if (isIpv4(ip)) return byte(ip, 0) === 224 && byte(ip, 1) === 0 && byte(ip, 2) === 0
  return byte(ip, 0) === 0xff && (byte(ip, 1) & 0x0f) === 0x02
}

function isLinkLocalUnicast(ip: Ip): boolean {
  if (isIpv4(ip)) return byte(ip, 0) === 169 && byte(ip, 1) === 254
  return byte(ip, 0) === 0xfe && (byte(ip, 1) & 0xc0) === 0x80
}

function isGlobalUnicast(ip: Ip): boolean {
  const isMulticast = isIpv4(ip) ? (byte(ip, 0) & 0xf0) === 0xe0 : byte(ip, 0) === 0xff
  const isBroadcast = isIpv4(ip) && ip.address.bytes.every(value => value === 255)
  return !isUnspecified(ip) && !isBroadcast && !isLoopback(ip) && !isMulticast && !isLinkLocalUnicast(ip)
}

function isCanonical(text: string): CelValue {
  const ip = parseIp(text)
  return ip instanceof Ip ? ip.toString() === text : ip
}

export const netOverloads: readonly (readonly [string, Implementation])[] = [
  overload('string_to_ip', parseIp),
  overload('is_ip', (text: string) => parseIp(text) instanceof Ip),
  overload('ip_is_canonical', isCanonical),
  overload('ip_to_string', (ip: Ip) => ip.toString()),
  overload('ip_family', (ip: Ip) => (isIpv4(ip) ? 4n : 6n)),
  overload('ip_is_unspecified', isUnspecified),
  overload('ip_is_loopback', isLoopback),
  overload('ip_is_link_local_multicast', isLinkLocalMulticast),
  overload('ip_is_link_local_unicast', isLinkLocalUnicast),
  overload('ip_is_global_unicast', isGlobalUnicast),
  overload('string_to_cidr', cidr),
  overload('is_cidr', (text: string) => parseCidr(text) instanceof Cidr),
  overload('cidr_to_string', (range: Cidr) => range.toString()),
  overload('cidr_contains_ip_string', (range: Cidr, text: string) => containsIp(range, parseIp(text))),
  overload('cidr_contains_ip_ip', containsIp),
  overload('cidr_contains_cidr_string', (range: Cidr, text: string) => containsCidr(range, cidr(text))),
  overload('cidr_contains_cidr', containsCidr),
  overload('cidr_ip', (range: Cidr) => new Ip(range.address)),
  overload('cidr_prefix_length', (range: Cidr) => BigInt(range.bits)),
  overload(
    'cidr_masked',
    (range: Cidr) => new Cidr({ bytes: maskBytes(range.address.bytes, range.bits), zone: '' }, range.bits),
  ),
]
