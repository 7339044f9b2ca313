import { goQuote } from './go-text.ts'
import { parseAddress } from './ip-address.ts'

/** A URL taken apart as Go's net/url does it. */
export interface GoUrl {
  scheme: string
  opaque: string
  userinfo: string | undefined
  host: string
  path: string
  /** The path as it was written, when that is not how `path` would be escaped. */
  rawPath: string
  query: string
  forceQuery: boolean
  fragment: string
  omitHost: boolean
}

type EscapeMode = 'path' | 'host' | 'zone' | 'query' | 'userinfo' | 'fragment'

const unescapedIn: Readonly<Record<EscapeMode, RegExp>> = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  host: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  zone: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  query: /[A-Za-z0-9\-_.~]/,
  userinfo: /[A-Za-z0-9\-_.~$&+,;=]/,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
}

function escape(text: string, mode: EscapeMode): string {
  const safe = unescapedIn[mode]
  let escaped = ''
  for (const byte of Buffer.from(text, 'latin1')) {
    const character = String.fromCharCode(byte)
    escaped += byte < 0x80 && safe.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}

/** Works on bytes (each a Latin-1 character), because an escape stands for a byte. Throws an Error with Go's text. */
function unescape(text: string, mode: EscapeMode): string {
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string
    if (character === '%') {
      const sequence = text.slice(index, index + 3)
      if (!/^%[0-9a-fA-F]{2}$/.test(sequence)) throw new Error(`invalid URL escape ${goQuote(sequence)}`)
      const code = Number.parseInt(sequence.slice(1), 16)
      const isHostByte = mode === 'host' && code < 0x80 && sequence !== '%25'
      const isZoneByte =
        mode === 'zone' && sequence !== '%25' && code !== 0x20 && !unescapedIn.host.test(String.fromCharCode(code))
      if (isHostByte || isZoneByte) throw new Error(`invalid URL escape ${goQuote(sequence)}`)
      index += 2
    } else if ((mode === 'host' || mode === 'zone') && character < '\x80' && !unescapedIn[mode].test(character)) {
      throw new Error(`invalid character ${goQuote(character)} in host name`)
    }
  }
  const plain = mode === 'query' ? text.replaceAll('+', ' ') : text
  return plain.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** Throws an Error with the text of Go's url.ParseRequestURI: an absolute URI or an absolute path. */
export function parseRequestUri(text: string): GoUrl {
  return parse(text, text, true)
}

/** Throws an Error with the text of Go's url.Parse. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf('#')
  const url = parse(hash === -1 ? text : text.slice(0, hash), text, false)
  if (hash === -1) return url
  return { ...url, fragment: fromBytes(unescape(toBytes(text.slice(hash + 1)), 'fragment')) }
}

function parse(text: string, shown: string, viaRequest: boolean): GoUrl {
  try {
    return parseParts(toBytes(text), viaRequest)
  } catch (error) {
    throw new Error(`parse ${goQuote(viaRequest ? shown : text)}: ${(error as Error).message}`)
  }
}

function parseParts(text: string, viaRequest: boolean): GoUrl {
  const url: GoUrl = {
    scheme: '',
    opaque: '',
    userinfo: undefined,
    host: '',
    path: '',
    rawPath: '',
    query: '',
    forceQuery: false,
    fragment: '',
    omitHost: false,
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) throw new Error('net/url: invalid control character in URL')
  if (text === '' && viaRequest) throw new Error('empty url')
  if (text === '*') return { ...url, path: '*' }
  if (text.startsWith(':')) throw new Error('missing protocol scheme')
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)
  let rest = scheme === null ? text : text.slice(scheme[0].length)
  url.scheme = scheme?.[1]?.toLowerCase() ?? ''
  if (rest.endsWith('?') && rest.indexOf('?') === rest.length - 1) {
    url.forceQuery = true
    rest = rest.slice(0, -1)
  } else if (rest.includes('?')) {
    url.query = fromBytes(rest.slice(rest.indexOf('?') + 1))
    rest = rest.slice(0, rest.indexOf('?'))
  }
  if (!rest.startsWith('/')) {
    if (url.scheme !== '') return { ...url, opaque: fromBytes(rest) }
    if (viaRequest) throw new Error('invalid URI for request')
    if ((rest.split('/')[0] ?? '').includes(':')) throw new Error('first path segment in URL cannot contain colon')
  }
  if ((url.scheme !== '' || (!viaRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2)
    const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash)
    rest = slash === -1 ? '' : rest.slice(slash)
    parseAuthority(url, authority)
  } else if (url.scheme !== '' && rest.startsWith('/')) {
    url.omitHost = true
  }
  const path = unescape(rest, 'path')
  url.path = fromBytes(path)
  url.rawPath = escape(path, 'path') === rest ? '' : rest
  return url
}

function parseAuthority(url: GoUrl, authority: string): void {
  const at = authority.lastIndexOf('@')
  url.host = fromBytes(parseHost(url.scheme, authority.slice(at + 1)))
  if (at === -1) return
  const userinfo = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new Error('net/url: invalid userinfo')
  url.userinfo = userinfo
    .split(/:(.*)/s, 2)
    .map(part => escape(unescape(part, 'userinfo'), 'userinfo'))
    .join(':')
}

const validPort = /^(:\d*)?$/

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[')
  if (open > 0) throw new Error('invalid IP-literal')
  if (open === 0) return parseIpLiteral(host)
  const first = host.indexOf(':')
  if (first !== -1) {
    const isWeb = scheme === 'http' || scheme === 'https'
    const port = host.slice(isWeb ? first : host.lastIndexOf(':'))
    if (!validPort.test(port)) throw new Error(`invalid port ${goQuote(port)} after host`)
  }
  return unescape(host, 'host')
}

function parseIpLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close < 0) throw new Error("missing ']' in host")
  const port = host.slice(close + 1)
  if (!validPort.test(port)) throw new Error(`invalid port ${goQuote(port)} after host`)
  const inner = host.slice(1, close)
  const zone = inner.indexOf('%25')
  const name =
    zone === -1 ? unescape(inner, 'host') : unescape(inner.slice(0, zone), 'host') + unescape(inner.slice(zone), 'zone')
  const address = parseAddress(name)
  if (typeof address === 'string') throw new Error(`invalid host: ${address}`)
  if (address.bytes.length === 4) throw new Error('invalid IP-literal')
  return `[${name}]${port}`
}

export function escapedPath({ path, rawPath }: GoUrl): string {
  const isValid = Array.from(rawPath).every(
    character => /[!'()*[\]%]/.test(character) || unescapedIn.path.test(character),
  )
  if (rawPath !== '' && isValid) return rawPath
  return path === '*' ? '*' : escape(toBytes(path), 'path')
}

export function splitHostPort(hostPort: string): { host: string; port: string } {
  const colon = hostPort.lastIndexOf(':')
  const hasPort = colon !== -1 && validPort.test(hostPort.slice(colon))
  const host = hasPort ? hostPort.slice(0, colon) : hostPort
  return {
    host: host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host,
    port: hasPort ? hostPort.slice(colon + 1) : '',
  }
}

/** The values of every key, in order of appearance; what cannot be decoded is left out. */
export function queryValues({ query }: GoUrl): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const [key = '', value = ''] = pair.split(/=(.*)/s, 2)
    try {
      const name = fromBytes(unescape(toBytes(key), 'query'))
      const decoded = fromBytes(unescape(toBytes(value), 'query'))
      values.set(name, [...(values.get(name) ?? []), decoded])
    } catch {
      // A broken escape makes Go skip the pair as well.
    }
  }
  return values
}

export function formatUrl(url: GoUrl): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') {
    text += url.opaque
  } else {
    const hasAuthority = url.scheme !== '' || url.host !== '' || url.userinfo !== undefined
    if (hasAuthority && !(url.omitHost && url.host === '' && url.userinfo === undefined)) {
      if (url.host !== '' || url.path !== '' || url.userinfo !== undefined) text += '//'
      if (url.userinfo !== undefined) text += `${url.userinfo}@`
      text += escape(toBytes(url.host), 'host')
    }
    const path = escapedPath(url)
    if (path !== '' && !path.startsWith('/') && url.host !== '') text += '/'
    text += path
  }
  if (url.forceQuery || url.query !== '') text += `?${url.query}`
  return url.fragment === '' ? text : `${text}#${escape(toBytes(url.fragment), 'fragment')}`
}
