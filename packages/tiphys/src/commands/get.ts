import { systemClock } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { objectName, runName } from '../session/activity.ts'
import { Instance } from '../session/instance.ts'
import { printCulprit } from '../session/run-log.ts'
import { drawRun, hasEnded, treeOfRecord, treeOfWorkflow } from '../session/run-tree.ts'
import { findRun, parseSubject } from '../session/subject.ts'
import { bold, dim } from '../terminal.ts'

/** `tiphys get run RUN` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [what, name = ''] = operands
    const subject = parseSubject(name, textOf(flags, 'namespace'))
    if (what !== 'run' || subject.type !== 'run')
      throw new UsageFailure(`get does not know ${JSON.stringify(operands.join(' '))}`, 'It takes: get run NAME')
    const detail = await findRun(await instance.history(), subject)
    const { out } = terminal
    if (flags.json === true) {
      out.print(JSON.stringify(detail))
      return 0
    }
    if (!instance.running && !hasEnded(detail.phase))
      terminal.err.print(`note: nothing runs on ${instance.folder.path}: it goes no further than this`)
    const workflow = instance.running && (await instance.workflow(detail.run))
    const tree = treeOfRecord(detail)
    // What somebody has suspended or resumed just now may not be recorded yet.
    const now = workflow && treeOfWorkflow(workflow)
    const isOver = hasEnded(tree.phase) || (now && hasEnded(now.phase))
    const latest = isOver || !now ? tree : { ...tree, phase: now.phase, message: now.message }
    for (const line of drawRun(out, latest, systemClock.now())) out.print(line)
    const facts: [string, string | undefined][] = [
      ['template', detail.template],
      ['object', detail.object && objectName(detail.object)],
      ['event', detail.trace === '' || detail.trace === detail.run.uid ? undefined : detail.trace],
      ...detail.parameters.map(({ name, value }): [string, string | undefined] => [`given ${name}`, value]),
      ...detail.outputs.map(({ name, value }): [string, string | undefined] => [`gave ${name}`, value]),
      ...detail.writes
        .filter(({ outcome }) => outcome !== 'unchanged')
        .map(({ outcome, object }): [string, string] => [outcome, objectName(object)]),
    ]
    const shown = facts.filter((fact): fact is [string, string] => fact[1] !== undefined)
    if (shown.length > 0) out.print('')
    for (const [name, value] of shown) out.print(`${bold(out, name)}  ${value}`)
    const isGone = instance.running !== undefined && workflow === undefined
    // Of a run that was deleted while no engine was there, nobody says how it ended.
    if (!hasEnded(detail.phase) && isGone) {
      out.print('')
      out.print('It was deleted before it ended: this is how far it came.')
    }
    printCulprit(out, detail)
    if (detail.culprit) {
      const name = runName(detail.run)
      out.print('')
      const more = isGone || !hasEnded(latest.phase) ? '' : `; tiphys retry ${name} starts the failed steps again`
      out.print(dim(out, `tiphys logs ${name} shows all${more}`))
    }
    return 0
  })
