import { createCipheriv, createDecipheriv, createHash, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Env } from '@tiphys/env'

/** What a cookie stands for. */
export interface Session {
  /** The token that the person gave; what they may do is asked for with it. */
  token: string
  since: number
}

export interface SessionOptions {
  env: Env
  /** What cookies are sealed with. With the same secret they outlive a restart. */
  secret: string
  maxAgeMs: number
}

/** So many that were ended are remembered. */
const MOST_ENDED = 10_000

/** Sessions live in the cookie itself, sealed: the server keeps none, so none is lost when it starts anew. It keeps those that somebody has
 *  ended, for as long as it runs: a copy of the cookie is worth nothing then. */
export class Sessions {
  readonly #env: Env
  readonly #key: Buffer
  readonly #maxAgeMs: number
  /** In the order in which they were ended. */
  readonly #ended = new Set<string>()

  constructor({ env, secret, maxAgeMs }: SessionOptions) {
    this.#env = env
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'tiphys console session', 32))
    this.#maxAgeMs = maxAgeMs
  }

  seal(token: string): string {
    const iv = this.#env.random.bytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const session: Session = { token, since: this.#env.clock.now() }
    const sealed = Buffer.concat([cipher.update(JSON.stringify(session)), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** Undefined when it was not sealed here, was changed, or is too old. */
  open(cookie: string): Session | undefined {
    const bytes = Buffer.from(cookie, 'base64url')
    // There are other spellings of the same bytes; ours is the one that was given out.
    if (bytes.length < 29 || bytes.toString('base64url') !== cookie) return undefined
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()
      const session = JSON.parse(text) as Session
      if (this.#ended.has(cookie)) return undefined
      return this.#env.clock.now() - session.since < this.#maxAgeMs ? session : undefined
    } catch {
      return undefined // somebody else's cookie, or an old key's: the person signs in again
    }
  }

  end(cookie: string): void {
    if (!this.open(cookie)) return
    const [oldest] = this.#ended
    if (this.#ended.size >= MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest)
    this.#ended.add(cookie)
  }

  /** The header that sets the cookie. Not `Secure` on plain HTTP, where browsers would drop it. */
  cookie(name: string, value: string, isSecure: boolean): string {
    const age = Math.floor(this.#maxAgeMs / 1000)
    return `${name}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }
}

export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}

/** Compares in a time that tells nothing of where they differ. */
export function isSameToken(a: string, b: string): boolean {
  const digest = (token: string) => createHash('sha256').update(token).digest()
  return timingSafeEqual(digest(a), digest(b))
}
