import type { Duplex } from 'node:stream'
import { Failure } from '@tiphys/env'
import { createSpdyConnection } from './spdy-connection.ts'
import type { Transport, TransportRequest } from './transport.ts'

/** SPDY frames inside WebSocket messages: what kubectl speaks first. */
const PROTOCOL = 'SPDY/3.1+portforward.k8s.io'

/** The pod's port could not be reached, or the connection to it broke. */
export class PortForwardFailure extends Failure {
  constructor(port: number, why: string) {
    super('kube-port-forward-failed', { what: `port ${port} of the pod cannot be reached`, why })
  }
}

/** A connection to a port is two streams: one for the data and one on which the node tells what went wrong. */
export async function forwardPort(transport: Transport, request: TransportRequest, port: number): Promise<Duplex> {
  const { socket } = await transport.upgrade(request, [PROTOCOL])
  const connection = createSpdyConnection(socket, { role: 'client' })
  const headers = { port: String(port), requestid: '0' }
  const errors = connection.openStream({ ...headers, streamtype: 'error' })
  errors.end()
  const data = connection.openStream({ ...headers, streamtype: 'data' })
  data.once('close', () => connection.close())
  // Heard at once: the end of the data may be in the same packet.
  errors.on('data', (message: Buffer) => data.destroy(new PortForwardFailure(port, message.toString('utf8'))))
  errors.on('error', () => {}) // the data stream breaks with the same connection and tells its user
  return data
}
