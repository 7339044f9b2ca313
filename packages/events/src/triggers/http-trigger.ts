import { asError, RetryableFailure, TerminalFailure } from '@tiphys/env'
import { type OutboundRequest, outboundUrl, parseJson, sendOutbound, stringifyJson } from '@tiphys/kube'
import type { Problem } from '../problem.ts'
import { applyParameters, constructPayload, resolveParameter, type TriggerParameter } from '../sensor/parameters.ts'
import { problemsOf } from '../sources/shape.ts'
import { evaluated } from './evaluated.ts'
import { PARAMETERS_SHAPE, type TriggerHost, type TriggerType } from './trigger.ts'
import { apiFailure } from './trigger-failures.ts'

/** `http` of a trigger's template, as manifests write it. */
export interface HttpSpec {
  url?: string
  /** POST by default. */
  method?: string
  payload?: readonly TriggerParameter[]
  headers?: Readonly<Record<string, string>>
  secureHeaders?: readonly { name?: string; valueFrom?: { secretKeyRef?: KeyRef; configMapKeyRef?: KeyRef } }[]
  dynamicHeaders?: readonly TriggerParameter[]
  basicAuth?: { username?: KeyRef; password?: KeyRef }
  tls?: { caCertSecret?: KeyRef; clientCertSecret?: KeyRef; clientKeySecret?: KeyRef; insecureSkipVerify?: boolean }
  /** Seconds; 60 by default. */
  timeout?: number
  /** What the request says it is for, when not what the URL says. */
  host?: string
  /** Set in this specification itself. */
  parameters?: readonly TriggerParameter[]
}

interface KeyRef {
  name?: string
  key: string
}

const KEY_REF = { name: 'string', key: 'string', optional: 'boolean' } as const
const DEFAULT_TIMEOUT_SECONDS = 60
const MOST_BYTES = 64 * 1024

/** Sends a request. The header Idempotency-Key is equal on every repeat, so that a receiver can tell. */
export const httpTrigger: TriggerType<HttpSpec> = {
  type: 'http',
  check: spec => [
    ...problemsOf(spec, {
      url: 'string',
      method: 'string',
      payload: PARAMETERS_SHAPE,
      headers: { '*': 'string' },
      secureHeaders: [{ name: 'string', valueFrom: { secretKeyRef: KEY_REF, configMapKeyRef: KEY_REF } }],
      dynamicHeaders: PARAMETERS_SHAPE,
      basicAuth: { username: KEY_REF, password: KEY_REF },
      tls: {
        caCertSecret: KEY_REF,
        clientCertSecret: KEY_REF,
        clientKeySecret: KEY_REF,
        insecureSkipVerify: 'boolean',
        enabled: 'boolean',
      },
      timeout: 'number',
      host: 'string',
      parameters: PARAMETERS_SHAPE,
    }),
    ...checkUrl(spec),
    ...checkMethod(spec),
  ],
  async execute(spec, host) {
    const request = await requestOf(withParameters(spec, host), host).catch((thrown: unknown) => {
      throw apiFailure(thrown, 'The request cannot be made')
    })
    const { status, body } = await sendOutbound(request)
    const problem = statusProblem(status, host.policy?.status?.allow)
    if (problem === undefined)
      return { summary: `${request.method} ${request.url} was answered with ${status}`, status, body }
    const failure = { what: problem, ...(body !== '' && { why: body.slice(0, 500) }) }
    if (status === 429 || status === 503) throw new RetryableFailure('trigger-receiver-busy', failure)
    throw new TerminalFailure('trigger-status', failure)
  },
}

/** As upstream. */
const METHODS = ['GET', 'DELETE', 'PATCH', 'POST', 'PUT']

function checkMethod({ method = '' }: HttpSpec): Problem[] {
  if (method === '' || METHODS.includes(method)) return []
  return [{ path: 'method', message: `"${method}" is none of ${METHODS.join(', ')}`, severity: 'error' }]
}

