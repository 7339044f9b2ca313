import type { Msg, MsgHdrs, NatsConnection, NodeConnectionOptions, RequestOptions } from '@nats-io/transport-node'
import { asError, delay, type Env } from '@tiphys/env'
import { unreachable } from '../failures.ts'

/** An answer of the JetStream API that is an error. */
export class StreamApiError extends Error {
  readonly code: number
  /** Stable over versions of the server, unlike the text. */
  readonly errorCode: number

  constructor({ code, err_code, description }: ApiError) {
    super(description)
    this.code = code
    this.errorCode = err_code
  }
}

export interface ApiError {
  code: number
  err_code: number
  description: string
}

/** No answer, or one that says that there will be one later. */
export class NoAnswer extends Error {}

export const STREAM_NOT_FOUND = 10059
export const NAME_IN_USE = 10058
export const MESSAGE_NOT_FOUND = 10037
export const WRONG_LAST_SEQUENCE = 10071
/** A message was refused: a limit of the stream, or a write that failed. */
export const STORE_FAILED = 10077
/** A limit of the account or the server is reached. */
export const NO_RESOURCES: ReadonlySet<number> = new Set([10023, 10028, 10047])

const ANSWER_MS = 5000
const UNAVAILABLE = 503
const NOT_FOUND = 404
const END_OF_BATCH = 204
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [20, 1000]

interface LinkListener {
  onLost(): void
  /** The connection is closed for good. */
  onEnd(error: Error): void
}

/** A connection to NATS servers that comes back by itself, for as long as it is not closed. */
export class Link {
  readonly nats: NatsConnection
  readonly makeHeaders: () => MsgHdrs
  /** A subject that nobody else has. */
  readonly makeInbox: () => string
  readonly #env: Env
  readonly #listeners = new Set<LinkListener>()
  readonly #waiting = new Set<() => void>()
  /** How often the connection was lost. */
  losses = 0
  isUp = true
  end: Error | undefined

  private constructor(nats: NatsConnection, makeHeaders: () => MsgHdrs, makeInbox: () => string, env: Env) {
    this.nats = nats
    this.makeHeaders = makeHeaders
    this.makeInbox = makeInbox
    this.#env = env
    void this.#watch()
    void nats.closed().then(error => this.#onEnd(error ?? new Error('the connection is closed')))
  }

  static async open(options: NodeConnectionOptions, env: Env, place: string): Promise<Link> {
    // Loaded here, so that only those who use it wait for it.
    const { connect, createInbox, headers } = await import('./nats-client.ts')
    try {
      const nats = await connect({
        maxReconnectAttempts: -1,
        reconnectTimeWait: 200,
        reconnectJitter: 100,
        pingInterval: 10_000,
        timeout: ANSWER_MS,
        ...options,
      })
      return new Link(
        nats,
        () => headers(),
        () => createInbox(options.inboxPrefix),
        env,
      )
    } catch (error) {
      throw unreachable(place, error)
    }
  }

  listen(listener: LinkListener): void {
    this.#listeners.add(listener)
    if (this.end) listener.onEnd(this.end)
  }

  async close(): Promise<void> {
    await this.nats.close()
  }

  /** Asks once. Rejects with NoAnswer when nothing is known, also when the connection is lost meanwhile. */
  ask(subject: string, payload: Uint8Array | string = '', options: Partial<RequestOptions> = {}): Promise<Msg> {
    if (!this.isUp) return Promise.reject(new NoAnswer(this.end?.message ?? 'there is no connection'))
    return new Promise((resolve, reject) => {
      const lose = () => reject(new NoAnswer('the connection was lost'))
      this.#waiting.add(lose)
      this.nats
        .request(subject, payload, { timeout: ANSWER_MS, ...options })
        .then(resolve, error => reject(new NoAnswer(asError(error).message, { cause: error })))
        .finally(() => this.#waiting.delete(lose))
    })
  }

  /** Asks the JetStream API once. */
  async call<T>(operation: string, body?: object): Promise<T> {
    const answer = await this.ask(`$JS.API.${operation}`, body ? JSON.stringify(body) : '')
    return readAnswer<T>(answer)
  }

  /** All messages that answer one question, up to the one that says that there are no more. */
  askForMany(subject: string, body: object): Promise<Msg[]> {
    if (!this.isUp) return Promise.reject(new NoAnswer(this.end?.message ?? 'there is no connection'))
    return new Promise((resolve, reject) => {
      const found: Msg[] = []
      const finish = (error?: Error) => {
        timer.cancel()
        this.#waiting.delete(lose)
        answers.unsubscribe()
        if (error) reject(error)
        else resolve(found)
      }
      const lose = () => finish(new NoAnswer('the connection was lost'))
      const timer = this.#env.clock.schedule(ANSWER_MS, () => finish(new NoAnswer(`no answer in ${ANSWER_MS} ms`)))
      const reply = this.makeInbox()
      const answers = this.nats.subscribe(reply, {
        callback: (error, message) => {
          const code = message.headers?.code ?? 0
          if (error) finish(new NoAnswer(error.message))
          else if (code === 0) found.push(message)
          else if (code === END_OF_BATCH || code === NOT_FOUND) finish()
          else finish(new NoAnswer(`${code} ${message.headers?.description}`))
        },
      })
      this.#waiting.add(lose)
      this.nats.publish(subject, JSON.stringify(body), { reply })
    })
  }

  /** Repeats a task until it is answered, or the signal or the end of the connection stops it. */
  async persist<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await task()
      } catch (error) {
        if (!(error instanceof NoAnswer) || this.end || signal?.aborted) throw error
        await delay(this.#env.clock, pause, signal).catch(() => Promise.reject(error))
      }
    }
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (type === 'disconnect' && this.isUp) {
        this.isUp = false
        this.losses++
        this.#env.log.warn('lost the connection to NATS')
        for (const lose of this.#waiting) lose()
        for (const { onLost } of this.#listeners) onLost()
      } else if (type === 'reconnect') {
        this.isUp = true
        this.#env.log.info('connected to NATS again')
      }
    }
  }

  #onEnd(error: Error): void {
    this.isUp = false
    this.end = error
    for (const lose of this.#waiting) lose()
    for (const { onEnd } of this.#listeners) onEnd(error)
  }
}

/** What an answer of the JetStream API says. */
export function readAnswer<T>(answer: Msg): T {
  if (answer.headers?.code === UNAVAILABLE) throw new NoAnswer('nobody answers for the stream')
  const content = answer.json<T & { error?: ApiError }>()
  if (!content.error) return content
  const { code, err_code, description } = content.error
  const isFinal = err_code === STORE_FAILED || NO_RESOURCES.has(err_code)
  if (code === UNAVAILABLE && !isFinal) throw new NoAnswer(description)
  throw new StreamApiError(content.error)
}
