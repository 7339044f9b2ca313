import { drawTrace } from '@tiphys/archive'
import { TerminalFailure } from '@tiphys/env'
import { type RunCommand, textOf } from '../command.ts'
import { type History, Instance } from '../session/instance.ts'
import { drawRun, treeOfRecord } from '../session/run-tree.ts'
import { findEventId, findObject, findRun, parseObject, parseSubject, type Subject } from '../session/subject.ts'

/** So many generations of events that came of others are drawn. */
const DEPTH = 3

/** `tiphys trace EVENT|RUN|KIND/NAME` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [given = ''] = operands
    const history = await instance.history()
    const subject = await subjectOf(history, given, textOf(flags, 'namespace'))
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
    terminal.out.print(
      flags.json === true ? JSON.stringify(trace) : drawTrace(trace, { isWhy: flags.why === true }).trimEnd(),
    )
    return 0
  })

/** What looks like the name of a run may as well be the beginning of an event's id, or an object whose kind is in small letters. */
async function subjectOf(history: History, given: string, namespace: string | undefined): Promise<Subject> {
  const subject = parseSubject(given, namespace)
  if (subject.type !== 'run') return subject
  const isRun = await findRun(history, subject).then(
    () => true,
    () => false, // It is looked for again, and then said, when it is nothing else either.
  )
  if (isRun) return subject
  const id = await findEventId(history, given)
  if (id !== undefined) return { type: 'event', id }
  const object = parseObject(given, namespace)
  const isObject =
    object &&
    (await findObject(history, object).then(
      () => true,
      () => false,
    ))
  return isObject ? object : subject
}

/** The event that a chain began with: itself, the one that started the run, or the newest that was about the object or
 *  wrote it. */
async function eventOf(history: History, subject: Subject): Promise<string | undefined> {
  if (subject.type === 'event') return subject.id
  if (subject.type === 'run') return (await findRun(history, subject)).trace || undefined
  const { lastEvent, changes } = await findObject(history, subject)
  return lastEvent?.id ?? changes.find(({ event }) => event !== undefined)?.event?.id
}
