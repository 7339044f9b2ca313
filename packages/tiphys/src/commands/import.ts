import type { RunCommand } from '../command.ts'
import { Instance } from '../session/instance.ts'

/** `tiphys import FILE` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const [file = ''] = operands
    const { records, skipped } = await instance.import(file)
    if (flags.json === true) terminal.out.print(JSON.stringify({ records, skipped }))
    else {
      const known = skipped === 0 ? '' : `, ${skipped} ${skipped === 1 ? 'was' : 'were'} there already`
      terminal.out.print(`${records} ${records === 1 ? 'record was' : 'records were'} taken${known}`)
    }
    return 0
  })
