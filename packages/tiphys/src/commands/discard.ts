import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { parkedTargets, performAction } from '../session/action.ts'
import { Instance } from '../session/instance.ts'

/** `tiphys discard EVENT|sensor/NAME[/TRIGGER] --reason TEXT` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags } = invocation
    const [subject = ''] = operands
    const reason = textOf(flags, 'reason')
    if (reason === undefined) throw new UsageFailure('discard needs --reason TEXT', 'It is kept with what was given up')
    const { client, namespace } = await instance.cluster()
    const targets = await parkedTargets(subject, namespace, () => instance.history())
    if (targets.length === 0)
      throw new UsageFailure(`discard does not know ${subject}`, 'It takes the id of an event or sensor/NAME[/TRIGGER]')
    let code = 0
    for (const { namespace, spec } of targets)
      code = Math.max(
        code,
        await performAction(invocation, client, { kind: 'Discard', namespace, spec: { ...spec, reason } }),
      )
    return code
  })
