import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

/** What an engine answers when it does not do what it was asked. */
export class EngineRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'EngineRefusal'
    this.status = status
  }
}

export interface EngineRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  query?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as JSON, or as it is when it is bytes (a tar archive). */
  body?: unknown
}

/** The HTTP API of a container engine behind a Unix socket: Docker's, or Podman's, which is the same as far as it is used
 *  here. What is refused throws an `EngineRefusal`; an engine that cannot be reached throws the system's error. */
export interface EngineClient {
  /** The answer's JSON; undefined when there is none. */
  json<Result>(path: string, request?: EngineRequest): Promise<Result>
  /** The answer as it comes. */
  stream(path: string, request?: EngineRequest): Promise<IncomingMessage>
  /** A connection to a container's or a program's streams. Ending it in one direction leaves the other open. */
  hijack(path: string, request?: EngineRequest): Promise<Duplex>
}

export function createEngineClient(socketPath: string): EngineClient {
  const send = (path: string, { method = 'GET', query = {}, body }: EngineRequest, headers = {}): ClientRequest => {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
    )
    const isBinary = body instanceof Uint8Array
    const payload = body === undefined || isBinary ? body : Buffer.from(JSON.stringify(body))
    const request = httpRequest({
      // Half-open, so that the end of a container's input does not end its output.
      createConnection: () => connect({ path: socketPath, allowHalfOpen: true }),
      // Without a version, which every engine understands: its own.
      path: `${path}${search.size > 0 ? `?${search.toString()}` : ''}`,
      method,
      headers: {
        Host: 'engine',
        ...headers,
        ...(payload && { 'Content-Type': isBinary ? 'application/x-tar' : 'application/json' }),
        ...(payload && { 'Content-Length': payload.length }),
      },
    })
    request.end(payload)
    return request
  }
  const stream = async (path: string, request: EngineRequest = {}): Promise<IncomingMessage> => {
    const response = await responseTo(send(path, request))
    if (isRefusal(response)) throw await refusal(response)
    return response
  }
  return {
    stream,
    async json<Result>(path: string, request: EngineRequest = {}) {
      const body = await text(await stream(path, request))
      return (body.trim() === '' ? undefined : JSON.parse(body)) as Result
    },
    hijack(path, request = {}) {
      return new Promise((resolve, reject) => {
        const pending = send(path, request, { Connection: 'Upgrade', Upgrade: 'tcp' })
        pending.once('error', reject)
        pending.once('upgrade', (_response, socket: Duplex, head: Buffer) => {
          if (head.length > 0) socket.unshift(head)
          resolve(socket)
        })
        pending.once('response', response => void refusal(response).then(reject, reject))
      })
    },
  }
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
}

function isRefusal({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 400
}

async function refusal(response: IncomingMessage): Promise<EngineRefusal> {
  const body = await text(response)
  let message = body.trim()
  try {
    const parsed = JSON.parse(body) as { message?: unknown }
    if (typeof parsed.message === 'string') message = parsed.message
  } catch {
    // Not every answer of every engine is JSON; its text says as much.
  }
  return new EngineRefusal(response.statusCode ?? 0, message || `the engine answered ${response.statusCode}`)
}
