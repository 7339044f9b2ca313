import type { Duplex } from 'node:stream'
import { ApiError } from './api-error.ts'
import type { ExecOptions } from './client.ts'
import { drained } from './drained.ts'
import type { Status } from './object.ts'
import type { Transport, TransportRequest } from './transport.ts'

/** The first byte of every message names the stream that the rest belongs to. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const

/** `v5` is `v4` with a way to say that a stream ended, which is how a command learns that its input is complete. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

export async function execInPod(transport: Transport, request: TransportRequest, options: ExecOptions) {
  const { protocol, socket } = await transport.upgrade({ ...request, query: queryOf(options) }, PROTOCOLS)
  try {
    const [status] = await Promise.all([
      readStreams(socket, options),
      options.stdin ? writeStdin(socket, options.stdin, protocol) : undefined,
    ])
    return { exitCode: exitCodeOf(status) }
  } finally {
    socket.destroy()
  }
}

function queryOf({ command, container, tty, stdin, onStdout, onStderr }: ExecOptions) {
  return {
    command,
    container,
    tty: tty ? 'true' : undefined,
    stdin: stdin ? 'true' : undefined,
    // The server refuses a command without any stream; a terminal has no separate error stream.
    stdout: onStdout || tty || !onStderr ? 'true' : undefined,
    stderr: onStderr && !tty ? 'true' : undefined,
  }
}

async function readStreams(socket: Duplex, { onStdout, onStderr }: ExecOptions): Promise<Status> {
  for await (const message of socket as AsyncIterable<Uint8Array>) {
    const content = message.subarray(1)
    if (message[0] === CHANNEL.stdout && content.length > 0) await onStdout?.(content)
    else if (message[0] === CHANNEL.stderr && content.length > 0) onStderr?.(content)
    else if (message[0] === CHANNEL.error) return JSON.parse(Buffer.from(content).toString()) as Status
  }
  return brokenOff()
}

async function writeStdin(socket: Duplex, stdin: AsyncIterable<Uint8Array>, protocol: string): Promise<void> {
  for await (const chunk of stdin) {
    if (socket.destroyed) return
    if (!socket.write(Buffer.concat([Uint8Array.of(CHANNEL.stdin), chunk]))) {
      await drained(socket)
    }
  }
  if (protocol === 'v5.channel.k8s.io' && !socket.destroyed) socket.write(Uint8Array.of(CHANNEL.close, CHANNEL.stdin))
}

function brokenOff(): Status {
  const message = 'the connection ended before the command did'
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    reason: 'InternalError',
    code: 500,
    message,
  }
}

function exitCodeOf(status: Status): number {
  if (status.status === 'Success') return 0
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')
  if (status.reason === 'NonZeroExitCode' && cause?.message !== undefined) return Number(cause.message)
  throw new ApiError(status)
}
