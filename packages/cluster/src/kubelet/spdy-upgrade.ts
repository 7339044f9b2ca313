import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { KubeletRefusal } from './kubelet-refusal.ts'

/** Turns a connection into SPDY/3.1 and agrees to the first protocol of the client's that is supported.
 *  Throws, with nothing sent, when the request asks for something else. */
export function acceptSpdy(
  { headers, headersDistinct }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  supported: readonly string[],
): string {
  if (headers.upgrade?.toLowerCase() !== 'spdy/3.1') {
    throw new KubeletRefusal(
      400,
      `unable to upgrade: missing upgrade headers in request: ${JSON.stringify(headers.upgrade)}`,
    )
  }
  const offered = (headersDistinct['x-stream-protocol-version'] ?? [])
    .flatMap(value => value.split(','))
    .map(name => name.trim())
  const protocol = offered.find(name => supported.includes(name))
  if (protocol === undefined) {
    throw new KubeletRefusal(
      403,
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${supported.join(' ')}]`,
    )
  }
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      `X-Stream-Protocol-Version: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  )
  if (head.length > 0) socket.unshift(head)
  return protocol
}
