import { UsageFailure } from '../arguments.ts'
import { type RunCommand, textOf } from '../command.ts'
import { Instance } from '../session/instance.ts'
import { printLogs } from '../session/run-log.ts'
import { hasEnded } from '../session/run-tree.ts'
import { findRun, parseSubject } from '../session/subject.ts'

/** `tiphys logs RUN [STEP] [-f] [--json]` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal, interrupted } = invocation
    const [name = '', step] = operands
    const subject = parseSubject(name, textOf(flags, 'namespace'))
    if (subject.type !== 'run') throw new UsageFailure(`${name} is no run`, 'tiphys runs lists them')
    const history = await instance.history()
    const detail = await findRun(history, subject)
    if (flags.follow === true && !instance.running && !hasEnded(detail.phase))
      terminal.err.print(`note: nothing runs on ${instance.folder.path}: it goes no further than this`)
    await printLogs({
      history,
      run: detail.run.uid,
      ...(step !== undefined && { step }),
      follow: flags.follow === true && instance.running !== undefined,
      isGone: () => instance.isGone(detail.run),
      out: terminal.out,
      json: flags.json === true,
      signal: interrupted,
    })
    return 0
  })
