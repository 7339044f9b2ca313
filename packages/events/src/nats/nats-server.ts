import {
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node'
import type { Shape } from '../sources/shape.ts'
import { SECRET_SHAPE, type SecretRef, TLS_SHAPE, type TlsConfig, tlsSecrets } from '../sources/tls-config.ts'

/** Where NATS is and who asks, as sources and triggers write it. */
export interface NatsServerSpec {
  /** One address or several, with commas between them. */
  url?: string
  tls?: TlsConfig
  auth?: {
    basic?: { username?: SecretRef; password?: SecretRef }
    token?: SecretRef
    /** The seed of a user. */
    nkey?: SecretRef
    /** The contents of a .creds file. */
    credential?: SecretRef
  }
}

export const NATS_SERVER_SHAPE = {
  url: 'string',
  tls: TLS_SHAPE,
  auth: {
    basic: { username: SECRET_SHAPE, password: SECRET_SHAPE },
    token: SECRET_SHAPE,
    nkey: SECRET_SHAPE,
    credential: SECRET_SHAPE,
  },
} as const satisfies Shape

const CONNECT_MS = 10_000
/** A server that leaves three of these without an answer is gone: seen within a minute, however quiet the subject is. */
const PING_MS = 15_000

/** The addresses of a url, as NATS' other clients read it. Throws an Error with what is none. */
export function natsAddresses(url: string): { host: string; port: number }[] {
  return url.split(',').map(part => {
    const text = part.trim()
    let parsed: URL
    try {
      // Of a scheme that it knows, so that hosts are read as hosts.
      parsed = new URL(text.includes('://') ? text.replace(/^(?:nats|tls):/, 'http:') : `http://${text}`)
    } catch (cause) {
      throw new Error(`${JSON.stringify(text)} is no address of a NATS server`, { cause })
    }
    if (parsed.protocol !== 'http:' || parsed.hostname === '')
      throw new Error(`${JSON.stringify(text)} is no address of a NATS server: it is nats://HOST:PORT`)
    if (parsed.username !== '')
      throw new Error('a NATS address with a user in it is not supported: name a Secret in auth instead')
    // The default port of http is left out of a URL.
    const port = /:80(?:\/|$)/.test(text) ? 80 : Number(parsed.port || 4222)
    return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port }
  })
}

/** What NATS' client is told beside the addresses. One attempt, one address each: whoever calls tries again. */
export async function natsOptions(
  { tls, auth = {} }: NatsServerSpec,
  host: { secret(ref: SecretRef): Promise<string> },
): Promise<ConnectionOptions> {
  return {
    name: 'tiphys',
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    reconnect: false,
    ignoreClusterUpdates: true,
    ...(tls && { tls: await tlsSecrets(tls, host) }),
    ...(await authOptions(auth, host)),
  }
}

async function authOptions(
  { basic, token, nkey, credential }: NonNullable<NatsServerSpec['auth']>,
  { secret }: { secret(ref: SecretRef): Promise<string> },
): Promise<ConnectionOptions> {
  const text = async (ref: SecretRef | undefined) => (ref ? (await secret(ref)).trim() : '')
  if (basic) return { user: await text(basic.username), pass: await text(basic.password) }
  if (token) return { token: await text(token) }
  const bytes = new TextEncoder()
  if (nkey) return { authenticator: nkeyAuthenticator(bytes.encode(await text(nkey))) }
  if (credential) return { authenticator: credsAuthenticator(bytes.encode(await text(credential))) }
  return {}
}

/** Resolves when the server has handled everything that was sent before: it answers in order. Throws when the connection
 *  ends first. */
export async function flushed(connection: NatsConnection): Promise<void> {
  const ended = connection.closed().then(problem => {
    throw problem ?? new Error('the connection has ended')
  })
  await Promise.race([connection.flush(), ended])
}
