import { asError, Failure } from '@tiphys/env'
import { parseArguments, UsageFailure } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { printCommandHelp, printHelp } from './help.ts'
import { nearest } from './nearest.ts'
import { processTerminal, red, type Terminal } from './terminal.ts'

export async function main(argv: readonly string[], terminal: Terminal, interrupted: AbortSignal): Promise<number> {
  try {
    return await dispatch(argv, terminal, interrupted)
  } catch (thrown) {
    const error = asError(thrown)
    terminal.err(`${red(terminal, 'error:')} ${error.message}`)
    const isExpected = error instanceof Failure
    if (argv.includes('--verbose')) terminal.err(error.stack ?? '')
    else if (!isExpected)
      terminal.err('This is a defect in tiphys. Run the command again with --verbose to see where it happened.')
    return error instanceof UsageFailure ? 2 : 1
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal, interrupted: AbortSignal): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = COMMANDS.find(command => command.name === rest[0])
    if (asked) printCommandHelp(terminal, asked)
    else printHelp(terminal)
    return 0
  }
  const command = COMMANDS.find(candidate => candidate.name === name)
  if (!command) {
    const near = nearest(
      name,
      COMMANDS.map(candidate => candidate.name),
    )
    const what = name.startsWith('-') ? `there is no flag ${name}` : `there is no command ${JSON.stringify(name)}`
    throw new UsageFailure(what, near === undefined ? 'tiphys --help lists the commands' : `Did you mean ${near}?`)
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    printCommandHelp(terminal, command)
    return 0
  }
  const { operands, flags } = parseArguments(command, rest)
  const { run } = await command.load()
  return await run({ operands, flags, terminal, interrupted })
}

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())
process.exitCode = await main(process.argv.slice(2), processTerminal(), interruption.signal)
