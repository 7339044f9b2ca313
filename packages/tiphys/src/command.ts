import type { Terminal } from './terminal.ts'

/** A command as the command line shows it. Data only: what it does is loaded when it is called. */
export interface CommandInfo {
  name: string
  /** The heading it stands under in `--help`. */
  group: 'Run' | 'Write' | 'Look' | 'Act' | 'Other'
  summary: string
  /** What may follow the name beside flags; nothing unless said. */
  operands?: OperandInfo
  flags: readonly FlagInfo[]
  examples: readonly { command: string; does: string }[]
  load: () => Promise<{ run: RunCommand }>
}

export interface OperandInfo {
  usage: string
  /** What a word of the usage stands for here, where that is not the usual. */
  means?: Readonly<Record<string, string>>
  most: number
  least?: number
  choices?: readonly string[]
  /** They are in the query language, in which `-type:DELETE` is no flag. */
  isQuery?: true
}

export interface FlagInfo {
  name: string
  /** One letter that stands for it: `-p`. */
  short?: string
  /** It may be given several times; its value is then a list. */
  repeats?: true
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

/** The exit code of a command that was interrupted while it waited for something: what shells say of it. */
export const INTERRUPTED = 130

/** The flags that were given: the value, all values of one that repeats, or true for a switch. */
export type Flags = Readonly<Record<string, string | true | readonly string[] | undefined>>

/** The value of a flag that takes one. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of a flag that repeats. */
export function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name]
  return Array.isArray(value) ? (value as readonly string[]) : []
}

/** Resolves with the exit code. */
export type RunCommand = (invocation: Invocation) => Promise<number>
