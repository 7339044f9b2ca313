import { createReadStream } from 'node:fs'
import { asError, TerminalFailure } from '@tiphys/env'

/** The lines of a file, one after the other, however large it is. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const piece of createReadStream(file, 'utf8')) {
      const lines = `${rest}${piece as string}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (thrown) {
    throw new TerminalFailure('cli-import-unreadable', {
      what: `${file} cannot be read`,
      why: asError(thrown).message,
      todo: 'Name a file that tiphys export has written',
      cause: thrown,
    })
  }
  if (rest !== '') yield rest
}
