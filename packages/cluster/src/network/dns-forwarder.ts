import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Clock } from '@tiphys/env'
import { dial } from './dial.ts'

export interface DnsForwarderOptions {
  clock: Clock
  /** Addresses of name servers, tried in turn. */
  servers: readonly string[]
  port?: number
  timeoutMs?: number
}

const TRUNCATED = 0x0200

/** Asks name servers of this machine on behalf of pods. Takes and gives whole DNS messages. Rejects when none answers. */
export function createDnsForwarder({ clock, servers, port = 53, timeoutMs = 2000 }: DnsForwarderOptions) {
  return async (message: Uint8Array): Promise<Uint8Array> => {
    let problem = new Error('this machine has no name server')
    for (const server of servers) {
      try {
        const answer = await askByDatagram(server, message)
        const isTruncated = (answer.readUInt16BE(2) & TRUNCATED) !== 0
        return isTruncated ? await askByStream(server, message) : answer
      } catch (thrown) {
        problem = thrown as Error
      }
    }
    throw problem
  }

  function askByDatagram(server: string, message: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const socket = createSocket(isIP(server) === 6 ? 'udp6' : 'udp4')
      const end = (settle: () => void) => {
        timer.cancel()
        socket.close()
        settle()
      }
      const timer = clock.schedule(timeoutMs, () => end(() => reject(noAnswer(server))))
      socket.once('error', error => end(() => reject(error)))
      socket.on('message', answer => {
        // Anybody can send to this port; only the server knows the question's number.
        if (answer.length >= 12 && answer.readUInt16BE(0) === Buffer.from(message).readUInt16BE(0))
          end(() => resolve(answer))
      })
      // Connected, so that a server that is not there is told at once, and nobody else is heard.
      socket.connect(port, server, () => socket.send(message))
    })
  }

  async function askByStream(server: string, message: Uint8Array): Promise<Buffer> {
    const socket = await dial({ host: server, port }, { clock, timeoutMs })
    const timer = clock.schedule(timeoutMs, () => socket.destroy(noAnswer(server)))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length)
    socket.write(Buffer.concat([length, message]))
    try {
      let answer = Buffer.alloc(0)
      for await (const chunk of socket) {
        answer = Buffer.concat([answer, chunk as Buffer])
        if (answer.length >= 2 && answer.length >= 2 + answer.readUInt16BE(0))
          return answer.subarray(2, 2 + answer.readUInt16BE(0))
      }
      throw noAnswer(server)
    } finally {
      timer.cancel()
      socket.destroy()
    }
  }
}

function noAnswer(server: string): Error {
  return new Error(`the name server ${server} does not answer`)
}

/** The name servers that a resolv.conf names. */
export function nameServers(path = '/etc/resolv.conf'): string[] {
  try {
    const lines = readFileSync(path, 'utf8').matchAll(/^\s*nameserver\s+(\S+)/gm)
    return [...lines].map(([, address = '']) => address).filter(address => isIP(address) !== 0)
  } catch {
    // Without the file, the machine itself has no names either.
    return []
  }
}
