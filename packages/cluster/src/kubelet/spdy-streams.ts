import type { Duplex } from 'node:stream'
import type { Clock } from '@tiphys/env'
import { createSpdyConnection, drained, type SpdyStream } from '@tiphys/kube'
import { type CommandOptions, type CommandStreams, SizeReader } from './remote-command.ts'

/** Before the fourth version a failure is a text and success says nothing. */
export const SPDY_COMMAND_PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io'] as const

const STREAM_CREATION_MS = 30_000

type StreamType = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize'

/** A command's streams over one SPDY connection: the client opens one for each. Undefined, with the connection closed,
 *  when it does not in time. */
export async function spdyStreams(
  socket: Duplex,
  protocol: string,
  options: CommandOptions,
  clock: Clock,
): Promise<CommandStreams | undefined> {
  const expected = expectedStreams(options, protocol)
  const streams = new Map<StreamType, SpdyStream>()
  let complete: (isComplete: boolean) => void = () => {}
  const completed = new Promise<boolean>(resolve => {
    complete = resolve
  })
  const connection = createSpdyConnection(socket, {
    role: 'server',
    onStream(stream) {
      const type = stream.headers.streamtype as StreamType
      if (!expected.includes(type) || streams.has(type)) throw new Error(`unexpected stream type: "${type}"`)
      stream.on('error', () => {}) // the connection tells when it has ended
      streams.set(type, stream)
      if (streams.size === expected.length) complete(true)
    },
  })
  const timer = clock.schedule(STREAM_CREATION_MS, () => complete(false))
  const isComplete = await Promise.race([completed, connection.closed.then(() => false)])
  timer.cancel()
  if (!isComplete) {
    connection.close()
    return undefined
  }

  const errors = streams.get('error') as SpdyStream
  const closed = connection.closed
  errors.resume()
  return {
    stdin: streams.get('stdin'),
    closed,
    async write(type, chunk) {
      const stream = streams.get(type)
      if (stream?.writable && !stream.write(chunk)) await drained(stream)
    },
    onResize(listener) {
      const sizes = new SizeReader()
      streams.get('resize')?.on('data', (piece: Buffer) => {
        for (const { columns, rows } of sizes.push(piece)) listener(columns, rows)
      })
    },
    async finish(status) {
      if (protocol === 'v4.channel.k8s.io') errors.write(JSON.stringify(status))
      else if (status.status !== 'Success') errors.write(status.message ?? '')
      const outputs = [errors, streams.get('stdout'), streams.get('stderr')].filter(stream => stream !== undefined)
      const written = Promise.all(outputs.map(stream => new Promise<void>(resolve => stream.end(resolve))))
      await Promise.race([written, closed])
      connection.close()
    },
  }
}

function expectedStreams({ stdin, stdout, stderr, tty }: CommandOptions, protocol: string): StreamType[] {
  const types: StreamType[] = ['error']
  if (stdin) types.push('stdin')
  if (stdout) types.push('stdout')
  if (stderr) types.push('stderr')
  if (tty && protocol !== 'v2.channel.k8s.io') types.push('resize')
  return types
}
