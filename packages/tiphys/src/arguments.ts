import { parseArgs } from 'node:util'
import { TerminalFailure } from '@tiphys/env'
import type { CommandInfo, FlagInfo } from './command.ts'
import { COMMON_FLAGS } from './commands.ts'
import { nearest } from './nearest.ts'

/** The command line was not understood: exit code 2. */
export class UsageFailure extends TerminalFailure {
  constructor(what: string, todo: string) {
    super('cli-usage', { what, todo })
  }
}

export interface Arguments {
  operands: string[]
  flags: Record<string, string | true | undefined>
}

export function parseArguments(command: CommandInfo, argv: readonly string[]): Arguments {
  const known = [...command.flags, ...COMMON_FLAGS]
  const options = Object.fromEntries(
    known.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true })
  const operands: string[] = []
  const flags: Arguments['flags'] = {}
  const help = `tiphys ${command.name} --help lists what it takes`
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const flag = known.find(({ name }) => name === token.name)
    if (!flag) throw unknownFlag(token.rawName, known, help)
    flags[flag.name] = flagValue(flag, token.value, help)
  }
  const most = command.maxOperands ?? 0
  if (operands.length > most)
    throw new UsageFailure(`${command.name} does not take ${JSON.stringify(operands[most])}`, help)
  return { operands, flags }
}

function flagValue(flag: FlagInfo, value: string | undefined, help: string): string | true {
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageFailure(`--${flag.name} takes no value`, help)
    return true
  }
  if (value === undefined) throw new UsageFailure(`--${flag.name} needs a ${flag.value}`, help)
  if (flag.choices && !flag.choices.includes(value)) {
    throw new UsageFailure(
      `--${flag.name} cannot be ${JSON.stringify(value)}`,
      `It is one of ${flag.choices.join(', ')}`,
    )
  }
  return value
}

function unknownFlag(given: string, known: readonly FlagInfo[], help: string): UsageFailure {
  const near = nearest(
    given,
    known.map(({ name }) => `--${name}`),
  )
  return new UsageFailure(`there is no flag ${given}`, near === undefined ? help : `Did you mean ${near}?`)
}
