import type { Duplex } from 'node:stream'
import { ApiError, type Status, type Transport, type TransportRequest, type TransportResponse } from '@tiphys/kube'
import { jsonCopy } from '../json-value.ts'
import type { ApiRequest, User } from '../request/api-request.ts'
import type { ApiResponse, WatchStream } from '../request/api-response.ts'
import type { Json } from '../schema/schema.ts'

/** Direct calls into a server in this process, as one user. Nothing is serialised: what goes in and what comes out is
 *  copied once, so that neither side can change what the other holds. */
export function inProcessTransport(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  user: User,
  connect?: (request: ApiRequest, subprotocols: readonly string[]) => Promise<{ protocol: string; socket: Duplex }>,
): Transport {
  const call = (request: TransportRequest) => handle(apiRequest(request, user))
  return {
    async request(request) {
      return transportResponse(await call(request))
    },
    async *stream(request) {
      const response = await call(request)
      if (response.body.type !== 'watch') throw new ApiError(transportResponse(response).body as Status)
      yield* watchEvents(response.body.start, request.signal)
    },
    async *bytes(request) {
      const response = await call(request)
      if (response.status >= 400) throw new ApiError(transportResponse(response).body as Status)
      if (response.body.type === 'bytes') yield response.body.bytes
      else if (response.body.type === 'text') yield Buffer.from(response.body.text)
      else if (response.body.type === 'stream') yield* response.body.chunks
    },
    upgrade(request, subprotocols) {
      if (!connect) throw new Error('this server has no connections into pods')
      return connect(apiRequest(request, user), subprotocols)
    },
    close: async () => {},
  }
}

function apiRequest(request: TransportRequest, user: User): ApiRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value === undefined) continue
    for (const one of typeof value === 'string' ? [value] : value) query.append(name, one)
  }
  return {
    method: request.method,
    path: request.path,
    query,
    headers: request.headers ?? {},
    body: async () => ({ value: jsonCopy(request.body ?? null) as Json }),
    user,
    signal: request.signal ?? new AbortController().signal,
  }
}

function transportResponse(response: ApiResponse): TransportResponse {
  const { status, headers, body } = response
  const value = body.type === 'json' ? jsonCopy(body.value()) : body.type === 'text' ? body.text : undefined
  return { status, headers, body: value }
}

/** A watch as an iteration. Events wait in memory while the caller is busy; they are shared until then and copied at the
 *  moment they are handed over. */
async function* watchEvents(
  start: (sink: import('../request/api-response.ts').WatchSink) => WatchStream,
  signal: AbortSignal | undefined,
): AsyncIterable<unknown> {
  const queue: (() => unknown)[] = []
  let ended = false
  let wake: (() => void) | undefined
  const notify = () => {
    wake?.()
    wake = undefined
  }
  const stream = start({
    send(_line, event) {
      queue.push(event)
      notify()
    },
    isBehind: () => false,
    end() {
      ended = true
      notify()
    },
  })
  const onAbort = () => {
    stream.stop()
    ended = true
    notify()
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      const event = queue.shift()
      if (event) yield jsonCopy(event())
      else if (ended) return
      else {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      if (signal?.aborted) return
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stream.stop()
  }
}
