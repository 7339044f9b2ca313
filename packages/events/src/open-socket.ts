import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Clock } from '@tiphys/env'

export interface SocketAddress {
  host: string
  port: number
  /** Where the host is, when that was found before. */
  address?: string
  /** Without it the connection is not encrypted. */
  tls?: ConnectionOptions
}

const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 30_000

/** A connection to a server, once it is there and encrypted. Throws why there is none. */
export function openSocket(
  { host, port, address, tls }: SocketAddress,
  clock: Clock,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const to = { host: address ?? host, port }
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = tls ? connectTls({ ...to, ...servername, ...tls }) : connectTcp(to)
    const fail = (error: Error) => {
      end()
      socket.destroy()
      reject(error)
    }
    const abort = () => fail(signal.reason as Error)
    const timer = clock.schedule(CONNECT_MS, () => fail(new Error(`${host}:${port} does not answer`)))
    const end = () => {
      timer.cancel()
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', fail)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', fail)
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      end()
      socket.setNoDelay(true)
      socket.setKeepAlive(true, KEEP_ALIVE_MS)
      resolve(socket)
    })
  })
}
