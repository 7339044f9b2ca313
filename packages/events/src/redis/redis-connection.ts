import type { Socket } from 'node:net'
import type { Clock } from '@tiphys/env'
import { openSocket } from '../open-socket.ts'
import type { TlsSecrets } from '../sources/tls-config.ts'
import { encodeCommand, RedisFailure, type RedisReply, ReplyReader } from './resp.ts'

export interface RedisOptions {
  host: string
  port: number
  tls?: TlsSecrets
  username?: string
  password?: string
  db?: number
  clock: Clock
  /** Ends the connection, and whatever waits for it. */
  signal: AbortSignal
}

const ANSWER_MS = 30_000

/** A connection to a Redis server. Replies are read one by one: what nobody asks for stays with the server. */
export interface RedisConnection {
  /** Sends a command and reads its reply. Throws the server's refusal, or why there is no reply. */
  command(...parts: (string | number)[]): Promise<RedisReply>
  send(...parts: (string | number)[]): void
  /** The next reply; undefined when none came in time. */
  read(timeoutMs: number): Promise<RedisReply | undefined>
  close(): void
}

/** Opens a connection, says who it is and selects the database. */
export async function openRedis(options: RedisOptions): Promise<RedisConnection> {
  const connection = new SocketConnection(await openSocket(options, options.clock, options.signal), options)
  try {
    const { username = '', password, db = 0 } = options
    if (password !== undefined)
      await connection.command('AUTH', ...(username === '' ? [password] : [username, password]))
    if (db !== 0) await connection.command('SELECT', db)
    await connection.command('PING')
    return connection
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

class SocketConnection implements RedisConnection {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #reader = new ReplyReader()
  readonly #signal: AbortSignal
  readonly #abort: () => void
  #failure: Error | undefined
  /** Tells whoever waits that something has come, or that nothing will. */
  #wake = () => {}

  constructor(socket: Socket, { clock, signal }: RedisOptions) {
    this.#socket = socket
    this.#clock = clock
    this.#signal = signal
    this.#abort = () => this.#fail(signal.reason as Error)
    signal.addEventListener('abort', this.#abort, { once: true })
    socket.pause()
    socket.on('data', (chunk: Buffer) => {
      socket.pause()
      this.#reader.push(chunk)
      this.#wake()
    })
    socket.on('error', error => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server has closed the connection')))
  }

  async command(...parts: (string | number)[]): Promise<RedisReply> {
    this.send(...parts)
    const reply = await this.read(ANSWER_MS)
    if (reply === undefined) throw new Error(`the server did not answer ${parts[0]} within ${ANSWER_MS / 1000} s`)
    if (reply instanceof RedisFailure) throw reply
    return reply
  }

  send(...parts: (string | number)[]): void {
    if (!this.#failure) this.#socket.write(encodeCommand(parts))
  }

  async read(timeoutMs: number): Promise<RedisReply | undefined> {
    let isOver = false
    const timer = this.#clock.schedule(timeoutMs, () => {
      isOver = true
      this.#wake()
    })
    try {
      for (;;) {
        const reply = this.#reader.next()
        if (reply !== undefined) return reply
        if (this.#failure) throw this.#failure
        if (isOver) return undefined
        await new Promise<void>(resolve => {
          this.#wake = resolve
          this.#socket.resume()
        })
      }
    } finally {
      timer.cancel()
    }
  }

  close(): void {
    this.#fail(new Error('the connection is closed'))
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#signal.removeEventListener('abort', this.#abort)
    this.#socket.destroy()
    this.#wake()
  }
}
