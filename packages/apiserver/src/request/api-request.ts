import type { Readable } from 'node:stream'
import type { Json } from '../schema/schema.ts'

export interface User {
  name: string
  uid?: string
  groups: readonly string[]
  extra?: Readonly<Record<string, readonly string[]>>
}

/** The subject of a certificate that was verified. */
export interface ClientCertificate {
  commonName: string
  organizations: readonly string[]
}

/** A request before it is understood, from a socket or from a caller in this process. */
export interface ApiRequest {
  method: string
  /** The path as it was sent, still escaped. */
  path: string
  query: URLSearchParams
  /** Lower-case names; a header that was sent several times is joined as HTTP says, impersonation headers stay apart. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Reads the body; rejects with a StatusError when it is too large. A JSON value when the caller is in this process:
   *  it is a private copy by then. */
  body(): Promise<RequestBody>
  /** The body as it comes, of any size, for those who pass it on. */
  bodyStream?(): Readable
  /** The caller asks for another protocol on its connection, and the connection can be handed over. */
  canUpgrade?: boolean
  /** Who is asking, when the caller in this process says so; else the credentials decide. */
  user?: User
  /** Whose client certificate the connection has shown; 'untrusted' for one that this server did not issue. */
  certificate?: ClientCertificate | 'untrusted'
  /** Aborted when the caller went away. */
  signal: AbortSignal
}

export type RequestBody = { bytes: Uint8Array } | { value: Json }

export function header(request: ApiRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