function checkUrl({ url, parameters = [] }: HttpSpec): Problem[] {
  if (parameters.some(({ dest }) => dest === 'url')) return []
  try {
    outboundUrl(url ?? '')
    return []
  } catch (thrown) {
    return [{ path: 'url', message: asError(thrown).message, severity: 'error' }]
  }
}

/** What is wrong with an answer. A redirect is an answer: it is not followed. */
function statusProblem(status: number, allowed: readonly number[] | undefined): string | undefined {
  if (allowed)
    return allowed.includes(status)
      ? undefined
      : `policy application resulted in failure. http response status ${status} is not allowed`
  if (status >= 200 && status < 300) return undefined
  return `The receiver answered with the status ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}`
}

function withParameters(spec: HttpSpec, host: TriggerHost): HttpSpec {
  const { parameters = [] } = spec
  if (parameters.length === 0) return spec
  return evaluated('The parameters cannot be set', () => {
    const text = applyParameters(stringifyJson(spec), parameters, host.events, host.languages)
    return parseJson(text) as HttpSpec
  })
}

async function requestOf(spec: HttpSpec, host: TriggerHost): Promise<OutboundRequest> {
  const { url = '', payload, timeout = 0 } = spec
  const body = payload
    ? evaluated('The payload cannot be made', () => constructPayload(payload, host.events, host.languages))
    : undefined
  return {
    url,
    method: spec.method || 'POST',
    headers: await headersOf(spec, host, body),
    ...(body !== undefined && { body }),
    tls: await tlsOf(spec, host),
    timeoutMs: (timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS) * 1000,
    maxBytes: MOST_BYTES,
    access: host.access.outbound ?? {},
    clock: host.env.clock,
    signal: host.signal,
  }
}

/** Later ones take the place of earlier ones, however they are capitalised. */
async function headersOf(spec: HttpSpec, host: TriggerHost, body = ''): Promise<Record<string, string>> {
  const headers = new Map<string, readonly [string, string]>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])
  set('Idempotency-Key', host.actionKey)
  for (const [name, value] of Object.entries(spec.headers ?? {})) set(name, value)
  for (const { src = {}, dest = '' } of spec.dynamicHeaders ?? []) {
    const resolved = evaluated(`failed to resolve the value for dynamicHeader ${dest}`, () =>
      resolveParameter(src, host.events, host.languages),
    )
    if (resolved) set(dest, resolved.value)
  }
  for (const { name = '', valueFrom = {} } of spec.secureHeaders ?? []) {
    const { secretKeyRef, configMapKeyRef } = valueFrom
    if (secretKeyRef) set(name, await host.secret(secretKeyRef))
    else if (configMapKeyRef) set(name, await host.configMap(configMapKeyRef))
  }
  if (spec.basicAuth) {
    const { username, password } = spec.basicAuth
    const pair = `${username ? await host.secret(username) : ''}:${password ? await host.secret(password) : ''}`
    set('Authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }
  if (spec.host) set('Host', spec.host)
  // The length says where the body ends, and nothing else does.
  headers.delete('transfer-encoding')
  if (body !== '' || (spec.method || 'POST') !== 'GET') set('Content-Length', String(Buffer.byteLength(body)))
  return Object.fromEntries(headers.values())
}

async function tlsOf({ tls = {} }: HttpSpec, host: TriggerHost): Promise<NonNullable<OutboundRequest['tls']>> {
  const { caCertSecret, clientCertSecret, clientKeySecret, insecureSkipVerify = false } = tls
  // As upstream: who trusts everybody shows no certificate, either.
  if (insecureSkipVerify) return { rejectUnauthorized: false }
  return {
    ...(caCertSecret && { ca: await host.secret(caCertSecret) }),
    ...(clientCertSecret && { cert: await host.secret(clientCertSecret) }),
    ...(clientKeySecret && { key: await host.secret(clientKeySecret) }),
  }
}
