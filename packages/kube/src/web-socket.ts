import { createHash } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import https, { type AgentOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { type Random, systemRandom } from '@tiphys/env'
import {
  encodeFrame,
  OPCODE,
  type WebSocketFrame,
  WebSocketFrameReader,
  WebSocketProtocolError,
} from './web-socket-frames.ts'

// Written here and not taken from a library: Kubernetes' subprotocols have a slash in their names (`SPDY/3.1+…`), which
// the standard forbids and libraries therefore refuse.

const LARGEST_MESSAGE = 64 * 1024 * 1024

export interface WebSocketOptions {
  /** http(s):// */
  url: string
  subprotocols: readonly string[]
  headers: Record<string, string | string[]>
  tls?: AgentOptions
  /** What the connection goes over, in place of a new one to the address. */
  connection?: Duplex
  signal?: AbortSignal
  random?: Random
}

/** Opens a WebSocket as a duplex of messages, or gives the server's refusal to be read. */
export async function openWebSocket(
  options: WebSocketOptions,
): Promise<{ protocol: string; socket: Duplex } | { refusal: IncomingMessage }> {
  const { url, subprotocols, headers, tls, connection, signal, random = systemRandom } = options
  const key = Buffer.from(random.bytes(16)).toString('base64')
  const call = (url.startsWith('https:') ? https : http).request(url, {
    ...tls,
    ...(connection ? { createConnection: () => connection } : { agent: false }),
    headers: {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      'sec-websocket-protocol': subprotocols.join(', '),
    },
    ...(signal && { signal }),
  })
  call.end()
  return new Promise((resolve, reject) => {
    call.once('error', reject)
    call.once('response', refusal => resolve({ refusal }))
    call.once('upgrade', (response, socket, head) => {
      const protocol = response.headers['sec-websocket-protocol'] ?? ''
      if (response.headers['sec-websocket-accept'] !== acceptKeyFor(key) || !subprotocols.includes(protocol)) {
        socket.destroy()
        reject(new WebSocketProtocolError('the server agreed to something that was not asked for'))
        return
      }
      const duplex = new WebSocketDuplex(socket, head, { role: 'client', random, largest: LARGEST_MESSAGE })
      const onAbort = () => duplex.destroy(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      duplex.once('close', () => signal?.removeEventListener('abort', onAbort))
      resolve({ protocol, socket: duplex })
    })
  })
}

/** The server's side: agrees to the first subprotocol of the client's that is supported. Undefined, with nothing sent, when
 *  the request is no WebSocket handshake or there is no such subprotocol. */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  supported: readonly string[],
  /** The longest message that is taken, in bytes; 64 MiB unless told otherwise. */
  largest = LARGEST_MESSAGE,
): { protocol: string; socket: Duplex } | undefined {
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim())
  const protocol = offered.find(name => supported.includes(name))
  if (upgrade?.toLowerCase() !== 'websocket' || version !== '13' || !key || protocol === undefined) return undefined
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${acceptKeyFor(key)}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  )
  return { protocol, socket: new WebSocketDuplex(socket, head, { role: 'server', random: systemRandom, largest }) }
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

function acceptKeyFor(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64')
}

const CLOSE_NORMALLY = Uint8Array.of(1000 >> 8, 1000 & 0xff)

/** A WebSocket as a duplex in object mode: every chunk, both ways, is one message. Ending it says goodbye; a goodbye of the
 *  other side ends both halves. */
class WebSocketDuplex extends Duplex {
  readonly #socket: Duplex
  readonly #isClient: boolean
  readonly #random: Random
  readonly #frames: WebSocketFrameReader
  readonly #largest: number
  /** The parts of a message whose last part has not come. */
  #parts: Buffer[] = []
  #partsLength = 0
  #saidGoodbye = false
  /** Nothing more will come. */
  #isRead = false

  constructor(
    socket: Duplex,
    head: Buffer,
    { role, random, largest }: { role: 'client' | 'server'; random: Random; largest: number },
  ) {
    super({ objectMode: true, allowHalfOpen: true })
    this.#socket = socket
    this.#isClient = role === 'client'
    this.#random = random
    this.#frames = new WebSocketFrameReader({ expectsMask: role === 'server', largest })
    this.#largest = largest
    socket.on('data', (piece: Buffer) => this.#receive(piece))
    socket.on('error', error => this.destroy(error))
    const onEnd = () => this.#endWithSocket()
    socket.on('end', onEnd) // a server's sockets stay half open by themselves
    socket.on('close', onEnd)
    if (head.length > 0) this.#receive(head)
  }

  #endWithSocket(): void {
    if (!this.#saidGoodbye) this.destroy(brokenOff())
    // What came before is still to be read: whoever reads slowly gets it, and the end after it.
    else if (this.readableLength === 0) this.destroy()
    else this.#endReading()
  }

  #endReading(): void {
    if (this.#isRead) return
    this.#isRead = true
    this.push(null)
  }

  #receive(piece: Buffer): void {
    try {
      for (const frame of this.#frames.push(piece)) this.#take(frame)
    } catch (thrown) {
      this.destroy(thrown as Error)
    }
  }

  #take({ opcode, isLast, payload }: WebSocketFrame): void {
    switch (opcode) {
      case OPCODE.ping:
        // To whoever pings and does not read, answers would pile up.
        if (!this.#socket.writableNeedDrain) this.#send(OPCODE.pong, payload)
        return
      case OPCODE.pong:
        return
      case OPCODE.close:
        this.#sayGoodbye()
        this.#endReading()
        this.end()
        this.#socket.end()
        return
      case OPCODE.continuation:
      case OPCODE.text:
      case OPCODE.binary:
        return this.#takePart(payload, isLast)
      default:
        throw new WebSocketProtocolError(`a frame has the unknown opcode ${opcode}`)
    }
  }

  #takePart(payload: Buffer, isLast: boolean): void {
    if (payload.length > 0 || isLast) this.#parts.push(payload)
    this.#partsLength += payload.length
    if (this.#partsLength > this.#largest) throw new WebSocketProtocolError('a message is too large')
    if (!isLast) return
    const message = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts, this.#partsLength)
    this.#parts = []
    this.#partsLength = 0
    if (!this.push(message)) this.#socket.pause()
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(message: Uint8Array | string, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#saidGoodbye) return done()
    this.#send(OPCODE.binary, typeof message === 'string' ? Buffer.from(message) : message, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#sayGoodbye()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // A goodbye that is on its way still arrives; what the other side says afterwards is not waited for.
    if (this.#saidGoodbye && !error) this.#socket.end(() => this.#socket.destroy())
    else this.#socket.destroy()
    done(error)
  }

  #sayGoodbye(): void {
    if (this.#saidGoodbye) return
    this.#saidGoodbye = true
    this.#send(OPCODE.close, CLOSE_NORMALLY)
  }

  #send(opcode: number, payload: Uint8Array, done?: (error?: Error | null) => void): void {
    if (!this.#socket.writable) {
      done?.()
      return
    }
    this.#socket.write(encodeFrame(opcode, payload, this.#isClient ? this.#random.bytes(4) : undefined), done)
  }
}

const brokenOff = () => new Error('the connection ended without a goodbye')
