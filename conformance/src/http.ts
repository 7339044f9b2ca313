import { connect, type TLSSocket } from 'node:tls'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** An API server that answers on loopback. */
export interface Endpoint {
  host: string
  port: number
  /** PEM of what signed the server's certificate. */
  caCertificate: string
}

export interface Request {
  method: string
  /** Sent as it is, without escaping or resolving dots. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface Answer {
  status: number
  headers: Map<string, string[]>
  text: string
}

/** One TLS connection that speaks HTTP/1.1 without adding, dropping or reordering anything the caller asked for.
 *  Requests on one connection must not overlap. */
export class Connection {
  readonly #socket: TLSSocket
  readonly #host: string
  #pending: Buffer = Buffer.alloc(0)
  #ended = false
  #wake: (() => void) | undefined

  private constructor(socket: TLSSocket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
      this.#wake?.()
    })
    const end = () => {
      this.#ended = true
      this.#wake?.()
    }
    socket.on('end', end)
    socket.on('close', end)
    // A reset is the end of the answer for the reader; what is missing shows in the transcript.
    socket.on('error', end)
  }

  static async open(endpoint: Endpoint): Promise<Connection> {
    const socket = connect({
      host: endpoint.host,
      port: endpoint.port,
      ca: endpoint.caCertificate,
      ALPNProtocols: ['http/1.1'],
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
    return new Connection(socket, `${endpoint.host}:${endpoint.port}`)
  }

  get isOpen(): boolean {
    return !this.#ended && !this.#socket.destroyed
  }

  async request(request: Request): Promise<Answer> {
    this.#send(request)
    const { status, headers } = await this.#readHead()
    const body: Buffer[] = []
    for await (const chunk of this.#readBody(request.method, status, headers)) body.push(chunk)
    if (headers.get('connection')?.includes('close')) this.close()
    return { status, headers, text: Buffer.concat(body).toString('utf8') }
  }

  /** The head of an answer and its lines as they arrive; the caller closes the connection to end an endless answer. */
  async stream(
    request: Request,
  ): Promise<{ status: number; headers: Map<string, string[]>; lines: AsyncGenerator<string> }> {
    this.#send(request)
    const { status, headers } = await this.#readHead()
    return { status, headers, lines: splitLines(this.#readBody(request.method, status, headers)) }
  }

  /** Bytes exactly as given, and every byte that comes back until the server closes or has been silent. */
  async exchangeBytes(bytes: string | Buffer, silenceMilliseconds: number): Promise<string> {
    this.#socket.write(bytes)
    while (!this.#ended) {
      const before = this.#pending.length
      await this.#more(silenceMilliseconds)
      if (this.#pending.length === before) break
    }
    this.close()
    return this.#pending.toString('latin1')
  }

  close(): void {
    this.#socket.destroy()
  }

  #send({ method, path, headers = {}, body }: Request): void {
    const length = body === undefined ? undefined : Buffer.byteLength(body)
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${this.#host}`]
    for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`)
    if (length !== undefined) head.push(`Content-Length: ${length}`)
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n`, 'latin1')
    if (body !== undefined) this.#socket.write(body)
  }

  async #readHead(): Promise<{ status: number; headers: Map<string, string[]> }> {
    const [statusLine = '', ...lines] = (await this.#readUntil('\r\n\r\n')).toString('latin1').split('\r\n')
    const headers = new Map<string, string[]>()
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
    }
    const status = Number(statusLine.split(' ')[1])
    return status === 100 ? this.#readHead() : { status, headers }
  }

  async *#readBody(method: string, status: number, headers: Map<string, string[]>): AsyncGenerator<Buffer> {
    if (method === 'HEAD' || status === 204 || status === 304) return
    if (headers.get('transfer-encoding')?.includes('chunked')) {
      for (;;) {
        const size = Number.parseInt((await this.#readUntil('\r\n')).toString('latin1'), 16)
        if (!(size > 0)) break
        yield await this.#readExactly(size)
        await this.#readUntil('\r\n')
      }
      await this.#readUntil('\r\n')
      return
    }
    const length = headers.get('content-length')?.[0]
    if (length !== undefined) yield await this.#readExactly(Number(length))
    else yield await this.#readToEnd()
  }

  async #readUntil(delimiter: string): Promise<Buffer> {
    for (;;) {
      const at = this.#pending.indexOf(delimiter)
      if (at >= 0) {
        const found = this.#pending.subarray(0, at)
        this.#pending = this.#pending.subarray(at + delimiter.length)
        return found
      }
      if (this.#ended) return this.#take(this.#pending.length)
      await this.#more()
    }
  }

  async #readExactly(length: number): Promise<Buffer> {
    while (this.#pending.length < length && !this.#ended) await this.#more()
    return this.#take(length)
  }

  async #readToEnd(): Promise<Buffer> {
    while (!this.#ended) await this.#more()
    return this.#take(this.#pending.length)
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return taken
  }

  async #more(atMostMilliseconds?: number): Promise<void> {
    await new Promise<void>(resolve => {
      this.#wake = resolve
      if (atMostMilliseconds !== undefined) setTimeout(resolve, atMostMilliseconds)
    })
    this.#wake = undefined
  }
}

async function* splitLines(chunks: AsyncGenerator<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
      yield rest.subarray(0, at).toString('utf8')
      rest = rest.subarray(at + 1)
    }
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

/** Parses JSON and keeps integers that a JavaScript number cannot hold, as `int:…` strings. Text that is not JSON is
 *  returned as it is. */
export function parseLossless(text: string): Json {
  const kept = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, token =>
    token.startsWith('"') ? token : `"int:${token}"`,
  )
  try {
    return JSON.parse(kept) as Json
  } catch {
    return text
  }
}
