import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { Instance } from '../session/instance.ts'
import { printLogs } from '../session/run-log.ts'
import { findRun, parseSubject } from '../session/subject.ts'

/** `tiphys logs RUN [STEP] [-f]` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal, interrupted } = invocation
    const [name = '', step] = operands
    const subject = parseSubject(name, textOf(flags, 'namespace'))
    if (subject.type !== 'run') throw new UsageFailure(`${name} is no run`, 'tiphys runs lists them')
    const history = await instance.history()
    const detail = await findRun(history, subject)
    await printLogs({
      history,
      run: detail.run.uid,
      ...(step !== undefined && { step }),
      follow: flags.follow === true,
      out: terminal.out,
      signal: interrupted,
    })
    return 0
  })
