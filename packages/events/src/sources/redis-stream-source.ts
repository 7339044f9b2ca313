import { eventId } from '../event-id.ts'
import type { Problem } from '../problem.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { RedisFailure, type RedisReply } from '../redis/resp.ts'
import { metadataTail } from './message-intake.ts'
import { checkRedisServer, connectRedis, REDIS_SERVER_SHAPE, type RedisServerSpec } from './redis-server.ts'
import { publishUntilTaken, runSource } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceHost, SourceType } from './source.ts'

/** An entry of `spec.redisStream` of an EventSource. */
export interface RedisStreamSpec extends RedisServerSpec {
  streams?: readonly string[]
  /** `argo-events-cg` by default. */
  consumerGroup?: string
  /** 10 by default. */
  maxMsgCountPerRead?: number
  metadata?: Readonly<Record<string, string>>
  filter?: { expression?: string }
}

const SHAPE: Shape = {
  ...REDIS_SERVER_SHAPE,
  streams: ['string'],
  consumerGroup: 'string',
  maxMsgCountPerRead: 'number',
  metadata: { '*': 'string' },
  filter: { expression: 'string' },
}

// Upstream's names: whoever comes from there goes on where it was.
const DEFAULT_GROUP = 'argo-events-cg'
const CONSUMER = 'argo-events-worker'
const DEFAULT_COUNT = 10
const READ = ['XREADGROUP', 'GROUP']
/** How long the server waits for something new, and how much longer its answer may take. */
const [BLOCK_MS, LATE_MS] = [2000, 30_000]

/** Entries of Redis' streams, by a consumer group. One is acknowledged when it is on the bus, and not before: after a crash
 *  it comes again, with the same id. */
export const redisStreamSource: SourceType<RedisStreamSpec> = {
  type: 'redisStream',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({
        reason: 'NotConnected',
        message: `Does not read from Redis at ${spec.hostAddress}: ${message}`,
      }),
      (stopped, counted) => follow(spec, counted, stopped),
    ),
}

function check(spec: RedisStreamSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  const { streams = [], maxMsgCountPerRead = 0 } = spec
  if (streams.length === 0) error('streams', 'stream/streams must be specified')
  if (new Set(streams).size < streams.length) error('streams', 'a stream is there more than once')
  if (!Number.isInteger(maxMsgCountPerRead) || maxMsgCountPerRead < 0 || maxMsgCountPerRead > 10_000)
    error('maxMsgCountPerRead', 'must be a whole number between 0 and 10000')
  return [...problems, ...checkRedisServer(spec)]
}

async function follow(spec: RedisStreamSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const connection = await connectRedis(spec, host, stopped)
  try {
    const { streams = [], consumerGroup, maxMsgCountPerRead } = spec
    const group = consumerGroup || DEFAULT_GROUP
    const count = maxMsgCountPerRead || DEFAULT_COUNT
    for (const stream of streams) await createGroup(connection, stream, group)
    host.report({ state: 'active' })
    // First what was read before and not acknowledged, from the beginning; then what is new.
    const after = new Map(streams.map(stream => [stream, '0']))
    while (!stopped.aborted) {
      connection.send(
        ...READ,
        group,
        CONSUMER,
        'COUNT',
        count,
        'BLOCK',
        BLOCK_MS,
        'STREAMS',
        ...after.keys(),
        ...after.values(),
      )
      const reply = await connection.read(BLOCK_MS + LATE_MS)
      if (reply === undefined) throw new Error('the server does not answer')
      if (reply instanceof Error) throw reply
      for (const { stream, entries } of readReply(reply)) {
        if (!(await publishAll(stream, entries, spec, host, stopped))) return
        const ids = entries.map(({ id }) => id)
        if (ids.length > 0) await connection.command('XACK', stream, group, ...ids)
        if (after.get(stream) !== '>') after.set(stream, ids.at(-1) ?? '>')
      }
    }
  } finally {
    connection.close()
  }
}

/** The group begins with what comes after it was made, as upstream's does. */
async function createGroup(connection: RedisConnection, stream: string, group: string): Promise<void> {
  try {
    await connection.command('XGROUP', 'CREATE', stream, group, '$')
  } catch (thrown) {
    if (thrown instanceof RedisFailure && thrown.message.startsWith('BUSYGROUP')) return
    if (thrown instanceof RedisFailure && thrown.message.includes('requires the key to exist'))
      throw new Error(`there is no stream ${stream} yet`, { cause: thrown })
    throw thrown
  }
}

interface StreamEntry {
  id: string
  /** Nothing for an entry that was deleted after it had been read. */
  values: Readonly<Record<string, string>> | undefined
}

/** A list of pairs of a stream and its entries; nothing when none came. */
function readReply(reply: RedisReply): { stream: string; entries: StreamEntry[] }[] {
  return listOf(reply).map(pair => {
    const [stream, entries = null] = listOf(pair)
    return { stream: String(stream), entries: listOf(entries).map(entryOf) }
  })
}

function entryOf(reply: RedisReply): StreamEntry {
  const [id, fields = null] = listOf(reply)
  if (fields === null) return { id: String(id), values: undefined }
  const flat = listOf(fields).map(String)
  const pairs = flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []))
  return { id: String(id), values: Object.fromEntries(pairs) }
}

const listOf = (reply: RedisReply): readonly RedisReply[] => (Array.isArray(reply) ? (reply as RedisReply[]) : [])

/** Whether all of them were published before the source was stopped. */
async function publishAll(
  stream: string,
  entries: readonly StreamEntry[],
  { metadata }: RedisStreamSpec,
  host: SourceHost,
  stopped: AbortSignal,
): Promise<boolean> {
  const { eventSource, entry, env } = host
  const published = entries.flatMap(({ id, values }) => {
    if (!values) return []
    const event = {
      id: eventId(eventSource.uid, entry, 'redisStream', stream, id),
      time: new Date(env.clock.now()).toISOString(),
      data: `{"stream":${JSON.stringify(stream)},"message_id":${JSON.stringify(id)},"values":${JSON.stringify(values)}${metadataTail(metadata)}}`,
    }
    return [publishUntilTaken(host, event, stopped)]
  })
  return (await Promise.all(published)).every(isTaken => isTaken)
}
