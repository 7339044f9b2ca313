import { LIVE_PROTOCOL, type LiveMessage, type LiveRequest, type LiveSubscription } from '../../api/live.ts'
import { get } from '../request.ts'

/** What the stream says of itself. */
export type LiveState =
  | { state: 'connecting' }
  | { state: 'live' }
  /** The connection is gone; the next attempt is at `until`. */
  | { state: 'reconnecting'; until: number; since: number }

export interface LiveHandler {
  onRows(rows: readonly unknown[]): void
  onGap(): void
  /** The server follows from here on. */
  onStart?(): void
  onError?(error: { code: string; what: string }): void
}

interface Following {
  subscription: LiveSubscription
  handler: LiveHandler
  polling?: AbortController
}

const SHORTEST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000
/** The server beats every five seconds. */
const SILENCE_MS = 16_000
/** A network between may let requests pass and WebSockets not. */
const FAILURES_UNTIL_POLLING = 3

/** The one connection of this tab. Follows topics from a cursor, across reconnects without a gap. */
export class LiveConnection {
  readonly #following = new Map<number, Following>()
  readonly #listeners = new Set<() => void>()
  #socket: WebSocket | undefined
  #state: LiveState = { state: 'connecting' }
  #next = 1
  #failures = 0
  #lastHeard = 0
  #brokenSince = 0
  #nextTry = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  get state(): LiveState {
    return this.#state
  }

  onState(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns how to end it. */
  follow(topic: Omit<LiveSubscription, 'id'>, handler: LiveHandler): () => void {
    const id = this.#next++
    const following: Following = { subscription: { id, ...topic }, handler }
    this.#following.set(id, following)
    if (this.#isOpen()) this.#send({ subscribe: following.subscription })
    else if (this.#isPolling()) void this.#poll(following)
    else this.#open()
    return () => {
      this.#following.delete(id)
      following.polling?.abort()
      if (this.#isOpen()) this.#send({ unsubscribe: id })
    }
  }

  /** Tries at once instead of after the wait. */
  retry(): void {
    clearTimeout(this.#timer)
    this.#open()
  }

  #isOpen = () => this.#socket?.readyState === WebSocket.OPEN
  #isPolling = () => this.#failures >= FAILURES_UNTIL_POLLING

  #open(): void {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/api/v1/live`, [LIVE_PROTOCOL])
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    socket.onopen = () => {
      this.#failures = 0
      this.#brokenSince = 0
      this.#heard()
      for (const { subscription, polling } of this.#following.values()) {
        polling?.abort()
        this.#send({ subscribe: subscription })
      }
      this.#become({ state: 'live' })
      this.#watchSilence(socket)
    }
    socket.onmessage = ({ data }) => this.#take(data as ArrayBuffer | string)
    socket.onclose = () => this.#broken(socket)
  }

  #broken(socket: WebSocket): void {
    if (socket !== this.#socket) return
    this.#socket = undefined
    // As long as long requests are answered nothing is missed.
    const isCarried = this.#isPolling() && this.#state.state === 'live'
    this.#failures++
    const wait = Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** (this.#failures - 1))
    this.#nextTry = Date.now() + wait
    if (!isCarried) this.#away()
    this.#timer = setTimeout(() => this.#open(), wait)
    if (this.#isPolling()) for (const following of this.#following.values()) void this.#poll(following)
  }

  #watchSilence(socket: WebSocket): void {
    const left = this.#lastHeard + SILENCE_MS - Date.now()
    setTimeout(
      () => {
        if (socket !== this.#socket || !this.#isOpen()) return
        if (Date.now() - this.#lastHeard < SILENCE_MS) return this.#watchSilence(socket)
        socket.close()
        this.#broken(socket)
      },
      Math.max(50, left),
    )
  }

  #heard(): void {
    this.#lastHeard = Date.now()
  }

  #take(data: ArrayBuffer | string): void {
    this.#heard()
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
    const message = JSON.parse(text) as LiveMessage
    if ('id' in message) this.#hand(message)
  }

  #hand(message: Exclude<LiveMessage, { beat: number }>): void {
    const following = this.#following.get(message.id)
    if (!following) return
    if ('error' in message) return following.handler.onError?.(message.error)
    if (message.cursor !== '') following.subscription = { ...following.subscription, cursor: message.cursor }
    if ('rows' in message && message.rows.length === 0) return following.handler.onStart?.()
    if ('gap' in message) following.handler.onGap()
    else following.handler.onRows(message.rows)
  }

  /** One long request after the other, until there is a WebSocket. */
  async #poll(following: Following): Promise<void> {
    if (following.polling) return
    const polling = new AbortController()
    following.polling = polling
    try {
      while (!polling.signal.aborted && !this.#isOpen()) {
        const { id, topic, q, ns, cursor } = following.subscription
        const answer = await get<object>('/poll', { topic, q, ns, cursor }, polling.signal)
        this.#brokenSince = 0
        this.#become({ state: 'live' })
        this.#hand({ id, ...answer } as Exclude<LiveMessage, { beat: number }>)
      }
    } catch {
      // The server is away: the WebSocket's own attempts find out when it is back.
      if (!polling.signal.aborted) this.#away()
    } finally {
      delete following.polling
    }
  }

  #away(): void {
    this.#brokenSince ||= Date.now()
    this.#become({ state: 'reconnecting', until: this.#nextTry, since: this.#brokenSince })
  }

  #send(request: LiveRequest): void {
    this.#socket?.send(JSON.stringify(request))
  }

  #become(state: LiveState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
