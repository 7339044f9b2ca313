import { addAbortSignal, type Readable } from 'node:stream'
import type { Env } from '@tiphys/env'
import {
  ApiError,
  parseJson,
  type Status,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@tiphys/kube'
import { jsonCopy } from '../json-value.ts'
import type { ApiRequest, User } from '../request/api-request.ts'
import type { ApiResponse, SentEvent } from '../request/api-response.ts'
import type { Json } from '../schema/schema.ts'
import { upgradeInProcess } from './in-process-upgrade.ts'
import type { TurnGate } from './turn-gate.ts'

/** Direct calls into a server in this process, as one user. Nothing is serialised: what goes in and what comes out is
 *  copied once, so that neither side can change what the other holds. Who only reads gets what is stored. */
export function inProcessTransport(
  env: Env,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  user: User,
  gate: TurnGate,
): Transport {
  const call = (request: TransportRequest) => handle(apiRequest(request, user))
  return {
    async request(request) {
      const turn = gate.enter()
      if (turn) await turn
      return transportResponse(await call(request), request.readsOnly)
    },
    stream: request => watchEvents(call, request),
    async *bytes(request) {
      const response = await call(request)
      if (response.status >= 400) throw await refusal(response)
      if (response.body.type === 'bytes') yield response.body.bytes
      else if (response.body.type === 'text') yield Buffer.from(response.body.text)
      else if (response.body.type === 'stream') yield* endingWith(request.signal, response.body.chunks)
    },
    upgrade: (request, subprotocols) =>
      upgradeInProcess(env, asked => handle({ ...asked, user }), request, subprotocols),
    close: async () => {},
  }
}

/** What comes while somebody wants it: a log that is followed may never end by itself. */
const endingWith = (signal: AbortSignal | undefined, chunks: Readable): Readable =>
  signal ? addAbortSignal(signal, chunks) : chunks

const refusal = async (response: ApiResponse): Promise<ApiError> =>
  new ApiError((await transportResponse(response)).body as Status)

function apiRequest(request: TransportRequest, user: User): ApiRequest {
  let { signal } = request
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
    // Making one costs more than many a request; few ask for it.
    get signal() {
      signal ??= new AbortController().signal
      return signal
    },
  }
}

async function transportResponse(
  { status, headers, body }: ApiResponse,
  readsOnly = false,
): Promise<TransportResponse> {
  switch (body.type) {
    case 'json':
      return { status, headers, body: readsOnly ? body.value() : jsonCopy(body.value()) }
    case 'text':
      return { status, headers, body: body.text }
    case 'stream': {
      const text = await readText(body.chunks)
      return { status, headers, body: String(headers['content-type']).includes('json') ? parseJson(text) : text }
    }
    default:
      return { status, headers, body: undefined }
  }
}

async function readText(chunks: Readable): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of chunks as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** A watch as an iteration. Events wait in memory while the caller is busy; they are shared until then. A caller that may
 *  change them gets a copy at the moment they are handed over. */
async function* watchEvents(
  call: (request: TransportRequest) => Promise<ApiResponse>,
  request: TransportRequest,
): AsyncIterable<unknown> {
  const { signal, readsOnly = false } = request
  const response = await call(request)
  if (response.body.type !== 'watch') throw await refusal(response)
  const queue: SentEvent[] = []
  let ended = false
  let wake: (() => void) | undefined
  const notify = () => {
    wake?.()
    wake = undefined
  }
  const stream = response.body.start({
    send(event) {
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
      if (event) {
        const { type, object } = event.value()
        yield { type, object: readsOnly ? object : jsonCopy(object) }
      } else if (ended) return
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
