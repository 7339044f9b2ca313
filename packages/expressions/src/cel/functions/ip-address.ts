import { goQuote } from './go-text.ts'

/** An IP address: 4 or 16 bytes, and the zone that only IPv6 has. */
export interface IpAddress {
  readonly bytes: readonly number[]
  readonly zone: string
}

/** Parses as Go's netip.ParseAddr does; gives the text of its error when it cannot. */
export function parseAddress(text: string): IpAddress | string {
  const first = /[.:%]/.exec(text)?.[0]
  if (first === '.') {
    const bytes = parseIpv4(text, text)
    return typeof bytes === 'string' ? bytes : { bytes, zone: '' }
  }
  if (first === ':') return parseIpv6(text)
  return problem(text, first === '%' ? 'missing IPv6 address' : 'unable to parse IP')
}

function problem(text: string, message: string, at = ''): string {
  const where = at === '' ? '' : ` (at ${goQuote(at)})`
  return `ParseAddr(${goQuote(text)}): ${message}${where}`
}

function parseIpv4(text: string, part: string): number[] | string {
  const bytes: number[] = []
  let value = 0
  let digits = 0
  for (let index = 0; index < part.length; index++) {
    const character = part[index] as string
    if (character >= '0' && character <= '9') {
      if (digits === 1 && value === 0) return problem(text, 'IPv4 field has octet with leading zero')
      value = value * 10 + Number(character)
      digits++
      if (value > 255) return problem(text, 'IPv4 field has value >255')
    } else if (character === '.') {
      if (index === 0 || index === part.length - 1 || part[index - 1] === '.') {
        return problem(text, 'IPv4 field must have at least one digit', part.slice(index))
      }
      if (bytes.length === 3) return problem(text, 'IPv4 address too long')
      bytes.push(value)
      value = 0
      digits = 0
    } else {
      return problem(text, 'unexpected character', part.slice(index))
    }
  }
  if (bytes.length < 3) return problem(text, 'IPv4 address too short')
  return [...bytes, value]
}

function parseIpv6(text: string): IpAddress | string {
  const percent = text.indexOf('%')
  const zone = percent === -1 ? '' : text.slice(percent + 1)
  if (percent !== -1 && zone === '') return problem(text, 'zone must be a non-empty string')
  let rest = percent === -1 ? text : text.slice(0, percent)
  const bytes: number[] = []
  let ellipsis = -1
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
    if (rest === '') return { bytes: zeros(16), zone }
  }
  while (bytes.length < 16) {
    const group = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
    if (group.length > 4) return problem(text, 'each group must have 4 or less digits', rest)
    if (group === '') {
      return problem(text, 'each colon-separated field must have at least one digit', rest)
    }
    if (rest[group.length] === '.') {
      const embedded = parseEmbedded(text, rest, bytes.length, ellipsis)
      if (typeof embedded === 'string') return embedded
      bytes.push(...embedded)
      rest = ''
      break
    }
    const value = Number.parseInt(group, 16)
    bytes.push(value >> 8, value & 0xff)
    rest = rest.slice(group.length)
    if (rest === '') break
    if (rest[0] !== ':') return problem(text, 'unexpected character, want colon', rest)
    if (rest.length === 1) return problem(text, 'colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (rest[0] === ':') {
      if (ellipsis >= 0) return problem(text, 'multiple :: in address', rest)
      ellipsis = bytes.length
      rest = rest.slice(1)
      if (rest === '') break
    }
  }
  if (rest !== '') return problem(text, 'trailing garbage after address', rest)
  if (bytes.length < 16) {
    if (ellipsis < 0) return problem(text, 'address string too short')
    bytes.splice(ellipsis, 0, ...zeros(16 - bytes.length))
  } else if (ellipsis >= 0) {
    return problem(text, 'the :: must expand to at least one field of zeros')
  }
  return { bytes, zone }
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0)
}

function parseEmbedded(text: string, rest: string, position: number, ellipsis: number): number[] | string {
  if (ellipsis < 0 && position !== 12) {
    return problem(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
  }
  if (position + 4 > 16) {
    return problem(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  }
  return parseIpv4(text, rest)
}

export function isMapped({ bytes }: IpAddress): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every(byte => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
}

/** The canonical text: the longest run of two or more zero groups becomes `::`. */
export function formatAddress({ bytes, zone }: IpAddress): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from(
    { length: 8 },
    (_, index) => (bytes[2 * index] as number) * 256 + (bytes[2 * index + 1] as number),
  )
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  const hex = (part: number[]): string => part.map(group => group.toString(16)).join(':')
  const suffix = zone === '' ? '' : `%${zone}`
  if (best.start === -1) return hex(groups) + suffix
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}${suffix}`
}

/** The first `bits` bits of both addresses are the same; addresses of different families never are. */
export function sharesPrefix(left: IpAddress, right: IpAddress, bits: number): boolean {
  if (left.bytes.length !== right.bytes.length) return false
  const a = maskBytes(left.bytes, bits)
  const b = maskBytes(right.bytes, bits)
  return a.every((byte, index) => byte === b[index])
}

export function maskBytes(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, index) => {
    const kept = Math.max(0, Math.min(8, bits - index * 8))
    return byte & (0xff << (8 - kept)) & 0xff
  })
}
