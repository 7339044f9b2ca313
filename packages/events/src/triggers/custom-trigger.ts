import { asError, Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'
import { formatYaml, outboundAddress } from '@tiphys/kube'
import { type GrpcConnection, grpcAddress, openGrpc } from '../grpc/grpc-connection.ts'
import { GrpcFailure } from '../grpc/grpc-failure.ts'
import { bytesField, decodeMessage, encodeMessage, type ProtoField } from '../grpc/protobuf.ts'
import type { Problem } from '../problem.ts'
import { applyParameters, constructPayload, type TriggerParameter } from '../sensor/parameters.ts'
import { problemsOf } from '../sources/shape.ts'
import { SECRET_SHAPE, type SecretRef } from '../sources/tls-config.ts'
import { ConnectionPool } from './connection-pool.ts'
import { evaluated } from './evaluated.ts'
import { isFields } from './merge.ts'
import { PARAMETERS_SHAPE, type TriggerHost, type TriggerType } from './trigger.ts'
import { apiFailure, invalidTrigger, notReached } from './trigger-failures.ts'

/** `custom` of a trigger's template, as manifests write it. */
export interface CustomSpec {
  /** HOST:PORT of a gRPC server. */
  serverURL?: string
  secure?: boolean
  /** PEM of who vouches for the server. */
  certSecret?: SecretRef
  serverNameOverride?: string
  /** For the server. */
  spec?: Readonly<Record<string, string>>
  payload?: readonly TriggerParameter[]
  /** Set in the resource that the server fetches, which must be JSON then. */
  parameters?: readonly TriggerParameter[]
}

const SERVICE = '/triggers.Trigger'
const TIMEOUT_MS = 60_000
const MOST_OF_ANSWER = 64 * 1024

/** Asks a server that anybody can write: for the resource, for what to do with it, and whether that was good. The calls
 *  carry `idempotency-key`, equal on every repeat. */
export function createCustomTrigger(): TriggerType<CustomSpec> {
  const connections = new ConnectionPool<GrpcConnection>()
  return {
    type: 'custom',
    check,
    execute(spec, host) {
      const [problem] = check(spec).filter(({ severity }) => severity === 'error')
      if (problem) throw invalidTrigger(`${problem.path}: ${problem.message}`)
      const { serverURL = '', secure, certSecret, serverNameOverride } = spec
      const key = JSON.stringify([host.sensor.namespace, serverURL, secure, certSecret, serverNameOverride])
      return connections.use(
        key,
        host.env.clock,
        () => open(spec, host),
        connection => carryOut(spec, new TriggerServer(connection, serverURL, host), host),
      )
    },
  }
}

function check(spec: CustomSpec): Problem[] {
  const problems = problemsOf(spec, {
    serverURL: 'string',
    secure: 'boolean',
    certSecret: SECRET_SHAPE,
    serverNameOverride: 'string',
    spec: { '*': 'string' },
    payload: PARAMETERS_SHAPE,
    parameters: PARAMETERS_SHAPE,
  })
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  const { serverURL = '', secure = false, certSecret } = spec
  if (serverURL === '') error('serverURL', 'custom trigger gRPC server url is not defined')
  else {
    try {
      grpcAddress(serverURL)
    } catch (thrown) {
      error('serverURL', asError(thrown).message)
    }
  }
  if (!spec.spec) error('spec', 'trigger body not defined')
  if (secure && !certSecret) error('certSecret', 'certSecret not defined')
  return problems
}

async function open(spec: CustomSpec, host: TriggerHost): Promise<GrpcConnection> {
  const { serverURL = '', secure = false, certSecret, serverNameOverride = '' } = spec
  const server = grpcAddress(serverURL)
  const bracketed = server.host.includes(':') ? `[${server.host}]` : server.host
  // The address is found once: a name that means another one a moment later changes nothing.
  const url = new URL(`http://${bracketed}:${server.port}`)
  const { address } = await outboundAddress(url, host.access.outbound ?? {})
  const tls = secure && {
    ...(certSecret && { ca: await certificateOf(certSecret, host) }),
    ...(serverNameOverride !== '' && { servername: serverNameOverride }),
  }
  try {
    return await openGrpc({ ...server, address, ...(tls && { tls }), clock: host.env.clock }, host.signal)
  } catch (thrown) {
    throw notReached(serverURL, thrown)
  }
}

async function certificateOf(ref: SecretRef, host: TriggerHost): Promise<string> {
  try {
    return await host.secret(ref)
  } catch (thrown) {
    throw apiFailure(thrown, 'The certificate of the server cannot be read')
  }
}

async function carryOut(spec: CustomSpec, server: TriggerServer, host: TriggerHost) {
  const { parameters = [], payload } = spec
  const [fetched] = await server.ask('FetchResource', [[1, formatYaml(spec.spec ?? {})]])
  const resource = parameters.length === 0 ? fetched : withParameters(fetched.toString('utf8'), parameters, host)
  const body = payload
    ? evaluated('The payload cannot be made', () => constructPayload(payload, host.events, host.languages))
    : undefined
  const [response] = await server.ask('Execute', [
    [1, resource],
    [2, body ?? ''],
  ])
  const verdict = await server.verdict(response)
  if (verdict !== undefined)
    throw new TerminalFailure('trigger-policy', {
      what: `${server.url} did it, and says that the outcome is no success`,
      ...(verdict !== '' && { why: verdict }),
    })
  return { summary: `${server.url} executed it`, body: response.subarray(0, MOST_OF_ANSWER).toString('utf8') }
}

function withParameters(resource: string, parameters: readonly TriggerParameter[], host: TriggerHost): string {
  return evaluated('The parameters cannot be set', () => {
    if (!isFields(JSON.parse(resource))) throw new Error('fetched resource body is not valid JSON')
    return applyParameters(resource, parameters, host.events, host.languages)
  })
}

class TriggerServer {
  readonly url: string
  readonly #connection: GrpcConnection
  readonly #host: TriggerHost

  constructor(connection: GrpcConnection, url: string, host: TriggerHost) {
    this.url = url
    this.#connection = connection
    this.#host = host
  }

  /** The first field of the answer, in bytes, and all of them. */
  async ask(
    method: string,
    fields: readonly ProtoField[],
  ): Promise<[first: Buffer, fields: ReadonlyMap<number, Buffer | number>]> {
    const { actionKey, trace, signal } = this.#host
    try {
      const metadata = { 'idempotency-key': actionKey, 'tiphys-event': trace }
      const options = { metadata, timeoutMs: TIMEOUT_MS, signal }
      const answer = decodeMessage(await this.#connection.call(`${SERVICE}/${method}`, encodeMessage(fields), options))
      return [bytesField(answer, 1), answer]
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      throw this.#failure(method, thrown)
    }
  }

  /** Why the server says that what it did is no success; nothing when it is one, or the server has no policies. */
  async verdict(response: Buffer): Promise<string | undefined> {
    try {
      const [, answer] = await this.ask('ApplyPolicy', [[1, response]])
      return answer.get(1) === 1 ? undefined : bytesField(answer, 2).toString('utf8')
    } catch (thrown) {
      const { cause } = asError(thrown)
      if (cause instanceof GrpcFailure && cause.status === 'UNIMPLEMENTED') return undefined
      throw thrown
    }
  }

  #failure(method: string, thrown: unknown): Failure {
    if (thrown instanceof Failure) return thrown
    const why = asError(thrown).message
    const what = `${this.url} could not ${WORDS[method]}`
    if (thrown instanceof GrpcFailure)
      return BUSY.has(thrown.status)
        ? new RetryableFailure('trigger-receiver-busy', { what, why, cause: thrown })
        : new TerminalFailure('trigger-refused', { what, why, cause: thrown })
    // To fetch something has no effect; whether something was executed nobody knows.
    return method === 'FetchResource'
      ? notReached(this.url, thrown)
      : new TerminalFailure('trigger-no-answer', { what: `${this.url} did not answer the request`, why, cause: thrown })
  }
}

const BUSY = new Set(['UNAVAILABLE', 'RESOURCE_EXHAUSTED'])
const WORDS: Readonly<Record<string, string>> = {
  FetchResource: 'fetch the resource',
  Execute: 'execute it',
  ApplyPolicy: 'apply the policy',
}
