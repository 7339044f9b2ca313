import type { Duplex } from 'node:stream'
import type { Archive, FollowBatch, FollowTopic, Scope } from '@tiphys/archive'
import { asError, delay, type Env, Failure, type Timer } from '@tiphys/env'
import type { LiveMessage, LiveRequest, LiveSubscription, LiveTopic, LiveUpdate } from '../api/live.ts'
import { LIVE_REQUEST } from '../api/live-request.ts'
import { badRequest, HttpFailure } from './http-failure.ts'
import { checked } from './route.ts'
import { within } from './routes/list-query.ts'

const TOPICS: Readonly<Record<LiveTopic, readonly FollowTopic[]>> = {
  events: ['events'],
  runs: ['runs'],
  changes: ['events', 'runs', 'health', 'audit'],
}
const BEAT_MS = 5000
const AGAIN_MS = 2000
/** Who has read nothing for so long is not there. */
const STALLED_MS = 60_000
export const MOST_SUBSCRIPTIONS = 32
/** What was ended takes a moment to end. */
const MOST_UNFINISHED = 2 * MOST_SUBSCRIPTIONS
const LONGEST_REQUEST = 64 * 2 ** 10

/** What is new of a topic, from its cursor on. */
async function* updates(
  archive: Archive,
  { topic, q, cursor }: Omit<LiveSubscription, 'id'>,
  scope: Scope | undefined,
  signal: AbortSignal,
): AsyncIterable<LiveUpdate> {
  const selection = { ...(q !== undefined && q !== '' && { query: q }), ...within(scope) }
  const topics = TOPICS[topic].map(each => ({ topic: each, selection }))
  for await (const batch of archive.follow(topics, cursor, signal)) {
    if (batch.isCut) yield { gap: true, cursor: batch.cursor }
    else if (topic === 'changes')
      yield { rows: [...new Set(batch.items.map(({ type }) => type))], cursor: batch.cursor }
    else yield { rows: batch.items.flatMap(rowOf), cursor: batch.cursor }
  }
}

const rowOf = (each: FollowBatch['items'][number]) => (each.type === 'event' || each.type === 'run' ? [each.item] : [])

