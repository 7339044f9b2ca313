import { asError, uuid } from '@tiphys/env'
import { grpcAddress, openGrpc } from '../grpc/grpc-connection.ts'
import { bytesField, decodeMessage, encodeMessage } from '../grpc/protobuf.ts'
import type { Problem } from '../problem.ts'
import { MessageIntake, messageBody, metadataTail } from './message-intake.ts'
import { runSource } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceEvent, SourceHost, SourceType } from './source.ts'
import { SECRET_SHAPE, type SecretRef } from './tls-config.ts'

/** An entry of `spec.generic` of an EventSource. */
export interface GenericSpec {
  /** HOST:PORT of a gRPC server. */
  url?: string
  /** For the server: what to send. */
  config?: string
  /** Without TLS. */
  insecure?: boolean
  jsonBody?: boolean
  authSecret?: SecretRef
  metadata?: Readonly<Record<string, string>>
  filter?: { expression?: string }
}

const SHAPE: Shape = {
  url: 'string',
  config: 'string',
  insecure: 'boolean',
  jsonBody: 'boolean',
  authSecret: SECRET_SHAPE,
  metadata: { '*': 'string' },
  filter: { expression: 'string' },
}

const METHOD = '/generic.Eventing/StartEventSource'
/** Of the messages EventSource and Event. */
const [NAME, CONFIG, PAYLOAD] = [1, 2, 2]

/** Events of a server that anybody can write, in any language: it is asked once, and answers with a stream. */
export const genericSource: SourceType<GenericSpec> = {
  type: 'generic',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({ reason: 'NotConnected', message: `Gets no events from ${spec.url}: ${message}` }),
      (stopped, counted) => follow(spec, counted, stopped),
    ),
}

function check(spec: GenericSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const { url = '', config = '' } = spec
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  if (url === '') error('url', "server url can't be empty")
  else {
    try {
      grpcAddress(url)
    } catch (thrown) {
      error('url', asError(thrown).message)
    }
  }
  if (config === '') error('config', "config can't be empty")
  return problems
}

async function follow(spec: GenericSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const { url = '', config = '', insecure = false, authSecret } = spec
  const intake = new MessageIntake(host, stopped)
  const connection = await openGrpc(
    { ...grpcAddress(url), ...(!insecure && { tls: {} }), clock: host.env.clock },
    stopped,
  )
  try {
    const metadata = authSecret ? { authorization: `Bearer ${await host.secret(authSecret)}` } : {}
    const request = encodeMessage([
      [NAME, host.entry],
      [CONFIG, config],
    ])
    const events = connection.stream(METHOD, request, { metadata, signal: stopped })
    host.report({ state: 'active' })
    for await (const event of events) await intake.add(() => eventOf(event, spec, host))
    throw new Error('the server has ended the stream')
  } finally {
    await connection.close()
    await intake.drained()
  }
}

function eventOf(message: Buffer, { jsonBody = false, metadata }: GenericSpec, { env }: SourceHost): SourceEvent {
  const payload = bytesField(decodeMessage(message), PAYLOAD)
  // A payload that is not there is nothing to Go, and bytes otherwise.
  const body = payload.length === 0 && !jsonBody ? 'null' : messageBody(payload, jsonBody)
  return {
    id: uuid(env.random).replaceAll('-', ''),
    time: new Date(env.clock.now()).toISOString(),
    data: `{"body":${body}${metadataTail(metadata)}}`,
  }
}
