import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { asError } from '@tiphys/env'
import { breakOff, joinStreams } from './join-streams.ts'
import type { Target } from './service-table.ts'

export interface TcpRelayOptions {
  ip: string
  port: number
  candidates: (client: string) => readonly Target[]
  dial: (target: Target) => Promise<Duplex>
  onConnected?: (client: string, target: Target) => void
  /** Called when the place cannot be listened on. Nothing is relayed then. */
  onFailure: (error: Error) => void
}

export interface TcpRelay {
  /** Resolves also when the place cannot be had, or was given up. */
  readonly whenListening: Promise<void>
  /** Takes no more connections; those that exist go on. */
  stop(): void
  /** Ends what goes on, too. */
  close(): void
}

/** Listens at one place and passes every connection on to the first candidate that takes it. A connection that nobody
 *  takes is reset. */
export function startTcpRelay(options: TcpRelayOptions): TcpRelay {
  const { ip, port, onFailure } = options
  const connections = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, client => {
    connections.add(client)
    client.once('close', () => connections.delete(client))
    // Before it is joined, a failing client has nothing to end.
    client.on('error', () => {})
    void passOn(client, options)
  })
  const whenListening = new Promise<void>(resolve => {
    server.once('listening', () => {
      // From here on only the accepting of a connection can fail, for want of file descriptors; the next one may do.
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
  server.listen({ host: ip, port, backlog: 4096 })
  return {
    whenListening,
    stop: () => server.close(),
    close() {
      server.close()
      for (const connection of connections) connection.destroy()
    },
  }
}

async function passOn(client: Socket, { candidates, dial, onConnected }: TcpRelayOptions): Promise<void> {
  const address = client.remoteAddress ?? ''
  const connected = await dialFirst(candidates(address), dial)
  if (!connected) return breakOff(client)
  onConnected?.(address, connected.target)
  joinStreams(client, connected.stream)
}

/** A connection to the first of the targets that takes one; undefined when none does. */
export async function dialFirst(
  targets: readonly Target[],
  dial: (target: Target) => Promise<Duplex>,
): Promise<{ target: Target; stream: Duplex } | undefined> {
  for (const target of targets) {
    const stream = await dial(target).catch(asError)
    if (!(stream instanceof Error)) return { target, stream }
  }
  return undefined
}
