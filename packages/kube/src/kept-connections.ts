import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'

/** Less than any server's idle timeout (kube-apiserver: 90 s), so that a request rarely meets a closing connection. */
const IDLE_SOCKET_MS = 50_000
const KEPT = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const

/** Connections to one server that are kept and reused. */
export const keptConnections = (): http.Agent => new KeptConnections(KEPT)

export const keptSecureConnections = (options: https.AgentOptions): https.Agent =>
  new KeptSecureConnections({ ...options, ...KEPT })

class KeptConnections extends http.Agent {
  getName(): string {
    return SERVER
  }

  // Overrides what Node documents and its types leave out.
  keepSocketAlive(socket: Socket): boolean {
    return keep(socket)
  }
}

class KeptSecureConnections extends https.Agent {
  getName(): string {
    return SERVER
  }

  keepSocketAlive(socket: Socket): boolean {
    return keep(socket)
  }
}

/** By what connections are found again. Node puts it together from everything that may tell servers apart, for every request. */
const SERVER = 'the server'

/** Node's own sets the socket's options again after every request, by calls of the system. */
function keep(socket: Socket): boolean {
  socket.unref()
  // Counts from the last byte; only an idle connection is closed when it is over.
  if (socket.timeout !== IDLE_SOCKET_MS) socket.setTimeout(IDLE_SOCKET_MS)
  return true
}
