import { asError, TerminalFailure } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import type { Flags } from '../command.ts'

const PORTS_TRIED = 100

/** The port that was asked for; undefined means the usual one or the next. */
export function portOf(flags: Flags, name: string): number | undefined {
  const port = flags[name]
  if (port === undefined) return undefined
  const number = Number(port)
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UsageFailure(`--${name} cannot be ${JSON.stringify(port)}`, 'It is a number from 0 to 65535')
  return number
}

export interface PortChoice {
  /** The flag that chooses it. */
  flag: string
  asked: number | undefined
  usual: number
  /** Is told when the usual port is not the one. */
  say: (line: string) => void
}

/** Listens on the port that was asked for, or on the usual one, or on the next that is free. */
export async function listenOnPort<T>(choice: PortChoice, listen: (port: number) => Promise<T>): Promise<T> {
  const { flag, asked, usual, say } = choice
  for (let port = asked ?? usual; ; port++) {
    try {
      const listening = await listen(port)
      if (asked === undefined && port !== usual) say(`port ${usual} is taken: using ${port}`)
      return listening
    } catch (thrown) {
      const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (asked !== undefined || !isTaken || port >= usual + PORTS_TRIED) throw portUnavailable(flag, port, thrown)
    }
  }
}

function portUnavailable(flag: string, port: number, cause: unknown): TerminalFailure {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
  return new TerminalFailure('cli-port-unavailable', {
    what: `port ${port} cannot be used`,
    why: isTaken ? 'it is taken' : asError(cause).message,
    todo: `Choose another with --${flag}, or --${flag} 0 for any free one`,
    cause,
  })
}
