import { readFileSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** For tests: a server that answers as the test says, and remembers what it was asked. */
export interface AnsweringServer {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  readonly server: http.Server
  /** How many connections were opened. */
  readonly connections: number
  close(): Promise<void>
}

export interface RecordedRequest {
  method: string
  url: string
  headers: http.IncomingHttpHeaders
  body: string
  /** The name in the client's certificate. */
  certificate: string | undefined
}

export type Answer = (request: RecordedRequest, response: ServerResponse, raw: IncomingMessage) => unknown

export const testCertificate = (name: string) =>
  readFileSync(new URL(`../testdata/tls/${name}`, import.meta.url), 'utf8')

export async function answeringServer(answer: Answer, options: { tls?: boolean } = {}): Promise<AnsweringServer> {
  const requests: RecordedRequest[] = []
  let connections = 0
  const onRequest = async (raw: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = []
    for await (const piece of raw as AsyncIterable<Buffer>) pieces.push(piece)
    const { method = '', url = '', headers } = raw
    const certificate = options.tls ? (raw.socket as TLSSocket).getPeerCertificate().subject?.CN : undefined
    const request = { method, url, headers, body: Buffer.concat(pieces).toString(), certificate }
    requests.push(request)
    await answer(request, response, raw)
  }
  const server = options.tls
    ? https.createServer(
        {
          cert: testCertificate('server.crt'),
          key: testCertificate('server.key'),
          ca: testCertificate('ca.crt'),
          requestCert: true,
          rejectUnauthorized: false,
        },
        (raw, response) => void onRequest(raw, response),
      )
    : http.createServer((raw, response) => void onRequest(raw, response))
  server.on(options.tls ? 'secureConnection' : 'connection', () => {
    connections++
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    server,
    get connections() {
      return connections
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: http.OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
