import type { Duplex } from 'node:stream'
import type { Transport, TransportRequest } from './transport.ts'

export async function forwardPort(_transport: Transport, _request: TransportRequest, _port: number): Promise<Duplex> {
  throw new Error('pending')
}
