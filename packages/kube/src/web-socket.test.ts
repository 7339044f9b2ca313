import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type AnsweringServer, answeringServer } from './answering-server.ts'
import { acceptWebSocket, openWebSocket } from './web-socket.ts'
import { encodeFrame, OPCODE, WebSocketFrameReader } from './web-socket-frames.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function serve(): Promise<AnsweringServer> {
  const server = await answeringServer(() => {})
  open.push(server)
  return server
}

/** Our server, with every WebSocket that it accepts. */
async function serveOurs(protocols: string[]): Promise<{ server: AnsweringServer; accepted: Promise<Duplex> }> {
  const server = await serve()
  const accepted = new Promise<Duplex>(resolve => {
    server.server.on('upgrade', (request, socket, head) => {
      const opened = acceptWebSocket(request, socket, head, protocols)
      if (opened) resolve(opened.socket.on('error', () => {}))
      else socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
    })
  })
  return { server, accepted }
}

async function dial(server: AnsweringServer, subprotocols: string[]) {
  const opened = await openWebSocket({ url: server.url, subprotocols, headers: {}, tls: {} })
  if (!('socket' in opened)) throw new Error(`refused with ${opened.refusal.statusCode}`)
  open.push({ close: () => opened.socket.destroy() })
  return opened
}

async function take(socket: Duplex, count: number): Promise<Buffer[]> {
  const messages: Buffer[] = []
  while (messages.length < count) {
    const message = socket.read()
    if (message === null) await once(socket, 'readable')
    else messages.push(message)
  }
  return messages
}

const sizes = [0, 1, 125, 126, 65_535, 65_536, 1_000_000]

describe('our client', () => {
  it('exchanges messages of every size with another implementation', async () => {
    const server = await serve()
    const sockets = new WebSocketServer({ server: server.server })
    sockets.on('connection', socket => socket.on('message', message => socket.send(message)))
    const { socket, protocol } = await dial(server, ['v5.channel.k8s.io'])
    expect(protocol).toBe('v5.channel.k8s.io')
    for (const size of sizes) {
      const message = Buffer.alloc(size, 'x')
      socket.write(message)
      expect((await take(socket, 1))[0]?.equals(message)).toBe(true)
    }
  })

  it('answers pings, joins parts, and ends when the server says goodbye', async () => {
    const server = await serve()
    const sockets = new WebSocketServer({ server: server.server })
    const ponged = new Promise<string>(resolve => {
      sockets.on('connection', socket => {
        socket.on('pong', payload => {
          resolve(payload.toString())
          socket.close()
        })
        socket.send('hel', { fin: false })
        socket.send('lo', { fin: true })
        socket.ping('are you there')
      })
    })
    const { socket } = await dial(server, ['p'])
    const messages: string[] = []
    for await (const message of socket) messages.push(message.toString())
    expect(messages).toEqual(['hello'])
    expect(await ponged).toBe('are you there')
  })

  it('gives whoever reads slowly all that came before the goodbye', async () => {
    const { server, accepted } = await serveOurs(['x'])
    const { socket } = await dial(server, ['x'])
    const theirs = await accepted
    const messages = Array.from({ length: 100 }, (_, index) => `message ${index}`)
    for (const message of messages) theirs.write(message)
    theirs.resume().end()
    const read: string[] = []
    for await (const message of socket) {
      read.push(String(message))
      for (let turn = 0; turn < 10; turn++) await new Promise<void>(resolve => setImmediate(resolve))
    }
    expect(read).toEqual(messages)
  })

  it('breaks when the connection ends without a goodbye', async () => {
    const server = await serve()
    const sockets = new WebSocketServer({ server: server.server })
    sockets.on('connection', socket => socket.terminate())
    const { socket } = await dial(server, ['p'])
    await expect(once(socket, 'end')).rejects.toThrow()
  })
})

describe('our server', () => {
  it('exchanges messages of every size with another implementation', async () => {
    const { server, accepted } = await serveOurs(['p'])
    const client = new WebSocket(server.url.replace('http', 'ws'), ['q', 'p'])
    open.push({ close: () => client.terminate() })
    await once(client, 'open')
    expect(client.protocol).toBe('p')
    const socket = await accepted
    for (const size of sizes) {
      const message = Buffer.alloc(size, 'y')
      client.send(message)
      const [received] = await take(socket, 1)
      expect(received?.equals(message)).toBe(true)
      socket.write(message)
      const [answer] = await once(client, 'message')
      expect((answer as Buffer).equals(message)).toBe(true)
    }
    socket.end()
    const [code] = await once(client, 'close')
    expect(code).toBe(1000)
  })

  it('takes subprotocols with a slash, and refuses those it does not know', async () => {
    const { server, accepted } = await serveOurs(['SPDY/3.1+portforward.k8s.io'])
    await expect(dial(server, ['other'])).rejects.toThrow('refused with 400')
    const { socket } = await dial(server, ['SPDY/3.1+portforward.k8s.io'])
    socket.write('hi')
    expect((await take(await accepted, 1)).map(String)).toEqual(['hi'])
  })
})

describe('frames', () => {
  const mask = Uint8Array.of(1, 2, 3, 4)
  const reader = (expectsMask: boolean) => new WebSocketFrameReader({ expectsMask, largest: 1000 })

  it('of a message that is longer than the server takes end the connection, whole or in parts', async () => {
    for (const parts of [[1001], [600, 401]]) {
      const server = await serve()
      const failed = new Promise<string>(resolve => {
        server.server.on('upgrade', (request, socket, head) => {
          const opened = acceptWebSocket(request, socket, head, ['x'], 1000)
          opened?.socket.resume().on('error', error => resolve(error.message))
        })
      })
      const client = new WebSocket(server.url.replace('https', 'wss'), ['x'], { rejectUnauthorized: false })
      open.push({ close: () => client.terminate() })
      client.on('error', () => {})
      await once(client, 'open')
      for (const [i, size] of parts.entries()) client.send('x'.repeat(size), { fin: i === parts.length - 1 })
      expect(await failed).toMatch(/too large|larger than 1000 bytes/)
    }
  })

  it('are read in any pieces', () => {
    const bytes = Buffer.concat([
      encodeFrame(OPCODE.binary, Buffer.alloc(300, 'a'), mask),
      encodeFrame(OPCODE.ping, Buffer.from('p'), mask),
    ])
    const frames = reader(true)
    expect([...bytes].flatMap(byte => frames.push(Buffer.of(byte)))).toEqual([
      { opcode: OPCODE.binary, isLast: true, payload: Buffer.alloc(300, 'a') },
      { opcode: OPCODE.ping, isLast: true, payload: Buffer.from('p') },
    ])
  })

  it.each([
    ['that the client did not mask', true, encodeFrame(OPCODE.binary, Buffer.from('x'), undefined), 'did not mask'],
    ['that the server masked', false, encodeFrame(OPCODE.binary, Buffer.from('x'), mask), 'a server masked'],
    ['with an extension', false, Buffer.from([0xc2, 0]), 'extension'],
    ['of control that are long', false, Buffer.from([0x89, 126, 0, 200]), 'control frame'],
    ['of control in parts', false, Buffer.from([0x09, 0]), 'control frame'],
    ['larger than allowed', false, Buffer.from([0x82, 126, 4, 0]), 'larger than 1000 bytes'],
  ])('%s are refused', (_what, expectsMask, bytes, message) => {
    expect(() => reader(expectsMask).push(bytes)).toThrow(message)
  })
})
