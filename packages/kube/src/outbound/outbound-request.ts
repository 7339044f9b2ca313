import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type Clock, RetryableFailure, TerminalFailure } from '@tiphys/env'
import { type OutboundAccess, outboundAddress, outboundUrl } from './outbound-address.ts'

export interface OutboundRequest {
  url: string
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** PEM. */
  tls?: { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean }
  /** For everything together, from the name's resolution to the last byte. */
  timeoutMs: number
  /** How much of the answer's body is read. */
  maxBytes: number
  access: OutboundAccess
  clock: Clock
  signal: AbortSignal
}

export interface OutboundAnswer {
  status: number
  /** By their names in small letters. */
  headers: Readonly<Record<string, readonly string[]>>
  bytes: Buffer
  /** The bytes as text. */
  body: string
  /** There was more of the body than is read. */
  isCut: boolean
}

/** Sends one request to an address that is allowed, and follows no redirect. Throws `RetryableFailure` while the receiver
 *  cannot have seen the request; afterwards nobody knows what it did, and a failure is terminal. */
export async function sendOutbound(options: OutboundRequest): Promise<OutboundAnswer> {
  const url = outboundUrl(options.url)
  const abort = new AbortController()
  const timedOut = new Error(`there was no answer within ${options.timeoutMs / 1000} s`)
  const timer = options.clock.schedule(options.timeoutMs, () => abort.abort(timedOut))
  const signal = AbortSignal.any([abort.signal, options.signal])
  let isSent = false
  try {
    const { address, family } = await withSignal(outboundAddress(url, options.access), signal)
    const request = open(url, options, { address, family, signal })
    return await new Promise((resolve, reject) => {
      request.on('error', reject)
      request.on('socket', socket => {
        // Written data wait in the socket until it is connected, and with TLS trusted.
        const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect'
        socket.once(ready, () => {
          isSent = true
        })
      })
      request.on('response', response => {
        read(response, options.maxBytes).then(resolve, reject)
      })
      request.end(options.body)
    })
  } catch (thrown) {
    if (options.signal.aborted) throw options.signal.reason
    throw failureOf(abort.signal.aborted ? timedOut : thrown, url, isSent)
  } finally {
    timer.cancel()
  }
}

function open(
  url: URL,
  options: OutboundRequest,
  to: { address: string; family: number; signal: AbortSignal },
): ClientRequest {
  const { method, headers, tls = {} } = options
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  try {
    return request(url, {
      method,
      headers,
      signal: to.signal,
      agent: false,
      lookup: (_host, { all }, answer) =>
        all ? answer(null, [{ address: to.address, family: to.family }]) : answer(null, to.address, to.family),
      ...tls,
    })
  } catch (thrown) {
    throw new TerminalFailure('outbound-invalid', {
      what: `The request to ${url.origin} cannot be made`,
      why: (thrown as Error).message,
      cause: thrown,
    })
  }
}

async function read(response: IncomingMessage, maxBytes: number): Promise<OutboundAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop ends the connection.
    if (size > maxBytes) break
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes)
  const headers = Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values = []]) => [name.toLowerCase(), values]),
  )
  return { status: response.statusCode ?? 0, headers, bytes, body: bytes.toString('utf8'), isCut: size > maxBytes }
}

function failureOf(thrown: unknown, { origin }: URL, isSent: boolean): unknown {
  if (thrown instanceof RetryableFailure || thrown instanceof TerminalFailure) return thrown
  const why = (thrown as Error).message || String((thrown as NodeJS.ErrnoException).code)
  if (isSent)
    return new TerminalFailure('outbound-no-answer', {
      what: `${origin} did not answer the request`,
      why,
      cause: thrown,
    })
  return new RetryableFailure('outbound-not-reached', { what: `${origin} was not reached`, why, cause: thrown })
}

function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
