import type { Duplex } from 'node:stream'
import { asError } from '@tiphys/env'
import { createSpdyConnection, type SpdyConnection, type SpdyStream } from '@tiphys/kube'

export const SPDY_PORT_FORWARD_PROTOCOLS = ['portforward.k8s.io'] as const
/** SPDY frames inside WebSocket messages. */
export const WEB_SOCKET_PORT_FORWARD_PROTOCOLS = ['SPDY/3.1+portforward.k8s.io'] as const

export interface ForwardedPod {
  name: string
  uid: string
  dial(port: number): Promise<Duplex>
}

interface Pair {
  data?: SpdyStream
  error?: SpdyStream
}

/** Serves connections to the ports of a pod. Each is a pair of streams with the same request id: one for the data and one
 *  on which it is told what went wrong. */
export function servePortForward(socket: Duplex, pod: ForwardedPod): SpdyConnection {
  const pairs = new Map<string, Pair>()
  return createSpdyConnection(socket, {
    role: 'server',
    onStream(stream) {
      const port = portOf(stream)
      const { requestid: id = '', streamtype: type } = stream.headers
      if (type !== 'data' && type !== 'error') throw new Error(`invalid stream type "${type}"`)
      const pair = pairs.get(id) ?? {}
      if (pair[type]) throw new Error(`a stream of type ${type} exists already for request ${id}`)
      pair[type] = stream
      stream.on('error', () => {}) // destroyed with its connection, or by the client
      pairs.set(id, pair)
      if (!pair.data || !pair.error) return
      pairs.delete(id)
      pair.error.resume()
      forward(pair.data, pair.error, port, pod).catch(() => pair.data?.destroy())
    },
  })
}

function portOf({ headers }: SpdyStream): number {
  const port = Number(headers.port)
  if (!Number.isInteger(port) || port < 1 || port > 0xffff) throw new Error(`invalid port "${headers.port}"`)
  return port
}

async function forward(data: SpdyStream, errors: SpdyStream, port: number, pod: ForwardedPod): Promise<void> {
  const fail = (error: Error) => {
    errors.end(`error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${error.message}`)
    data.end()
  }
  let connection: Duplex
  try {
    connection = await pod.dial(port)
  } catch (thrown) {
    data.resume()
    fail(asError(thrown))
    return
  }
  if (data.destroyed) {
    connection.destroy()
    return
  }
  connection.on('error', fail)
  connection.once('close', () => {
    if (errors.writable) errors.end()
    if (data.writable) data.end()
    // Nobody reads what the client still sends.
    data.resume()
  })
  data.once('close', () => connection.destroy())
  data.pipe(connection)
  connection.pipe(data)
}
