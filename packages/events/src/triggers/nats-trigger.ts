import { isIP } from 'node:net'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { asError, TerminalFailure } from '@tiphys/env'
import { outboundAddress, parseJson, stringifyJson } from '@tiphys/kube'
import { flushed, NATS_SERVER_SHAPE, type NatsServerSpec, natsAddresses, natsOptions } from '../nats/nats-server.ts'
import type { Problem } from '../problem.ts'
import { applyParameters, constructPayload, type TriggerParameter } from '../sensor/parameters.ts'
import { problemsOf } from '../sources/shape.ts'
import { checkTls } from '../sources/tls-config.ts'
import { ConnectionPool, type PooledConnection } from './connection-pool.ts'
import { evaluated } from './evaluated.ts'
import { PARAMETERS_SHAPE, type TriggerHost, type TriggerType } from './trigger.ts'
import { apiFailure, invalidTrigger, notReached } from './trigger-failures.ts'

/** `nats` of a trigger's template, as manifests write it. */
export interface NatsTriggerSpec extends NatsServerSpec {
  subject?: string
  payload?: readonly TriggerParameter[]
  /** Set in this specification itself. */
  parameters?: readonly TriggerParameter[]
}

/** Publishes a message. The header Nats-Msg-Id is equal on every repeat: a stream of JetStream takes it once. */
export function createNatsTrigger(): TriggerType<NatsTriggerSpec> {
  const connections = new ConnectionPool<NatsClient>()
  return {
    type: 'nats',
    check,
    async execute(given, host) {
      const spec = withParameters(given, host)
      const { url = '', subject = '', payload = [] } = spec
      const [problem] = check(spec).filter(({ severity }) => severity === 'error')
      if (problem) throw invalidTrigger(`${problem.path}: ${problem.message}`)
      const body = evaluated('The payload cannot be made', () => constructPayload(payload, host.events, host.languages))
      const key = JSON.stringify([host.sensor.namespace, url, spec.auth, spec.tls])
      await connections.use(
        key,
        host.env.clock,
        () => NatsClient.open(spec, host),
        client => client.publish(subject, body ?? '', host),
      )
      return { summary: `published a message to ${subject} at ${url}` }
    },
  }
}

function check(spec: NatsTriggerSpec): Problem[] {
  const problems = problemsOf(spec, {
    ...NATS_SERVER_SHAPE,
    subject: 'string',
    payload: PARAMETERS_SHAPE,
    parameters: PARAMETERS_SHAPE,
  })
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const { url = '', subject = '', payload, parameters = [], tls } = spec
  const isSet = (name: string) => parameters.some(({ dest }) => dest === name)
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  if (url === '' && !isSet('url')) error('url', 'nats server url cannot be empty')
  else if (url !== '') {
    try {
      natsAddresses(url)
    } catch (thrown) {
      error('url', asError(thrown).message)
    }
  }
  if (subject === '' && !isSet('subject')) error('subject', 'nats subject cannot be empty')
  // What is published to goes to one subject.
  else if (/\s|[*>]|^\.|\.$|\.\./.test(subject))
    error('subject', `nothing can be published to ${JSON.stringify(subject)}`)
  if (!payload) error('payload', 'payload parameters are not specified')
  return [...problems, ...checkTls(tls)]
}

function withParameters(spec: NatsTriggerSpec, host: TriggerHost): NatsTriggerSpec {
  const { parameters = [] } = spec
  if (parameters.length === 0) return spec
  return evaluated('The parameters cannot be set', () => {
    const text = applyParameters(stringifyJson(spec), parameters, host.events, host.languages)
    return parseJson(text) as NatsTriggerSpec
  })
}

class NatsClient implements PooledConnection {
  readonly #connection: NatsConnection
  readonly #url: string
  /** What the server has refused, by subject. */
  readonly #refusals = new Map<string, Error>()

  private constructor(connection: NatsConnection, url: string) {
    this.#connection = connection
    this.#url = url
    void this.#listen()
  }

  /** Connects to the first of the addresses that can be reached and may be. */
  static async open(spec: NatsServerSpec, host: TriggerHost): Promise<NatsClient> {
    const { url = '' } = spec
    const options = await natsOptions(spec, host).catch((thrown: unknown) => {
      throw apiFailure(thrown, 'A Secret of the trigger cannot be read')
    })
    let failure: unknown
    for (const { host: name, port } of natsAddresses(url)) {
      const bracketed = name.includes(':') ? `[${name}]` : name
      try {
        // The address is found once: a name that means another one a moment later changes nothing.
        const { address, family } = await outboundAddress(
          new URL(`http://${bracketed}:${port}`),
          host.access.outbound ?? {},
        )
        const servers = `${family === 6 ? `[${address}]` : address}:${port}`
        const tls = options.tls && isIP(name) === 0 ? { tls: { ...options.tls, servername: name } } : {}
        return new NatsClient(await connect({ ...options, ...tls, servers }), url)
      } catch (thrown) {
        if (thrown instanceof TerminalFailure) throw thrown
        failure = thrown
      }
    }
    throw notReached(url, failure)
  }

  isOpen(): boolean {
    return !this.#connection.isClosed() && !this.#connection.isDraining()
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  async publish(subject: string, body: string, host: TriggerHost): Promise<void> {
    const named = headers()
    named.set('Nats-Msg-Id', host.actionKey)
    named.set('Tiphys-Event', host.trace)
    try {
      this.#connection.publish(subject, body, { headers: named })
    } catch (thrown) {
      throw this.isOpen()
        ? apiFailure(thrown, `The message to ${subject} cannot be sent`)
        : notReached(this.#url, thrown)
    }
    try {
      await flushed(this.#connection)
    } catch (thrown) {
      throw new TerminalFailure('trigger-no-answer', {
        what: `${this.#url} did not say whether it took the message`,
        why: asError(thrown).message,
        cause: thrown,
      })
    }
    // What it has refused is told a turn later.
    await new Promise<void>(resolve => setImmediate(resolve))
    const refusal = this.#refusals.get(subject)
    if (!refusal) return
    this.#refusals.delete(subject)
    throw new TerminalFailure('trigger-refused', {
      what: `${this.#url} refuses messages to ${subject}`,
      why: refusal.message,
    })
  }

  async #listen(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type !== 'error') continue
      const { error } = status
      if ('subject' in error && typeof error.subject === 'string') this.#refusals.set(error.subject, error)
    }
  }
}
