import { INTERRUPTED, type RunCommand } from '../command.ts'
import { Instance } from '../session/instance.ts'

/** `tiphys export [QUERY…]`: JSON lines that `tiphys import` takes. */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, terminal, interrupted } = invocation
    const query = operands.join(' ')
    const history = await instance.history()
    await history.caughtUp()
    let records = 0
    for await (const line of history.export(query === '' ? undefined : { query })) {
      // What is there of it is not the whole.
      if (interrupted.aborted) return INTERRUPTED
      terminal.out.print(line)
      records++
    }
    terminal.err.print(`${records} ${records === 1 ? 'record' : 'records'}`)
    return 0
  })
