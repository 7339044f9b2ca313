import { systemClock } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { objectName } from '../session/activity.ts'
import { Instance } from '../session/instance.ts'
import { drawRun, treeOfRecord } from '../session/run-tree.ts'
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
    for (const line of drawRun(out, treeOfRecord(detail), systemClock.now())) out.print(line)
    const facts: [string, string | undefined][] = [
      ['template', detail.template],
      ['object', detail.object && objectName(detail.object)],
      ['event', detail.trace === '' ? undefined : detail.trace],
      ...detail.parameters.map(({ name, value }): [string, string | undefined] => [`given ${name}`, value]),
      ...detail.outputs.map(({ name, value }): [string, string | undefined] => [`gave ${name}`, value]),
      ...detail.writes
        .filter(({ outcome }) => outcome !== 'unchanged')
        .map(({ outcome, object }): [string, string] => [outcome, objectName(object)]),
    ]
    const shown = facts.filter((fact): fact is [string, string] => fact[1] !== undefined)
    if (shown.length > 0) out.print('')
    for (const [name, value] of shown) out.print(`${bold(out, name)}  ${value}`)
    if (detail.culprit && detail.culprit.lastLines.length > 0) {
      const step = detail.steps.items.find(({ step }) => step === detail.culprit?.step)
      out.print('')
      out.print(bold(out, `the last lines of ${step?.displayName ?? step?.name ?? detail.culprit.step}`))
      for (const line of detail.culprit.lastLines) out.print(`  ${line}`)
      out.print('')
      out.print(
        dim(
          out,
          `tiphys logs ${detail.run.name} shows all; tiphys retry ${detail.run.name} starts the failed steps again`,
        ),
      )
    }
    return 0
  })
