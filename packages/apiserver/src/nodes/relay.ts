import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiResponse } from '../request/api-response.ts'
import { endToEndHeaders, type UpstreamAnswer } from './upstream.ts'

/** An upstream's answer as ours, read as fast as the caller reads it. */
export function passOn(response: IncomingMessage): ApiResponse {
  return {
    status: response.statusCode as number,
    headers: endToEndHeaders(response.headers),
    body: { type: 'stream', chunks: response },
  }
}

/** The upstream agreed to another protocol: its connection becomes the caller's. */
export function upgraded({ response, socket, head }: UpstreamAnswer): ApiResponse {
  const { connection = 'Upgrade', upgrade = '' } = response.headers
  return {
    status: 101,
    headers: { ...endToEndHeaders(response.headers), connection, upgrade },
    body: {
      type: 'connection',
      accept(client, sent) {
        const node = socket as Duplex
        if (sent.length > 0) node.write(sent)
        if (head && head.length > 0) client.write(head)
        join(client, node)
      },
      abandon: () => socket?.destroy(),
    },
  }
}

/** Two connections become one: what comes from either goes to the other, and the end of one is the end of both. */
function join(one: Duplex, other: Duplex): void {
  const bind = (from: Duplex, to: Duplex) => {
    from.pipe(to)
    from.on('error', () => to.destroy())
    // What is on its way still arrives.
    from.on('close', () => to.end(() => to.destroy()))
    if (from.destroyed) to.destroy()
  }
  bind(one, other)
  bind(other, one)
}