/** The first thing that is new, or nothing after so long. */
export async function nextUpdate(
  archive: Archive,
  subscription: Omit<LiveSubscription, 'id'>,
  { scope, signal }: { scope: Scope | undefined; signal: AbortSignal },
): Promise<LiveUpdate | undefined> {
  try {
    for await (const update of updates(archive, subscription, scope, signal)) return update
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return undefined
}

export interface LiveOptions {
  env: Env
  archive: Archive
  /** What the one at the other end may see now; rejects when they are no longer who they were. */
  scope(namespace?: string): Promise<Scope | undefined>
  /** Called for each thing that they follow; gives what is to be called when that has ended. Throws when they follow too much. */
  follow(): () => void
}

/** Serves one WebSocket until it ends. A receiver that is slow slows its own topics down, and is told of the gap; what it asks for meanwhile
 *  is read when it has read. */
export function serveLive(socket: Duplex, { env, archive, scope, follow: begin }: LiveOptions): void {
  const following = new Map<number, AbortController>()
  let unfinished = 0
  /** What is sent while the receiver is slow waits for the same. */
  let draining: Promise<void> | undefined
  let beat: Timer

  /** Requests that nobody waits for the answers of would pile up. */
  const readOn = () => {
    if (draining === undefined && unfinished < MOST_UNFINISHED) socket.resume()
    else socket.pause()
  }

  const untilDrained = async (): Promise<void> => {
    // They come again, and go on where they were.
    const patience = env.clock.schedule(STALLED_MS, () => socket.destroy())
    await drained(socket)
    patience.cancel()
    draining = undefined
    readOn()
  }

  const send = async (message: LiveMessage): Promise<void> => {
    if (socket.destroyed || socket.writableEnded) return
    if (socket.write(JSON.stringify(message))) return
    draining ??= untilDrained()
    readOn()
    await draining
  }

  const end = () => {
    beat.cancel()
    for (const each of following.values()) each.abort()
    following.clear()
  }

  /** Unknown is not denied: whoever cannot be asked about now is asked about again. */
  const known = async (namespace: string | undefined, signal: AbortSignal) => {
    for (let isLate = false; ; isLate = true) {
      try {
        return { visible: await scope(namespace), isLate }
      } catch (error) {
        if (signal.aborted || !(error instanceof HttpFailure) || error.status !== 503) throw error
        await delay(env.clock, AGAIN_MS, signal)
      }
    }
  }

  /** Rights are looked at again before anything is sent, and from time to time; when they changed, what is sent changes with them. */
  const follow = async (subscription: LiveSubscription, ended: AbortController): Promise<void> => {
    const { id, ns } = subscription
    let { cursor } = subscription
    await send({ id, rows: [], cursor: cursor ?? '' })
    while (!ended.signal.aborted) {
      const { visible, isLate } = await known(ns, ended.signal)
      if (ended.signal.aborted) return
      // Without a cursor nobody knows what came meanwhile.
      if (isLate && cursor === undefined) await send({ id, gap: true, cursor: '' })
      const part = new AbortController()
      const stop = () => part.abort()
      ended.signal.addEventListener('abort', stop, { once: true })
      const look = () => {
        check = env.clock.schedule(2 * BEAT_MS, look)
        scope(ns).then(
          now => areOther(now, visible) && part.abort(),
          () => {}, // unknown is not denied: asked again with the next look, and before anything is sent
        )
      }
      let check = env.clock.schedule(2 * BEAT_MS, look)
      try {
        for await (const update of updates(
          archive,
          { ...subscription, ...(cursor !== undefined && { cursor }) },
          visible,
          part.signal,
        )) {
          const now = await known(ns, ended.signal)
          if (ended.signal.aborted) return
          // What was read with other rights is read again.
          if (areOther(now.visible, visible)) part.abort()
          if (part.signal.aborted) break
          cursor = update.cursor
          await send({ id, ...update })
        }
        if (!part.signal.aborted) return
      } catch (error) {
        if (!part.signal.aborted) throw error
      } finally {
        check.cancel()
        ended.signal.removeEventListener('abort', stop)
      }
    }
  }

  const take = (request: LiveRequest): void => {
    if ('unsubscribe' in request) {
      following.get(request.unsubscribe)?.abort()
      following.delete(request.unsubscribe)
      return
    }
    const { q = '', ns = '', cursor = '', ...needed } = request.subscribe
    const subscription = { ...needed, ...(q && { q }), ...(ns && { ns }), ...(cursor && { cursor }) }
    const { id } = subscription
    if (following.size >= MOST_SUBSCRIPTIONS && !following.has(id)) {
      const what = `no more than ${MOST_SUBSCRIPTIONS} things are followed over one connection`
      void send({ id, error: errorOf(badRequest(what)) })
      return
    }
    following.get(id)?.abort()
    following.delete(id)
    let finish: () => void
    try {
      finish = begin()
    } catch (thrown) {
      void send({ id, error: errorOf(thrown) })
      return
    }
    const ended = new AbortController()
    following.set(id, ended)
    unfinished++
    follow(subscription, ended)
      .catch(async thrown => {
        if (ended.signal.aborted) return
        following.delete(id)
        await send({ id, error: errorOf(thrown) })
      })
      .finally(() => {
        finish()
        unfinished--
        readOn()
      })
    readOn()
  }

  const beatOn = () => {
    beat = env.clock.schedule(BEAT_MS, () => {
      // To whoever does not read it tells nothing.
      if (draining === undefined) void send({ beat: env.clock.now() })
      beatOn()
    })
  }
  beatOn()
  socket.on('error', () => socket.destroy()) // the other end went without a goodbye: nothing to do but to stop
  socket.on('close', end)
  socket.on('end', end)
  socket.on('data', (message: Buffer) => {
    if (socket.writableEnded) return
    try {
      take(requestOf(message))
    } catch (thrown) {
      void send({ id: 0, error: errorOf(thrown) })
      socket.end()
    }
  })
}

const areOther = (now: Scope | undefined, before: Scope | undefined): boolean =>
  now !== before && JSON.stringify(now) !== JSON.stringify(before)

/** Resolves when there is room for more, or no use for it. */
function drained(socket: Duplex): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      socket.off('drain', end).off('close', end)
      resolve()
    }
    socket.on('drain', end).on('close', end)
  })
}

function requestOf(message: Buffer): LiveRequest {
  if (message.length > LONGEST_REQUEST) throw badRequest('the message is too long')
  return checked(parsed(message.toString()), LIVE_REQUEST, 'the message')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw badRequest('the message is no JSON')
  }
}

function errorOf(thrown: unknown): { code: string; what: string } {
  const error = asError(thrown)
  return { code: error instanceof Failure ? error.code : 'console-internal', what: error.message }
}
