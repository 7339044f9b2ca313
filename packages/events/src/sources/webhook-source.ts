import { createHash, timingSafeEqual } from 'node:crypto'
import { asError, uuid } from '@tiphys/env'
import { eventId } from '../event-id.ts'
import type { Problem } from '../problem.ts'
import { refusalOf } from './http-host.ts'
import { pathPattern } from './path-pattern.ts'
import { runSource, whenStopped } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { HttpAnswer, HttpRoute, IncomingWebhook, SourceHost, SourceType } from './source.ts'

/** An entry of `spec.webhook` of an EventSource. */
export interface WebhookSpec {
  endpoint?: string
  method?: string
  port?: string
  url?: string
  metadata?: Readonly<Record<string, string>>
  serverCertSecret?: SecretRef
  serverKeySecret?: SecretRef
  authSecret?: SecretRef
  maxPayloadSize?: number
  filter?: { expression?: string }
}

interface SecretRef {
  name?: string
  key: string
}

const SECRET: Shape = { name: 'string', key: 'string', optional: 'boolean' }
const SHAPE: Shape = {
  endpoint: 'string',
  method: 'string',
  port: 'string',
  url: 'string',
  metadata: { '*': 'string' },
  serverCertSecret: SECRET,
  serverKeySecret: SECRET,
  authSecret: SECRET,
  maxPayloadSize: 'number',
  filter: { expression: 'string' },
}

const DEFAULT_BODY_LIMIT = 2 ** 20
const MASKED = '*** Masked Auth Secret ***'

/** Requests from outside. One that is answered with 200 is an event on stable storage. */
export const webhookSource: SourceType<WebhookSpec> = {
  type: 'webhook',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({
        reason: 'NotServing',
        message: `Cannot serve ${spec.endpoint} on port ${spec.port}: ${message}`,
      }),
      (stopped, counted) => serve(spec, counted, stopped),
    ),
}

function check(spec: WebhookSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  const { endpoint = '', port = '', method = '', serverCertSecret, serverKeySecret } = spec
  if (endpoint === '') error('endpoint', "endpoint can't be empty")
  else if (typeof endpoint === 'string') {
    if (!endpoint.startsWith('/')) error('endpoint', 'endpoint must begin with /')
    try {
      pathPattern(endpoint)
    } catch (thrown) {
      error('endpoint', `endpoint is no path: ${asError(thrown).message}`)
    }
  }
  if (port === '') error('port', "port can't be empty")
  else if (!/^\d+$/.test(port) || Number(port) > 65_535) error('port', `failed to parse server port ${port}`)
  if (method !== 'GET' && method !== 'POST')
    problems.push({
      path: 'method',
      message: `every request is refused: upstream serves GET and POST alone`,
      severity: 'warning',
    })
  if ((serverCertSecret === undefined) !== (serverKeySecret === undefined))
    error('serverCertSecret', 'serverCertSecret and serverKeySecret belong together')
  return problems
}

async function serve(spec: WebhookSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const listening = await host.listen(await routeOf(spec, host))
  host.report({ state: 'active' })
  await whenStopped(stopped)
  await listening.stop()
}

async function routeOf(spec: WebhookSpec, host: SourceHost): Promise<HttpRoute> {
  const { endpoint = '', port = '', method = '', authSecret, serverCertSecret, serverKeySecret } = spec
  const tls =
    serverCertSecret && serverKeySecret
      ? { certificate: await host.secret(serverCertSecret), key: await host.secret(serverKeySecret) }
      : undefined
  return {
    path: endpoint,
    port: Number(port),
    method,
    bodyLimit: spec.maxPayloadSize ?? DEFAULT_BODY_LIMIT,
    ...(tls && { tls }),
    ...(authSecret && { authorize: headers => authorize(headers.Authorization?.[0] ?? '', authSecret, host) }),
    handle: request => handle(request, spec, host),
  }
}

async function authorize(header: string, ref: SecretRef, host: SourceHost): Promise<HttpAnswer | undefined> {
  if (!header.startsWith('Bearer ')) return { status: 401, body: 'Invalid Authorization Header' }
  let expected: string
  try {
    expected = await host.secret(ref)
  } catch (thrown) {
    host.env.log.warn('a webhook token cannot be read', { secret: ref.name, error: asError(thrown) })
    return { status: 500, body: 'Error loading auth token' }
  }
  return isEqual(header.slice('Bearer '.length), expected) ? undefined : { status: 401, body: 'Invalid Auth token' }
}

/** In a time that says nothing about where they differ. */
function isEqual(a: string, b: string): boolean {
  const [first, second] = [a, b].map(text => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(first, second)
}

async function handle(request: IncomingWebhook, { metadata = {} }: WebhookSpec, host: SourceHost): Promise<HttpAnswer> {
  const body = bodyOf(request)
  if (typeof body !== 'string') return body
  const header = { ...request.headers, ...(request.headers.Authorization && { Authorization: [MASKED] }) }
  const tail = Object.keys(metadata).length > 0 ? `,"metadata":${JSON.stringify(metadata)}` : ''
  try {
    await host.publish({
      id: idOf(request, host),
      time: new Date(host.env.clock.now()).toISOString(),
      data: `{"header":${JSON.stringify(header)},"body":${body}${tail}}`,
    })
    return { status: 200, body: 'success' }
  } catch (thrown) {
    return refusalOf(thrown)
  }
}

/** The body of the event, as JSON: a map of the query or the form, or what was sent. */
function bodyOf({ method, url, headers, body }: IncomingWebhook): string | HttpAnswer {
  if (method === 'GET') return JSON.stringify(valuesOf(url.searchParams))
  // The spelling is the one that senders of upstream see.
  if (method !== 'POST') return { status: 400, body: `unsupoorted method: ${method}` }
  const text = body.toString('utf8')
  if (headers['Content-Type']?.[0] === 'application/x-www-form-urlencoded')
    return JSON.stringify(valuesOf(new URLSearchParams(text)))
  try {
    JSON.parse(text)
    return text.trim()
  } catch (thrown) {
    return { status: 400, body: `the body is no JSON: ${asError(thrown).message}` }
  }
}

function valuesOf(parameters: URLSearchParams): Record<string, string[]> {
  const names = [...new Set(parameters.keys())].sort()
  return Object.fromEntries(names.map(name => [name, parameters.getAll(name)]))
}

/** A sender that repeats a request names it, so that both are one event. */
function idOf({ headers }: IncomingWebhook, { eventSource, entry, env }: SourceHost): string {
  const key = headers['Idempotency-Key']?.[0]
  if (key === undefined) return uuid(env.random).replaceAll('-', '')
  return eventId(eventSource.uid, entry, 'idempotency-key', key)
}
