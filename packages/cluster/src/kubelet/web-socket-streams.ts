import { type Duplex, PassThrough } from 'node:stream'
import { drained } from '@tiphys/kube'
import { type CommandOptions, type CommandStatus, type CommandStreams, SizeReader } from './remote-command.ts'

/** The first byte of every message names the stream that the rest belongs to. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const

/** `v5` is `v4` with a way to end standard input; the nameless first version tells failures as text. */
export const WEB_SOCKET_COMMAND_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io'] as const

/** A command's streams as messages over one WebSocket. */
export function webSocketStreams(socket: Duplex, protocol: string, options: CommandOptions): CommandStreams {
  const stdin = options.stdin ? new PassThrough() : undefined
  const sizes = new SizeReader()
  let onSize: (columns: number, rows: number) => void = () => {}
  const closed = new Promise<void>(resolve => socket.once('close', resolve))
  socket.on('error', () => {}) // followed by `close`

  const send = async (channel: number, content: Uint8Array): Promise<void> => {
    if (!socket.writable) return
    if (!socket.write(Buffer.concat([Uint8Array.of(channel), content]))) await drained(socket)
  }

  const receive = async (message: Uint8Array): Promise<void> => {
    const content = message.subarray(1)
    switch (message[0]) {
      case CHANNEL.stdin:
        if (stdin?.writable && !stdin.write(content)) await Promise.race([drained(stdin), closed])
        return
      case CHANNEL.resize:
        for (const { columns, rows } of sizes.push(content)) onSize(columns, rows)
        return
      case CHANNEL.close:
        if (content[0] === CHANNEL.stdin) stdin?.end()
        return
    }
  }

  const read = async (): Promise<void> => {
    for await (const message of socket as AsyncIterable<Uint8Array>) await receive(message)
  }
  read().then(
    () => stdin?.end(),
    () => stdin?.end(),
  )
  // Clients take the first message, however empty, as the sign that the connection stands.
  const first = options.stdout ? CHANNEL.stdout : options.stderr ? CHANNEL.stderr : CHANNEL.error
  socket.write(Uint8Array.of(first))

  return {
    stdin,
    closed,
    write: (stream, chunk) => send(CHANNEL[stream], chunk),
    onResize(listener) {
      onSize = listener
    },
    async finish(status) {
      const text = protocol === 'channel.k8s.io' ? textOf(status) : JSON.stringify(status)
      if (text !== '') await send(CHANNEL.error, Buffer.from(text))
      socket.end()
    },
  }
}

const textOf = (status: CommandStatus): string => (status.status === 'Success' ? '' : (status.message ?? ''))
