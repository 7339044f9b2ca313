import type { Terminal } from './terminal.ts'

/** A command as the command line shows it. Data only: what it does is loaded when it is called. */
export interface CommandInfo {
  name: string
  /** The heading it stands under in `--help`. */
  group: 'Run' | 'Other'
  summary: string
  /** What may follow the name beside flags; nothing unless said. */
  operands?: { usage: string; most: number; choices?: readonly string[] }
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
  flags: Flags
  terminal: Terminal
  /** Aborted by SIGINT or SIGTERM. */
  interrupted: AbortSignal
}

/** The flags that were given: the value, or true for a switch. */
export type Flags = Readonly<Record<string, string | true | undefined>>

/** Resolves with the exit code. */
export type RunCommand = (invocation: Invocation) => Promise<number>
