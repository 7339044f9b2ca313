import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { answeringServer, sendJson } from './answering-server.ts'
import { createHttpTransport } from './http-transport.ts'
import { createClient } from './kube-client.ts'
import { createSpdyConnection, type SpdyStream } from './spdy-connection.ts'
import { acceptWebSocket } from './web-socket.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const PODS = { resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced' }

/** A node that gives the streams of every forwarded connection to the test. */
async function node(onPair: (data: SpdyStream, errors: SpdyStream) => void) {
  const server = await answeringServer(({ url }, response) =>
    sendJson(response, { items: url === '/api' ? [{ versions: [{ version: 'v1', resources: [PODS] }] }] : [] }),
  )
  const ended: Promise<void>[] = []
  server.server.on('upgrade', (request, raw, head) => {
    const accepted = acceptWebSocket(request, raw, head, ['SPDY/3.1+portforward.k8s.io'])
    let errors: SpdyStream | undefined
    const connection = createSpdyConnection(accepted?.socket as Duplex, {
      role: 'server',
      onStream(stream) {
        stream.on('error', () => {})
        if (stream.headers.streamtype === 'error') errors = stream
        else onPair(stream, errors as SpdyStream)
      },
    })
    ended.push(connection.closed)
  })
  const client = createClient(createHttpTransport({ server: server.url }))
  open.push(server, client)
  return { client, ended }
}

const POD = { namespace: 'ns', name: 'web' }

/** Unlike a loop over the stream, leaves its writing half open. */
function readAll(stream: NodeJS.ReadWriteStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    stream.on('data', piece => pieces.push(piece))
    stream.on('end', () => resolve(Buffer.concat(pieces).toString()))
    stream.on('error', reject)
    stream.on('close', () => reject(new Error('closed before its end')))
  })
}

describe('portForward', () => {
  it('is a connection to the port, and leaves nothing behind', async () => {
    const { client, ended } = await node(data => {
      void readAll(data).then(text => data.end(`port ${data.headers.port} got ${text}`))
    })
    const connection = await client.portForward(POD, 8080)
    connection.end('GET /')
    expect(await readAll(connection)).toBe('port 8080 got GET /')
    await Promise.all(ended)
  })

  it('breaks with what the node says', async () => {
    const { client } = await node((_data, errors) => errors.end('nothing listens on 8080'))
    const connection = await client.portForward(POD, 8080)
    await expect(readAll(connection)).rejects.toThrow('port 8080 of the pod cannot be reached: nothing listens on 8080')
  })

  it('ends with its signal', async () => {
    const { client, ended } = await node(data => data.write('first'))
    const controller = new AbortController()
    const connection = (await client.portForward(POD, 8080, { signal: controller.signal })) as Duplex
    const reading = readAll(connection)
    reading.catch(() => {})
    controller.abort()
    await expect(reading).rejects.toThrow()
    await Promise.all(ended)
  })
})
