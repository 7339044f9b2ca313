import { parseArgs } from 'node:util'
import { nearest, TerminalFailure } from '@tiphys/env'
import { type CommandInfo, type FlagInfo, type Flags, listOf } from './command.ts'
import { COMMON_FLAGS } from './commands.ts'

/** The command line was not understood: exit code 2. */
export class UsageFailure extends TerminalFailure {
  constructor(what: string, todo: string) {
    super('cli-usage', { what, todo })
  }
}

const NEGATED_TERM = /^-[a-z][\w.]*:/i

export function parseArguments(
  command: CommandInfo,
  argv: readonly string[],
): { operands: readonly string[]; flags: Flags } {
  const known = [...command.flags, ...COMMON_FLAGS]
  const options = Object.fromEntries(
    known.map(({ name, value, short }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) } as const,
    ]),
  )
  const isOperand = (word: string) => command.operands?.isQuery === true && NEGATED_TERM.test(word)
  const args = argv.filter(word => !isOperand(word))
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true, allowPositionals: true })
  const help = `tiphys ${command.name} --help lists what it takes`
  const operands: string[] = argv.filter(isOperand)
  const flags: Record<string, string | true | readonly string[]> = {}
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const flag = known.find(({ name }) => name === token.name)
    if (!flag) throw unknownFlag(token.rawName, known, help)
    // In `--port --json` the second is a flag, whatever the first still waits for; a `-` alone is the standard input.
    const isNextFlag = token.inlineValue === false && /^-./.test(token.value)
    const value = flagValue(flag, isNextFlag ? undefined : token.value, help)
    flags[flag.name] = flag.repeats ? [...listOf(flags, flag.name), String(value)] : value
  }
  requireOperands(command, operands, help)
  return { operands, flags }
}

function requireOperands(
  { name, operands: { usage, most, least = 0, choices } = { usage: '', most: 0 } }: CommandInfo,
  given: readonly string[],
  help: string,
) {
  if (given.length > most) throw new UsageFailure(`${name} does not take ${JSON.stringify(given[most])}`, help)
  if (given.length < least) throw new UsageFailure(`${name} needs ${usage}`, help)
  const unknown = choices && given.find(operand => !choices.includes(operand))
  if (unknown !== undefined)
    throw new UsageFailure(`${name} does not know ${JSON.stringify(unknown)}`, `It takes one of ${choices?.join(', ')}`)
}

function flagValue({ name, value: takes, choices }: FlagInfo, value: string | undefined, help: string): string | true {
  if (takes === undefined) {
    if (value !== undefined) throw new UsageFailure(`--${name} takes no value`, help)
    return true
  }
  if (value === undefined || value === '') throw new UsageFailure(`--${name} needs a ${takes}`, help)
  if (choices && !choices.includes(value))
    throw new UsageFailure(`--${name} cannot be ${JSON.stringify(value)}`, `It is one of ${choices.join(', ')}`)
  return value
}

function unknownFlag(given: string, known: readonly FlagInfo[], help: string): UsageFailure {
  const near = nearest(
    given,
    known.map(({ name }) => `--${name}`),
  )
  return new UsageFailure(`there is no flag ${given}`, near === undefined ? help : `Did you mean ${near}?`)
}
