import { uuid } from '@tiphys/env'
import type { Problem } from '../problem.ts'
import type { RedisReply } from '../redis/resp.ts'
import { jsonBody, MessageIntake, metadataTail } from './message-intake.ts'
import { checkRedisServer, connectRedis, REDIS_SERVER_SHAPE, type RedisServerSpec } from './redis-server.ts'
import { runSource } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceEvent, SourceHost, SourceType } from './source.ts'

/** An entry of `spec.redis` of an EventSource. */
export interface RedisSpec extends RedisServerSpec {
  /** Where upstream looks for the password; here it is the EventSource's namespace. */
  namespace?: string
  channels?: readonly string[]
  jsonBody?: boolean
  metadata?: Readonly<Record<string, string>>
  filter?: { expression?: string }
}

const SHAPE: Shape = {
  ...REDIS_SERVER_SHAPE,
  namespace: 'string',
  channels: ['string'],
  jsonBody: 'boolean',
  metadata: { '*': 'string' },
  filter: { expression: 'string' },
}

/** A connection on which nothing comes for so long is asked whether it is still there. */
const QUIET_MS = 25_000

/** Messages of Redis' channels. Redis keeps none of them: what is sent while nobody listens is gone, and said. */
export const redisSource: SourceType<RedisSpec> = {
  type: 'redis',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({
        reason: 'NotConnected',
        message: `Does not listen to Redis at ${spec.hostAddress}, messages may be lost: ${message}`,
      }),
      (stopped, counted) => listen(spec, counted, stopped),
    ),
}

function check(spec: RedisSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  if (problems.some(({ severity }) => severity === 'error')) return problems
  if (!spec.channels || spec.channels.length === 0)
    problems.push({ path: 'channels', message: 'channel/s must be specified', severity: 'error' })
  return [...problems, ...checkRedisServer(spec)]
}

async function listen(spec: RedisSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const intake = new MessageIntake(host, stopped)
  const connection = await connectRedis(spec, host, stopped)
  try {
    const { channels = [] } = spec
    connection.send('SUBSCRIBE', ...channels)
    let confirmed = 0
    let isAsked = false
    for (;;) {
      const reply = await connection.read(QUIET_MS)
      if (reply === undefined) {
        if (isAsked) throw new Error(`the server has said nothing for ${(2 * QUIET_MS) / 1000} s`)
        connection.send('PING')
        isAsked = true
        continue
      }
      isAsked = false
      if (reply instanceof Error) throw reply
      const [kind, channel, payload] = Array.isArray(reply) ? (reply as readonly RedisReply[]) : []
      if (kind === 'subscribe' && ++confirmed === channels.length) host.report({ state: 'active' })
      if (kind === 'message') await intake.add(() => eventOf(String(channel), String(payload), spec, host))
    }
  } finally {
    connection.close()
    await intake.drained()
  }
}

function eventOf(channel: string, payload: string, spec: RedisSpec, { env }: SourceHost): SourceEvent {
  const body = spec.jsonBody ? jsonBody(payload) : JSON.stringify(payload)
  return {
    id: uuid(env.random).replaceAll('-', ''),
    time: new Date(env.clock.now()).toISOString(),
    data: `{"channel":${JSON.stringify(channel)},"pattern":"","body":${body}${metadataTail(spec.metadata)}}`,
  }
}
