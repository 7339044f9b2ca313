import type { CommandInfo, FlagInfo } from './command.ts'
import { COMMANDS, COMMON_FLAGS } from './commands.ts'
import { bold, dim, type Output } from './terminal.ts'

/** What somebody who knows nothing of Tiphys types first. */
const FIRST_STEPS = ['init', 'up', 'events', 'trace', 'cluster']

export function printHelp(out: Output): void {
  out.print('Tiphys runs Kubernetes operators as event pipelines that you can see.')
  printSection(out, 'Usage:', ['tiphys COMMAND [flags]'])
  for (const group of new Set(COMMANDS.map(command => command.group))) {
    const commands = COMMANDS.filter(command => command.group === group)
    printSection(out, `${group}:`, columns(commands.map(({ name, summary }) => [name, summary])))
  }
  printSection(out, 'Flags:', describeFlags([...COMMON_FLAGS, { name: 'version', summary: 'print the version' }]))
  printExamples(
    out,
    COMMANDS.filter(({ name }) => FIRST_STEPS.includes(name)).flatMap(({ examples }) => examples.slice(0, 1)),
  )
  out.print('')
  out.print('tiphys COMMAND --help tells more about a command.')
}

export function printCommandHelp(out: Output, { name, summary, operands, flags, examples }: CommandInfo): void {
  out.print(`${summary}.`)
  printSection(out, 'Usage:', [['tiphys', name, operands?.usage, '[flags]'].filter(Boolean).join(' ')])
  printSection(out, 'Flags:', describeFlags([...flags, ...COMMON_FLAGS]))
  printExamples(out, examples)
}

function printSection(out: Output, heading: string, lines: readonly string[]): void {
  out.print('')
  out.print(bold(out, heading))
  for (const line of lines) out.print(`  ${line}`)
}

function printExamples(out: Output, examples: CommandInfo['examples']): void {
  const lines = examples.flatMap(({ command, does }) => [command, dim(out, `    ${does}`)])
  printSection(out, 'Examples:', lines)
}

const describeFlags = (flags: readonly FlagInfo[]) => columns(flags.map(flag => [flagWords(flag), flag.summary]))

const flagWords = ({ name, short, value }: FlagInfo) =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}
