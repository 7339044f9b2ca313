import type { CommandInfo, FlagInfo } from './command.ts'
import { COMMANDS, COMMON_FLAGS } from './commands.ts'
import { bold, dim, type Terminal } from './terminal.ts'

export function printHelp(terminal: Terminal): void {
  terminal.out('Tiphys runs Kubernetes operators as event pipelines that you can see.')
  terminal.out('')
  terminal.out(`${bold(terminal, 'Usage:')} tiphys COMMAND [flags]`)
  for (const group of new Set(COMMANDS.map(command => command.group))) {
    terminal.out('')
    terminal.out(bold(terminal, `${group}:`))
    const rows = COMMANDS.filter(command => command.group === group)
    for (const { name, summary } of rows) terminal.out(`  ${name.padEnd(12)} ${summary}`)
  }
  terminal.out('')
  terminal.out(bold(terminal, 'Flags:'))
  printFlags(terminal, [...COMMON_FLAGS, { name: 'version', summary: 'print the version' }])
  terminal.out('')
  terminal.out(bold(terminal, 'Examples:'))
  printExamples(
    terminal,
    COMMANDS.flatMap(command => command.examples.slice(0, 1)),
  )
  terminal.out('')
  terminal.out('tiphys COMMAND --help tells more about a command.')
}

export function printCommandHelp(terminal: Terminal, command: CommandInfo): void {
  terminal.out(command.summary)
  terminal.out('')
  const operands = command.operands === undefined ? '' : ` ${command.operands}`
  terminal.out(`${bold(terminal, 'Usage:')} tiphys ${command.name}${operands} [flags]`)
  terminal.out('')
  terminal.out(bold(terminal, 'Flags:'))
  printFlags(terminal, [...command.flags, ...COMMON_FLAGS])
  terminal.out('')
  terminal.out(bold(terminal, 'Examples:'))
  printExamples(terminal, command.examples)
}

function printFlags(terminal: Terminal, flags: readonly FlagInfo[]): void {
  const names = flags.map(({ name, value }) => (value === undefined ? `--${name}` : `--${name} ${value}`))
  const width = Math.max(...names.map(name => name.length))
  for (const [i, { summary }] of flags.entries()) terminal.out(`  ${(names[i] as string).padEnd(width)}  ${summary}`)
}

function printExamples(terminal: Terminal, examples: CommandInfo['examples']): void {
  for (const { command, does } of examples) {
    terminal.out(`  ${command}`)
    terminal.out(dim(terminal, `      ${does}`))
  }
}
