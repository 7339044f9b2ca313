import { createLog, type Env, formatJson, formatPretty, type Level, systemClock, systemRandom } from '@tiphys/env'
import type { Invocation } from '../command.ts'

/** The machine's clock and randomness, and a log on the standard error stream: for people where somebody looks. */
export function environment(
  { flags, terminal: { err } }: Pick<Invocation, 'flags' | 'terminal'>,
  quiet: Level = 'info',
): Env {
  const log = createLog({
    now: () => systemClock.now(),
    level: flags.verbose === true ? 'debug' : quiet,
    write: line => err.print(err.isInteractive ? formatPretty(line, err.hasColours) : formatJson(line)),
  })
  return { clock: systemClock, random: systemRandom, log }
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Ctrl-C reaches the programs that were started for a task, too: what they fail with then, or are taken to say, is the interruption. */
export const orInterrupted = <T>(signal: AbortSignal, task: Promise<T>): Promise<T> =>
  task.finally(() => signal.throwIfAborted())
