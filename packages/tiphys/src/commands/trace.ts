import { drawTrace, type RunDetail } from '@tiphys/archive'
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
    const { id, run } = await beginningOf(history, subject)
    if (run) {
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

/** What a chain began with: the event itself, the one that started the run, or the newest that was about the object or wrote it; a run that no
 *  event led to is its own beginning. */
async function beginningOf(history: History, subject: Subject): Promise<{ id?: string; run?: RunDetail }> {
  if (subject.type === 'event') return { id: subject.id }
  if (subject.type === 'run') return beginningOfRun(await findRun(history, subject))
  const { lastEvent, changes } = await findObject(history, subject)
  const id = lastEvent?.id ?? changes.find(({ event }) => event !== undefined)?.event?.id
  if (id !== undefined) return { id }
  const by = changes.find(({ run }) => run !== undefined)?.run
  const run = by && (await history.run({ uid: by.run.uid }))
  return run ? beginningOfRun(run) : {}
}

const beginningOfRun = (run: RunDetail) => (run.trace === '' ? { run } : { id: run.trace })
