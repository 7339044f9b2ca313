import type { Readable, Writable } from 'node:stream'
import { asError } from '@tiphys/env'
import { drained, type Status } from '@tiphys/kube'
import type { ExecConfig, ExecSession } from '../runtime/pod-runtime.ts'

/** Which streams a client of exec or attach asks for. */
export interface CommandOptions {
  stdin: boolean
  stdout: boolean
  stderr: boolean
  tty: boolean
}

/** How a command ended, as clients read it from its error stream. */
export type CommandStatus = Omit<Status, 'apiVersion' | 'kind'>

/** The client's end of a command, whatever protocol it speaks. */
export interface CommandStreams {
  /** Ends when the client says that its input is complete. */
  readonly stdin: Readable | undefined
  /** Resolves when more may be written. */
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<void>
  onResize(listener: (columns: number, rows: number) => void): void
  /** Tells how the command ended, as the last thing. */
  finish(status: CommandStatus): Promise<void>
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>
}

/** Undefined when a client asks for no stream at all. A terminal has one output. */
export function commandOptions(query: URLSearchParams): CommandOptions | undefined {
  const isAsked = (name: string) => query.get(name) === '1'
  const tty = isAsked('tty')
  const options = { stdin: isAsked('input'), stdout: isAsked('output'), stderr: isAsked('error') && !tty, tty }
  return options.stdin || options.stdout || options.stderr ? options : undefined
}

/** A command that runs before its client's streams are there: what it says waits for them. */
export class RemoteCommand {
  readonly #options: CommandOptions
  readonly #session: ExecSession
  readonly #connect: (streams: CommandStreams | undefined) => void
  readonly #written: () => Promise<void>

  private constructor(
    options: CommandOptions,
    session: ExecSession,
    connect: (streams: CommandStreams | undefined) => void,
    written: () => Promise<void>,
  ) {
    this.#options = options
    this.#session = session
    this.#connect = connect
    this.#written = written
  }

  static async start(
    options: CommandOptions,
    start: (config: Omit<ExecConfig, 'argv'>) => Promise<ExecSession>,
  ): Promise<RemoteCommand> {
    let connect: (streams: CommandStreams | undefined) => void = () => {}
    const connected = new Promise<CommandStreams | undefined>(resolve => {
      connect = resolve
    })
    let last: Promise<void> = Promise.resolve()
    const output = (stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<void> => {
      if (!options[stream]) return Promise.resolve()
      last = last
        .then(async () => (await connected)?.write(stream, chunk))
        // A client that has gone is noticed by `closed`; what the command still says is for nobody.
        .catch(() => {})
      return last
    }
    const session = await start({ stdin: options.stdin, tty: options.tty, output })
    return new RemoteCommand(options, session, connect, () => last)
  }

  /** Gives the command its client and serves both until one of them has gone. */
  async serve(streams: CommandStreams): Promise<void> {
    const session = this.#session
    this.#connect(streams)
    const gone = streams.closed.then(() => 'gone' as const)
    if (this.#options.tty) {
      streams.onResize((columns, rows) => {
        // A terminal that has ended meanwhile has no size.
        session.resize(columns, rows).catch(() => {})
      })
    }
    if (streams.stdin && session.stdin) feed(streams.stdin, session.stdin as Writable, session.exited)
    const ended = await Promise.race([gone, session.exited.catch(asError)])
    if (ended === 'gone') {
      await session.kill()
      return
    }
    await Promise.race([gone, this.#written()])
    await streams.finish(ended instanceof Error ? failure(ended) : exitStatus(ended.exitCode))
  }

  /** Ends a command that nobody came for. */
  async abandon(): Promise<void> {
    this.#connect(undefined)
    await this.#session.kill()
  }
}

/** Passes on what the client types, at the pace at which it is read. */
function feed(from: Readable, into: Writable, exited: Promise<unknown>): void {
  const ended = exited.then(
    () => {},
    () => {},
  )
  // A command may end, or close its input, without reading all of it.
  into.on('error', () => {})
  const pass = async () => {
    for await (const chunk of from as AsyncIterable<Uint8Array>) {
      if (!into.writable) return
      if (!into.write(chunk)) await Promise.race([drained(into), ended])
    }
    into.end()
  }
  pass().catch(() => into.end())
}

const EXIT_CODE_CAUSE = 'ExitCode'

/** The status that a client reads an exit code from. */
export function exitStatus(exitCode: number): CommandStatus {
  if (exitCode === 0) return { metadata: {}, status: 'Success' }
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: EXIT_CODE_CAUSE, message: String(exitCode) }] },
  }
}

export function failure(error: Error): CommandStatus {
  const message = `error executing command in container: ${error.message}`
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  }
}

/** Reads one terminal size after the other: JSON objects, one a line or one a message. */
export class SizeReader {
  #rest = ''

  push(piece: Uint8Array): { columns: number; rows: number }[] {
    this.#rest += Buffer.from(piece).toString('utf8')
    const sizes: { columns: number; rows: number }[] = []
    for (let end = this.#rest.indexOf('}'); end >= 0; end = this.#rest.indexOf('}')) {
      const size = sizeOf(this.#rest.slice(0, end + 1))
      this.#rest = this.#rest.slice(end + 1)
      if (size) sizes.push(size)
    }
    if (this.#rest.length > LONGEST_SIZE) this.#rest = ''
    return sizes
  }
}

const LONGEST_SIZE = 1024
const LARGEST_SIDE = 0xffff

function sizeOf(text: string): { columns: number; rows: number } | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as { Width?: unknown; Height?: unknown }
    if (!isSide(Width) || !isSide(Height)) return undefined
    return { columns: Width, rows: Height }
  } catch {
    return undefined // a size that cannot be read changes nothing
  }
}

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_SIDE
