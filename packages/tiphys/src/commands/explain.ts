import { explain } from '@tiphys/archive'
import { systemClock } from '@tiphys/env'
import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { Instance } from '../session/instance.ts'
import { findObject, parseObject } from '../session/subject.ts'

/** `tiphys explain KIND/NAME` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [given = ''] = operands
    const subject = parseObject(given, textOf(flags, 'namespace'))
    if (!subject)
      throw new UsageFailure(
        `explain does not know ${given}`,
        'It takes an object: Deployment/web, or Deployment/shop/web. Runs and events are shown by tiphys trace',
      )
    const past = await instance.history()
    const history = await findObject(past, subject)
    if (flags.json === true) {
      terminal.out.print(JSON.stringify(history))
      return 0
    }
    const { lastEvent, otherEvents } = history
    const turnedAway = [...(lastEvent ? [lastEvent] : []), ...otherEvents].filter(({ outcomes }) =>
      outcomes.some(({ state }) => state === 'filtered'),
    )
    const traces = await Promise.all(turnedAway.map(({ id }) => past.trace(id)))
    terminal.out.print(
      explain(
        history,
        systemClock.now(),
        traces.filter(trace => trace !== undefined),
      ).trimEnd(),
    )
    return 0
  })
