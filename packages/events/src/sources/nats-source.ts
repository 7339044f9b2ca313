import { type ConnectionOptions, connect, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { asError, uuid } from '@tiphys/env'
import { eventId } from '../event-id.ts'
import { flushed, NATS_SERVER_SHAPE, type NatsServerSpec, natsAddresses, natsOptions } from '../nats/nats-server.ts'
import type { Problem } from '../problem.ts'
import { MessageIntake, messageBody, metadataTail } from './message-intake.ts'
import { runSource, whenStopped } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceEvent, SourceHost, SourceType } from './source.ts'
import { checkTls } from './tls-config.ts'

/** An entry of `spec.nats` of an EventSource. */
export interface NatsSpec extends NatsServerSpec {
  subject?: string
  queue?: string
  jsonBody?: boolean
  metadata?: Readonly<Record<string, string>>
  /** Upstream's; here attempts go on for ever. */
  connectionBackoff?: unknown
  filter?: { expression?: string }
}

const SHAPE: Shape = {
  ...NATS_SERVER_SHAPE,
  subject: 'string',
  queue: 'string',
  jsonBody: 'boolean',
  metadata: { '*': 'string' },
  connectionBackoff: 'any',
  filter: { expression: 'string' },
}

/** What NATS has sent and the bus has not taken. Beyond it messages are lost, as with NATS' other clients, and it is said. */
const [MOST_WAITING, MOST_WAITING_BYTES] = [65_536, 64 * 2 ** 20]

/** Messages of core NATS. It keeps none of them: what is sent while nobody listens is gone, and said. */
export const natsSource: SourceType<NatsSpec> = {
  type: 'nats',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({
        reason: 'NotConnected',
        message: `Does not listen to NATS at ${spec.url}, messages may be lost: ${message}`,
      }),
      (stopped, counted) => listen(spec, counted, stopped),
    ),
}

function check(spec: NatsSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const { url = '', subject = '', queue, tls } = spec
  const error = (path: string, message: string) => problems.push({ path, message, severity: 'error' })
  if (url === '') error('url', 'url must be specified')
  else {
    try {
      natsAddresses(url)
    } catch (thrown) {
      error('url', asError(thrown).message)
    }
  }
  if (subject === '') error('subject', 'subject must be specified')
  else if (/\s|^\.|\.$|\.\.|>./.test(subject)) error('subject', `${JSON.stringify(subject)} is no subject`)
  if (queue === '') error('queue', 'queue group cannot be empty if specified')
  return [...problems, ...checkTls(tls)]
}

async function listen(spec: NatsSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const { url = '', subject = '', queue } = spec
  const servers = natsAddresses(url).map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  const connection = await connected({ ...(await natsOptions(spec, host)), servers }, stopped)
  const queued = new WaitingMessages(host)
  const forwarding = forward(queued, spec, host, stopped)
  const close = () => void connection.close()
  stopped.addEventListener('abort', close, { once: true })
  try {
    let refusal: Error | undefined
    connection.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        if (error) refusal = error
        else queued.push(message)
      },
    })
    await flushed(connection)
    if (refusal) throw refusal
    host.report({ state: 'active' })
    const problem = await connection.closed()
    throw problem ?? new Error('the server has closed the connection')
  } finally {
    stopped.removeEventListener('abort', close)
    await connection.close()
    queued.end()
    await forwarding
  }
}

/** A connection, unless the source is stopped before there is one. */
async function connected(options: ConnectionOptions, stopped: AbortSignal): Promise<NatsConnection> {
  const connecting = connect(options)
  const first = await Promise.race([connecting, whenStopped(stopped)])
  if (first) return first
  connecting.then(
    connection => connection.close(),
    // Nobody needs it any more.
    () => {},
  )
  throw new Error('the source is stopped')
}

/** Ends when nothing more comes and all of it is published. */
async function forward(queued: WaitingMessages, spec: NatsSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const intake = new MessageIntake(host, stopped)
  for await (const message of queued) await intake.add(() => eventOf(message, spec, host))
  await intake.drained()
}

function eventOf(message: Msg, { jsonBody = false, metadata }: NatsSpec, host: SourceHost): SourceEvent {
  const { env, eventSource, entry } = host
  const { subject, data, headers } = message
  const names = headers?.keys() ?? []
  const header = names.length === 0 ? '' : `,"header":${JSON.stringify(headersOf(message, names))}`
  // A sender that names its message sends it twice on purpose.
  const name = headers?.get('Nats-Msg-Id') ?? ''
  return {
    id: name === '' ? uuid(env.random).replaceAll('-', '') : eventId(eventSource.uid, entry, 'nats', subject, name),
    time: new Date(env.clock.now()).toISOString(),
    data: `{"subject":${JSON.stringify(subject)},"body":${messageBody(data, jsonBody)}${header}${metadataTail(metadata)}}`,
  }
}

const headersOf = ({ headers }: Msg, names: readonly string[]): Record<string, string[]> =>
  Object.fromEntries([...names].sort().map(name => [name, headers?.values(name) ?? []]))

/** What has come and is not on its way to the bus yet. */
class WaitingMessages {
  readonly #host: SourceHost
  #messages: Msg[] = []
  #bytes = 0
  #lost = 0
  #isOver = false
  #wake = () => {}

  constructor(host: SourceHost) {
    this.#host = host
  }

  push(message: Msg): void {
    if (this.#messages.length >= MOST_WAITING || this.#bytes >= MOST_WAITING_BYTES) {
      this.#lost++
      const what = `${this.#lost} message${this.#lost === 1 ? '' : 's'} of NATS lost: they come faster than the bus takes them`
      this.#host.report({ state: 'failing', reason: 'MessagesLost', message: what })
      return
    }
    this.#messages.push(message)
    this.#bytes += message.data.length
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Msg> {
    for (;;) {
      const batch = this.#messages
      this.#messages = []
      for (const message of batch) {
        this.#bytes -= message.data.length
        yield message
      }
      if (batch.length > 0) continue
      if (this.#isOver) return
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }
}
