import { createSocket, type Socket } from 'node:dgram'
import type { Clock, Timer } from '@tiphys/env'
import type { Target } from './service-table.ts'

export interface UdpRelayOptions {
  ip: string
  port: number
  clock: Clock
  candidates: (client: string) => readonly Target[]
  includes: (target: Target) => boolean
  onConnected?: (client: string, target: Target) => void
  onFailure: (error: Error) => void
}

export interface UdpRelay {
  /** Resolves also when the place cannot be had, or was given up. */
  readonly whenListening: Promise<void>
  /** Ends the conversations with targets that are no longer there: the next datagram finds another. */
  forgetMissing(): void
  close(): void
}

interface Conversation {
  target: Target
  socket: Socket
  lastUsed: number
}

const IDLE_MS = 60_000
const MOST_CONVERSATIONS = 4096

/** Listens at one place and passes datagrams on: all that one client's port sends within a minute of silence go to the
 *  same target, and what comes back goes to that client. */
export function startUdpRelay(options: UdpRelayOptions): UdpRelay {
  const { ip, port, clock, includes, onFailure } = options
  /** By the client's address and port, the longest silent first. */
  const conversations = new Map<string, Conversation>()
  let sweep: Timer | undefined
  let isClosed = false
  const server = createSocket('udp4')

  const end = (client: string) => {
    const conversation = conversations.get(client)
    conversations.delete(client)
    conversation?.socket.close()
  }
  const scheduleSweep = () => {
    if (sweep || isClosed || conversations.size === 0) return
    sweep = clock.schedule(IDLE_MS / 2, () => {
      sweep = undefined
      for (const [client, { lastUsed }] of conversations) if (clock.monotonic() - lastUsed > IDLE_MS) end(client)
      scheduleSweep()
    })
  }
  const begin = (client: string, address: string, clientPort: number): Conversation | undefined => {
    const target = options.candidates(address).find(candidate => candidate !== 'api')
    if (target === undefined) return undefined
    options.onConnected?.(address, target)
    const socket = createSocket('udp4').setMaxListeners(0)
    // A target that refuses is told by an error on this socket; the client asks again and finds the next one.
    socket.on('error', () => conversations.get(client)?.socket === socket && end(client))
    socket.on('message', data => !isClosed && server.send(data, clientPort, address))
    socket.connect(target.port, target.ip)
    const conversation = { target, socket, lastUsed: clock.monotonic() }
    const [oldest] = conversations.keys()
    if (conversations.size >= MOST_CONVERSATIONS && oldest !== undefined) end(oldest)
    scheduleSweep()
    return conversation
  }
  server.on('message', (data, { address, port: clientPort }) => {
    const client = `${address}:${clientPort}`
    const conversation = conversations.get(client) ?? begin(client, address, clientPort)
    if (!conversation) return
    conversation.lastUsed = clock.monotonic()
    conversations.delete(client)
    conversations.set(client, conversation)
    sendWhenConnected(conversation.socket, data)
  })
  const whenListening = new Promise<void>(resolve => {
    server.once('listening', () => {
      // A client that is gone when its answer comes concerns nobody.
      server.off('error', fail).on('error', () => {})
      resolve()
    })
    const fail = (error: Error) => {
      onFailure(error)
      resolve()
    }
    server.once('error', fail)
    server.once('close', () => resolve())
  })
  server.bind(port, ip)
  return {
    whenListening,
    forgetMissing() {
      for (const [client, { target }] of conversations) if (!includes(target)) end(client)
    },
    close() {
      if (isClosed) return
      isClosed = true
      sweep?.cancel()
      for (const client of conversations.keys()) end(client)
      server.close()
    },
  }
}

/** Datagrams that arrive while the socket still connects wait for it, in order. */
function sendWhenConnected(socket: Socket, data: Uint8Array): void {
  const send = () => {
    // An ended conversation's last datagrams are lost, as datagrams may be.
    socket.send(data, () => {})
  }
  try {
    socket.remoteAddress()
    send()
  } catch {
    socket.once('connect', send)
  }
}
