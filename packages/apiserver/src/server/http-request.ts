import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { ClientCertificates } from '../authentication/client-certificates.ts'
import type { ApiRequest, RequestBody } from '../request/api-request.ts'
import { StatusError, tooLarge } from '../status-error.ts'

const BODY_LIMIT = 3 * 1024 * 1024

export function requestOf(
  incoming: IncomingMessage,
  signal: () => AbortSignal,
  certificates?: ClientCertificates,
): ApiRequest {
  // A proxy's client names the whole address.
  const url = (incoming.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '')
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
  const certificate = certificates?.certificateOf(incoming.socket as TLSSocket)
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    headers: headersOf(incoming),
    body: () => readBody(incoming),
    bodyStream: () => incoming,
    get signal() {
      return signal()
    },
    ...(certificate ? { certificate } : {}),
  }
}

/** Node joins repeated headers with commas, which groups and extras may contain themselves. */
function headersOf(incoming: IncomingMessage): ApiRequest['headers'] {
  const { headers } = incoming
  if (headers['impersonate-user'] === undefined && headers['impersonate-group'] === undefined) return headers
  const all: Record<string, string | readonly string[] | undefined> = { ...headers }
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (name.startsWith('impersonate-')) all[name] = values
  }
  return all
}

function readBody(incoming: IncomingMessage): Promise<RequestBody> {
  const declared = Number(incoming.headers['content-length'] ?? 0)
  const refusal = () => tooLarge('Request entity too large: limit is 3145728')
  if (declared > BODY_LIMIT) return Promise.reject(refusal())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > BODY_LIMIT) {
        incoming.removeAllListeners('data')
        incoming.resume()
        reject(refusal())
      } else chunks.push(chunk)
    })
    incoming.on('end', () => resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }))
    incoming.on('error', reject)
    incoming.on('close', () => {
      if (!incoming.complete) reject(new StatusError(400, 'BadRequest', 'the request ended before its body did'))
    })
  })
}
