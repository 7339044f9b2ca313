import { explain } from '@tiphys/archive'
import { systemClock } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { Instance } from '../session/instance.ts'
import { findObject, parseSubject } from '../session/subject.ts'

/** `tiphys explain KIND/NAME` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [given = ''] = operands
    const subject = parseSubject(given, textOf(flags, 'namespace'))
    if (subject.type !== 'object')
      throw new UsageFailure(
        `explain does not know ${given}`,
        'It takes an object: Deployment/web, or Deployment/shop/web',
      )
    const history = await findObject(await instance.history(), subject)
    terminal.out.print(flags.json === true ? JSON.stringify(history) : explain(history, systemClock.now()).trimEnd())
    return 0
  })
