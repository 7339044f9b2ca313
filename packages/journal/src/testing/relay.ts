import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A network between a client and a server that can be cut, and that can lose what the server says. */
export class Relay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Loses what the server says until the connection is cut. */
  isDeaf = false
  /** How many bytes of the server were lost. */
  lost = 0
  #onLost: (() => void) | undefined

  private constructor(port: () => number) {
    this.#server = createServer(client => {
      const upstream = connect(port(), '127.0.0.1')
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket)
        socket.on('error', () => {}) // a cut connection is what this is for
        socket.on('close', () => {
          this.#sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
      }
      client.pipe(upstream)
      upstream.on('data', data => {
        if (!this.isDeaf) return void client.write(data)
        this.lost += data.length
        this.#onLost?.()
      })
    })
  }

  /** Starts a network to a server's port, which may change. */
  static async start(port: () => number): Promise<Relay> {
    const relay = new Relay(port)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends every connection without a word. */
  cut(): void {
    this.isDeaf = false
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Resolves when the next bytes of the server are lost. */
  losing(): Promise<void> {
    return new Promise(resolve => (this.#onLost = resolve))
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
