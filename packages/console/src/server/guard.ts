import type { IncomingHttpHeaders } from 'node:http'
import { isIPv6 } from 'node:net'
import { HttpFailure } from './http-failure.ts'

export interface GuardOptions {
  /** Names beside those of loopback under which the console may be reached, with or without a port. */
  allowedHosts?: readonly string[]
}

/** What the guard looks at. */
export interface GuardedRequest {
  method: string
  /** Without the query. */
  path: string
  headers: IncomingHttpHeaders
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses what another page, or another name for this machine, makes a browser send; in this order: the Host name, the Origin,
 *  where the browser says the request comes from, what only a script of our own can set. Who it is comes after.
 *
 *  The Host is decisive against a name that was bound to 127.0.0.1 (browsers send no Sec-Fetch headers there), the Origin
 *  against another port of 127.0.0.1 (SameSite cookies are sent from there). */
export function guard(request: GuardedRequest, { allowedHosts = [] }: GuardOptions = {}): HttpFailure | undefined {
  return hostRefusal(request, allowedHosts) ?? originRefusal(request) ?? siteRefusal(request) ?? unsafeRefusal(request)
}

function hostRefusal({ headers }: GuardedRequest, allowedHosts: readonly string[]): HttpFailure | undefined {
  const host = headers.host?.toLowerCase()
  if (host !== undefined && (isLoopbackHost(host) || isAllowedHost(host, allowedHosts))) return undefined
  return new HttpFailure('console-host-refused', {
    status: 421,
    what: 'this console is not served under that name',
    todo: 'Use the address that was printed, or allow the name with --allowed-host',
  })
}

/** `localhost`, `127.0.0.1` or `[::1]`, with any port. */
function isLoopbackHost(host: string): boolean {
  return LOOPBACK.has(nameOf(host))
}

const nameOf = (host: string) => host.replace(/:\d{1,5}$/, '')

function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some(each => {
    const allowed = isIPv6(each) ? `[${each.toLowerCase()}]` : each.toLowerCase()
    return allowed === host || allowed === nameOf(host)
  })
}

function originRefusal({ headers }: GuardedRequest): HttpFailure | undefined {
  const { origin, host = '' } = headers
  if (origin === undefined) return undefined
  const own = `http://${host.toLowerCase()}`
  // A name that was allowed may be behind a proxy that speaks TLS; loopback is plain.
  const isOwn = origin === own || (!isLoopbackHost(host.toLowerCase()) && origin === own.replace('http:', 'https:'))
  if (isOwn) return undefined
  return new HttpFailure('console-origin-refused', { status: 403, what: 'requests from other pages are refused' })
}

function siteRefusal({ method, path, headers }: GuardedRequest): HttpFailure | undefined {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined
  const isTopLevel = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  // A link from elsewhere may open a page, never read the API.
  if (method === 'GET' && isTopLevel && !path.startsWith('/api/')) return undefined
  return new HttpFailure('console-origin-refused', { status: 403, what: 'requests from other pages are refused' })
}

function unsafeRefusal({ method, headers }: GuardedRequest): HttpFailure | undefined {
  if (SAFE.has(method)) return undefined
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    return new HttpFailure('console-not-json', { status: 415, what: 'the body must be application/json' })
  // A page elsewhere can make a browser send neither without asking first; programs that come with a token know the second alone.
  if (headers['x-tiphys'] === '1' || /^bearer /i.test(headers.authorization ?? '')) return undefined
  return new HttpFailure('console-header-missing', { status: 403, what: 'the header x-tiphys: 1 is missing' })
}
