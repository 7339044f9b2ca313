import type { Duplex } from 'node:stream'
import type { Archive, FollowTopic, Scope } from '@tiphys/archive'
import { asError, type Env, Failure, type Timer } from '@tiphys/env'
import type { LiveMessage, LiveRequest, LiveSubscription, LiveTopic } from '../api/live.ts'
import { badRequest } from './http-failure.ts'
import { within } from './routes/list-query.ts'

type Update = { rows: readonly unknown[]; cursor: string } | { gap: true; cursor: string }

const TOPICS: Readonly<Record<LiveTopic, readonly FollowTopic[]>> = {
  events: ['events'],
  runs: ['runs'],
  changes: ['events', 'runs', 'health', 'audit'],
}
const BEAT_MS = 5000
const MOST_SUBSCRIPTIONS = 32
const LONGEST_REQUEST = 64 * 2 ** 10

/** What is new of a topic, from its cursor on. */
async function* updates(
  archive: Archive,
  { topic, q, cursor }: Omit<LiveSubscription, 'id'>,
  scope: Scope | undefined,
  signal: AbortSignal,
): AsyncIterable<Update> {
  const selection = { ...(q !== undefined && q !== '' && { query: q }), ...within(scope) }
  const topics = TOPICS[topic].map(each => ({ topic: each, selection }))
  for await (const batch of archive.follow(topics, cursor, signal)) {
    if (batch.isCut) yield { gap: true, cursor: batch.cursor }
    else if (topic === 'changes')
      yield { rows: [...new Set(batch.items.map(({ type }) => type))], cursor: batch.cursor }
    else yield { rows: batch.items.map(({ item }) => item), cursor: batch.cursor }
  }
}

export function isLiveTopic(topic: string): topic is LiveTopic {
  return Object.hasOwn(TOPICS, topic)
}

/** The first thing that is new, or nothing after so long. */
export async function nextUpdate(
  archive: Archive,
  subscription: Omit<LiveSubscription, 'id'>,
  { scope, signal }: { scope: Scope | undefined; signal: AbortSignal },
): Promise<Update | undefined> {
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
}

/** Serves one WebSocket until it ends. A receiver that is slow slows its own topics down, and is told of the gap. */
export function serveLive(socket: Duplex, { env, archive, scope }: LiveOptions): void {
  const following = new Map<number, AbortController>()
  let beat: Timer

  const send = async (message: LiveMessage): Promise<void> => {
    if (socket.destroyed || socket.writableEnded) return
    if (socket.write(JSON.stringify(message))) return
    await new Promise<void>(resolve => {
      socket.once('drain', resolve)
      socket.once('close', resolve)
    })
  }

  const end = () => {
    beat.cancel()
    for (const each of following.values()) each.abort()
    following.clear()
  }

  /** Rights are looked at again with every beat; when they changed, what is sent changes with them. */
  const follow = async (subscription: LiveSubscription, ended: AbortController): Promise<void> => {
    const { id } = subscription
    let { cursor } = subscription
    await send({ id, rows: [], cursor: cursor ?? '' })
    while (!ended.signal.aborted) {
      const visible = await scope(subscription.ns)
      const part = new AbortController()
      const stop = () => part.abort()
      ended.signal.addEventListener('abort', stop, { once: true })
      const look = () => {
        check = env.clock.schedule(2 * BEAT_MS, look)
        scope(subscription.ns).then(
          now => JSON.stringify(now) !== JSON.stringify(visible) && part.abort(),
          () => {}, // unknown is not denied: asked again with the next look
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
    const subscription = checkedSubscription(request.subscribe)
    if (following.size >= MOST_SUBSCRIPTIONS) throw badRequest('too much is followed over one connection')
    following.get(subscription.id)?.abort()
    const ended = new AbortController()
    following.set(subscription.id, ended)
    follow(subscription, ended).catch(async thrown => {
      const error = asError(thrown)
      const code = error instanceof Failure ? error.code : 'console-internal'
      if (!ended.signal.aborted) await send({ id: subscription.id, error: { code, what: error.message } })
    })
  }

  const beatOn = () => {
    beat = env.clock.schedule(BEAT_MS, () => {
      void send({ beat: env.clock.now() })
      beatOn()
    })
  }
  beatOn()
  socket.on('error', () => socket.destroy()) // the other end went without a goodbye: nothing to do but to stop
  socket.on('close', end)
  socket.on('end', end)
  socket.on('data', (message: Buffer) => {
    try {
      if (message.length > LONGEST_REQUEST) throw badRequest('the message is too long')
      take(JSON.parse(message.toString()) as LiveRequest)
    } catch {
      socket.destroy()
    }
  })
}

function checkedSubscription(given: Partial<LiveSubscription> | undefined): LiveSubscription {
  const { id, topic, q, ns, cursor } = given ?? {}
  const isText = (value: unknown) => value === undefined || typeof value === 'string'
  if (!Number.isSafeInteger(id) || typeof topic !== 'string' || !isLiveTopic(topic)) throw badRequest('no such topic')
  if (!isText(q) || !isText(ns) || !isText(cursor)) throw badRequest('q, ns and cursor are texts')
  return {
    id: id as number,
    topic,
    ...(q && { q }),
    ...(ns && { ns }),
    ...(cursor && { cursor }),
  }
}
