import type { Problem } from '../problem.ts'
import { openRedis, type RedisConnection } from '../redis/redis-connection.ts'
import type { Shape } from './shape.ts'
import type { SourceHost } from './source.ts'
import { checkTls, SECRET_SHAPE, type SecretRef, TLS_SHAPE, type TlsConfig, tlsSecrets } from './tls-config.ts'

/** Where Redis is and who asks, as the entries of `spec.redis` and `spec.redisStream` write it. */
export interface RedisServerSpec {
  /** HOST:PORT. */
  hostAddress?: string
  db?: number
  username?: string
  password?: SecretRef
  tls?: TlsConfig
}

export const REDIS_SERVER_SHAPE = {
  hostAddress: 'string',
  db: 'number',
  username: 'string',
  password: SECRET_SHAPE,
  tls: TLS_SHAPE,
} as const satisfies Shape

const DEFAULT_PORT = 6379

export function checkRedisServer({ hostAddress = '', tls }: RedisServerSpec): Problem[] {
  const error = (message: string): Problem => ({ path: 'hostAddress', message, severity: 'error' })
  if (hostAddress === '') return [error('host address must be specified'), ...checkTls(tls)]
  return [
    ...(addressOf(hostAddress) ? [] : [error(`${JSON.stringify(hostAddress)} is not HOST:PORT`)]),
    ...checkTls(tls),
  ]
}

function addressOf(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(text)
  const port = Number(match?.[3] ?? DEFAULT_PORT)
  return match && port < 65_536 ? { host: (match[1] ?? match[2]) as string, port } : undefined
}

export async function connectRedis(
  { hostAddress = '', db = 0, username = '', password, tls }: RedisServerSpec,
  host: SourceHost,
  signal: AbortSignal,
): Promise<RedisConnection> {
  const address = addressOf(hostAddress)
  if (!address) throw new Error(`${JSON.stringify(hostAddress)} is not HOST:PORT`)
  return openRedis({
    ...address,
    db,
    username,
    ...(password && { password: await host.secret(password) }),
    ...(tls && { tls: await tlsSecrets(tls, host) }),
    clock: host.env.clock,
    signal,
  })
}
