import { isIP, isIPv4, isIPv6 } from 'node:net'
import { type FieldError, invalid } from '../field-error.ts'

/** The family of an address as the API's older fields read it: leading zeros of IPv4 parts are allowed. */
export function ipFamily(address: string): 'IPv4' | 'IPv6' | undefined {
  const plain = address.replace(/^(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) =>
    parts
      .slice(0, 4)
      .map(part => String(Number(part)))
      .join('.'),
  )
  if (address.includes('%')) return undefined
  if (isIPv4(plain)) return 'IPv4'
  return isIPv6(address) ? 'IPv6' : undefined
}

export function validateIp(address: string, field: string): FieldError[] {
  if (ipFamily(address) !== undefined) return []
  return [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
}

export function validateCidr(range: string, field: string): FieldError[] {
  if (isCidr(range)) return []
  return [invalid(field, range, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]
}

export function isCidr(range: string): boolean {
  const [address = '', bits = '', ...rest] = range.split('/')
  const family = ipFamily(address)
  if (family === undefined || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  return Number(bits) <= (family === 'IPv4' ? 32 : 128)
}

/** Whether `address` is written in the one form that names of IPAddress objects use. */
export function isCanonicalIp(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  if (version === 4) return address === address.split('.').map(Number).join('.')
  return new URL(`http://[${address}]/`).hostname === `[${address}]`
}
