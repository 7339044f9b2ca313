import type { Terminal } from './terminal.ts'

/** A command as the command line shows it. Data only: what it does is loaded when it is called. */
export interface CommandInfo {
  name: string
  /** The heading it stands under in `--help`. */
  group: 'Run' | 'Other'
  summary: string
  /** `[DIR…]`, as the usage line shows it. */
  operands?: string
  /** How many operands it takes at most; none unless said. */
  maxOperands?: number
  flags: readonly FlagInfo[]
  examples: readonly { command: string; does: string }[]
  load: () => Promise<{ run: RunCommand }>
}

export interface FlagInfo {
  name: string
  /** `PORT`, for a flag that takes a value; a switch has none. */
  value?: string
  summary: string
  /** What the flag accepts, where that is a short list. */
  choices?: readonly string[]
}

export interface Invocation {
  operands: readonly string[]
  flags: Readonly<Record<string, string | true | undefined>>
  terminal: Terminal
  /** Aborted by SIGINT or SIGTERM. */
  interrupted: AbortSignal
}

/** Resolves with the exit code. */
export type RunCommand = (invocation: Invocation) => Promise<number>
