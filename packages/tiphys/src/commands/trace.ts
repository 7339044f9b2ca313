import { drawTrace } from '@tiphys/archive'
import { TerminalFailure } from '@tiphys/env'
import { type RunCommand, textOf } from '../command.ts'
import { type History, Instance } from '../session/instance.ts'
import { drawRun, treeOfRecord } from '../session/run-tree.ts'
import { findObject, findRun, parseSubject, type Subject } from '../session/subject.ts'

/** So many generations of events that came of others are drawn. */
const DEPTH = 3

/** `tiphys trace EVENT|RUN|KIND/NAME` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [given = ''] = operands
    const history = await instance.history()
    const subject = parseSubject(given, textOf(flags, 'namespace'))
    const id = await eventOf(history, subject)
    if (id === undefined && subject.type === 'run') {
      // Somebody started it by hand: it is its own beginning.
      const run = await findRun(history, subject)
      if (flags.json === true) terminal.out.print(JSON.stringify(run))
      else
        for (const line of drawRun(terminal.out, treeOfRecord(run), run.finishedAt ?? run.at)) terminal.out.print(line)
      return 0
    }
    const trace = id === undefined ? undefined : await history.trace(id, { depth: DEPTH })
    if (!trace)
      throw new TerminalFailure('cli-not-found', {
        what: subject.type === 'event' ? `there is no event ${given}` : `no event about ${given} is recorded`,
        todo: 'tiphys events lists what happened',
      })
    terminal.out.print(flags.json === true ? JSON.stringify(trace) : drawTrace(trace).trimEnd())
    return 0
  })

/** The event that a chain began with: itself, the one that started the run, or the newest that was about the object or
 *  wrote it. */
async function eventOf(history: History, subject: Subject): Promise<string | undefined> {
  if (subject.type === 'event') return subject.id
  if (subject.type === 'run') return (await findRun(history, subject)).trace || undefined
  const { lastEvent, changes } = await findObject(history, subject)
  return lastEvent?.id ?? changes.find(({ event }) => event !== undefined)?.event?.id
}
