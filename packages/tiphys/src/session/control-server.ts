import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asError, type Env, Failure, TerminalFailure } from '@tiphys/env'

/** What other commands may ask a running instance: calls with an answer, and streams of answers. Arguments and answers
 *  are JSON. */
export interface ControlMethods {
  calls: Readonly<Record<string, (...args: readonly never[]) => Promise<unknown>>>
  streams: Readonly<Record<string, (signal: AbortSignal, ...args: readonly never[]) => AsyncIterable<unknown>>>
}

/** An answer with something beside it for the person who asks. */
export class Noted {
  readonly result: unknown
  readonly note: string

  constructor(result: unknown, note: string) {
    this.result = result
    this.note = note
  }
}

export interface ControlServer {
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/** A failure as it travels. */
export interface FailureMessage {
  code: string
  what: string
  why?: string
  todo?: string
}

const LARGEST_BODY = 8 * 2 ** 20
const TOKEN_BYTES = 24

/** Serves the commands of this machine's user on loopback. A caller shows the token of `server.json`, which only its
 *  owner can read; a browser cannot, as it does not know the token and no answer allows other origins. */
export async function startControlServer(env: Env, methods: ControlMethods): Promise<ControlServer> {
  const token = Buffer.from(env.random.bytes(TOKEN_BYTES)).toString('base64url')
  const streams = new Set<AbortController>()
  const server = createServer((request, response) => {
    answer(request, response).catch(thrown => {
      if (response.headersSent) response.destroy()
      else send(response, 500, { failure: failureMessage(thrown) })
    })
  })

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!isAllowed(request, token))
      return refuse(response, 401, new TerminalFailure('cli-token', { what: 'the token is wrong' }))
    const [, version, type, name = ''] = (request.url ?? '').split('/')
    const args = JSON.parse(await bodyOf(request)) as never[]
    if (request.method === 'POST' && version === 'v1' && type === 'call' && Object.hasOwn(methods.calls, name)) {
      const result = await methods.calls[name]?.(...args).then(
        result => (result instanceof Noted ? { result: result.result, note: result.note } : { result }),
        thrown => ({ failure: failureMessage(thrown) }),
      )
      return send(response, result && 'failure' in result ? 422 : 200, result)
    }
    if (request.method === 'POST' && version === 'v1' && type === 'stream' && Object.hasOwn(methods.streams, name)) {
      const stopping = new AbortController()
      streams.add(stopping)
      response.on('close', () => stopping.abort())
      try {
        return await stream(response, methods.streams[name]?.(stopping.signal, ...args) ?? [])
      } finally {
        streams.delete(stopping)
      }
    }
    const what = `this instance does not know ${name}`
    return refuse(
      response,
      404,
      new TerminalFailure('cli-unknown-call', { what, todo: 'Start it again with this version' }),
    )
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    async close() {
      for (const stopping of streams) stopping.abort()
      server.close()
      server.closeAllConnections()
    },
  }
}

function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return headers.origin === undefined && given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += (part as Buffer).length
    if (bytes > LARGEST_BODY) throw new Error(`a call may have ${LARGEST_BODY} bytes at most`)
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString() || '[]'
}

async function stream(response: ServerResponse, items: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  try {
    for await (const result of items) if (!response.write(`${JSON.stringify({ result })}\n`)) await drained(response)
    response.end()
  } catch (thrown) {
    response.end(`${JSON.stringify({ failure: failureMessage(thrown) })}\n`)
  }
}

/** Resolves when more may be written, or when nobody reads any more. */
const drained = (response: ServerResponse): Promise<unknown> =>
  response.destroyed ? Promise.resolve() : Promise.race([once(response, 'drain'), once(response, 'close')])

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const refuse = (response: ServerResponse, status: number, failure: Failure) =>
  send(response, status, { failure: failureMessage(failure) })

function failureMessage(thrown: unknown): FailureMessage {
  const error = asError(thrown)
  const failure = error instanceof Failure ? error : new TerminalFailure('cli-call-failed', { what: error.message })
  const { code, what, why, todo } = failure
  return { code, what, ...(why !== undefined && { why }), ...(todo !== undefined && { todo }) }
}
