import type { Duplex } from 'node:stream'

/** A request as the API defines it, before it becomes bytes. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path alone, already escaped: `/apis/apps/v1/namespaces/default/deployments/web`. */
  path: string
  query?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Lower-case names. */
  headers?: Readonly<Record<string, string | readonly string[]>>
  /** A JSON value. The transport copies or serialises it: the caller may change it afterwards. */
  body?: unknown
  signal?: AbortSignal
  /** The caller changes nothing of what it is given: it may be shared with others who read. */
  readsOnly?: boolean
}

export interface TransportResponse {
  status: number
  /** Lower-case names. `warning` may be repeated. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed JSON where the answer is JSON, else the text. Belongs to the caller, unless it only reads. */
  body: unknown
}

/** How a `Client` reaches an API server: over HTTP(S), or by direct calls into one in this process.
 *  A transport reports what the server said and never throws for a status code; it throws a `ConnectionFailure` when
 *  there was no answer. */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>
  /** A stream of JSON values (a watch). A refusal before the stream started is one `ApiError`. When the signal aborts, its
   *  reason is thrown. */
  stream(request: TransportRequest): AsyncIterable<unknown>
  /** The raw body (logs). */
  bytes(request: TransportRequest): AsyncIterable<Uint8Array>
  /** A WebSocket with one of the given subprotocols, as a duplex in object mode: every chunk, both ways, is one binary
   *  message. Ending it says goodbye. A refusal is one `ApiError`. */
  upgrade(request: TransportRequest, subprotocols: readonly string[]): Promise<{ protocol: string; socket: Duplex }>
  close(): Promise<void>
}
