import type { IncomingMessage } from 'node:http'
import type { AgentOptions } from 'node:https'
import type { Duplex } from 'node:stream'

export interface WebSocketOptions {
  /** http(s):// */
  url: string
  subprotocols: readonly string[]
  headers: Record<string, string | string[]>
  tls: AgentOptions
  handshakeMs: number
  signal?: AbortSignal
}

/** Opens a WebSocket as a duplex of messages, or gives the server's refusal to be read. */
export async function openWebSocket(
  options: WebSocketOptions,
): Promise<{ protocol: string; socket: Duplex } | { refusal: IncomingMessage }> {
  const { WebSocket, createWebSocketStream } = await import('ws')
  const { url, subprotocols, headers, tls, handshakeMs, signal } = options
  signal?.throwIfAborted()
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...subprotocols], {
    ...tls,
    headers,
    handshakeTimeout: handshakeMs,
    followRedirects: false,
    perMessageDeflate: false,
  })
  const onAbort = () => socket.terminate()
  signal?.addEventListener('abort', onAbort, { once: true })
  socket.once('close', () => signal?.removeEventListener('abort', onAbort))
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, refusal) => resolve({ refusal }))
    socket.once('open', () => {
      const duplex = createWebSocketStream(socket, { readableObjectMode: true, writableObjectMode: true })
      resolve({ protocol: socket.protocol, socket: duplex })
    })
  })
}
