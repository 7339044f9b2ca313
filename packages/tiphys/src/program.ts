import { once } from 'node:events'
import { asError, delay, Failure, nearest, systemClock } from '@tiphys/env'
import { parseArguments, UsageFailure } from './arguments.ts'
import { INTERRUPTED } from './command.ts'
import { COMMANDS } from './commands.ts'
import { printCommandHelp, printHelp } from './help.ts'
import { red, type Terminal } from './terminal.ts'

/** So long a command that is interrupted may wait for whoever it has asked something. */
const PATIENCE_MS = 2000

/** Does what the command line says. Resolves with the exit code: 0 done, 1 failed, 2 not understood, 130 interrupted. */
export async function runProgram(
  argv: readonly string[],
  terminal: Terminal,
  interrupted: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  try {
    const done = dispatch(argv, terminal, interrupted)
    // What serves others stops in order, however long that takes.
    const isServing = COMMANDS.some(({ name, group }) => name === argv[0] && group === 'Run')
    return await (isServing ? done : Promise.race([done, waitedInVain(interrupted, patienceMs)]))
  } catch (thrown) {
    // Whoever interrupts a command that is still starting wants it to end, and it does.
    if (interrupted.aborted && thrown === interrupted.reason) return 0
    reportError(thrown, terminal, argv)
    return thrown instanceof UsageFailure ? 2 : 1
  }
}

async function waitedInVain(interrupted: AbortSignal, patienceMs: number): Promise<number> {
  if (!interrupted.aborted) await once(interrupted, 'abort')
  await delay(systemClock, patienceMs)
  return INTERRUPTED
}

/** One readable line; the stack only for those who ask. */
export function reportError(thrown: unknown, { err }: Terminal, argv: readonly string[]): void {
  const error = asError(thrown)
  err.print(`${red(err, 'error:')} ${error.message.replaceAll('\n', ' ')}`)
  if (argv.includes('--verbose')) err.print(error.stack ?? '')
  else if (!(error instanceof Failure))
    err.print('This is a defect in tiphys. Run the command again with --verbose to see where it happened.')
}

async function dispatch(argv: readonly string[], terminal: Terminal, interrupted: AbortSignal): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [asked] = rest
    if (asked === undefined || asked.startsWith('-')) printHelp(terminal.out)
    else printCommandHelp(terminal.out, findCommand(asked))
    return 0
  }
  const command = findCommand(name)
  if (rest.includes('--help') || rest.includes('-h')) {
    printCommandHelp(terminal.out, command)
    return 0
  }
  const { operands, flags } = parseArguments(command, rest)
  const { run } = await command.load()
  return await run({ operands, flags, terminal, interrupted })
}

function findCommand(name: string) {
  const command = COMMANDS.find(candidate => candidate.name === name)
  if (command) return command
  const isFlag = name.startsWith('-')
  const near = nearest(name, [...(isFlag ? [] : COMMANDS.map(candidate => candidate.name)), '--help', '--version'])
  throw new UsageFailure(
    isFlag ? `there is no flag ${name}` : `there is no command ${JSON.stringify(name)}`,
    near === undefined ? 'tiphys --help lists the commands' : `Did you mean ${near}?`,
  )
}
