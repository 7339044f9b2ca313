import { createServer, type IncomingMessage } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import type { Env } from '@tiphys/env'
import { apiErrorFrom, openWebSocket, parseJson, type TransportRequest } from '@tiphys/kube'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { serveOn } from './http-listener.ts'

/** A WebSocket into the server without a network: the same requests and answers go over a pair of streams in memory. */
export async function upgradeInProcess(
  env: Env,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  request: TransportRequest,
  subprotocols: readonly string[],
): Promise<{ protocol: string; socket: Duplex }> {
  const [ours, theirs] = duplexPair()
  ours.once('close', () => theirs.destroy())
  // What the server said before it ended is still to be read.
  theirs.once('close', () => theirs.writableFinished || ours.destroy())
  const server = createServer()
  serveOn(server, { env, handle })
  server.emit('connection', theirs)
  const opened = await openWebSocket({
    url: `http://in-process${request.path}${queryOf(request)}`,
    subprotocols,
    headers: headersOf(request),
    connection: ours,
    ...(request.signal && { signal: request.signal }),
  })
  if ('refusal' in opened) throw apiErrorFrom(await readRefusal(opened.refusal))
  return opened
}

async function readRefusal(refusal: IncomingMessage) {
  const pieces: Buffer[] = []
  for await (const piece of refusal as AsyncIterable<Buffer>) pieces.push(piece)
  const text = Buffer.concat(pieces).toString('utf8')
  const { statusCode = 0, headers } = refusal
  return { status: statusCode, headers, body: headers['content-type']?.includes('json') ? parseJson(text) : text }
}

const headersOf = ({ headers = {} }: TransportRequest): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

function queryOf({ query = {} }: TransportRequest): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of value === undefined ? [] : [value].flat()) parameters.append(name, one)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
