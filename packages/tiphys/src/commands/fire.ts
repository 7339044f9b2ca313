import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { asError, TerminalFailure } from '@tiphys/env'
import { readYaml, stringifyJson } from '@tiphys/kube'
import { type RunCommand, textOf } from '../command.ts'
import { Instance } from '../session/instance.ts'

/** `tiphys fire SOURCE NAME --data FILE` */
export const run: RunCommand = invocation =>
  Instance.use(
    invocation,
    async instance => {
      const { operands, flags, terminal } = invocation
      const [source = '', entry = ''] = operands
      const file = textOf(flags, 'data')
      // As a text, in which numbers have all of their digits.
      const data = stringifyJson(file === undefined ? {} : await readData(file))
      const namespace = textOf(flags, 'namespace') ?? 'default'
      const id = await instance.call('fire', { namespace, source, entry, data })
      if (flags.json === true) terminal.out.print(JSON.stringify({ id }))
      else terminal.out.print(`event ${String(id)}\ntiphys trace ${String(id)} shows what it sets off`)
      return 0
    },
    'data-dir',
  )

async function readData(file: string): Promise<unknown> {
  try {
    const [document, ...more] = await readYaml(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'))
    if (!document || more.length > 0) throw new Error(document ? 'it has several documents' : 'it is empty')
    return document.value
  } catch (thrown) {
    throw new TerminalFailure('cli-data-unreadable', {
      what: `what the event should carry cannot be read from ${file === '-' ? 'standard input' : file}`,
      why: asError(thrown).message,
      todo: 'Give a file with one JSON or YAML value',
      cause: thrown,
    })
  }
}
