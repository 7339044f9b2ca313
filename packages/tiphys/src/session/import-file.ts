import { createReadStream } from 'node:fs'
import { asError, TerminalFailure } from '@tiphys/env'

/** In characters. What `export` writes is far below: a payload has at most a megabyte. */
const LONGEST_LINE = 64 * 2 ** 20

/** The lines of a file, one after the other, however large it is. A line that no export has ends it, before all of it is read. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  // Of the line that has not ended: joined once, or a long one would be copied with every piece.
  let begun: string[] = []
  let [length, count] = [0, 0]
  try {
    for await (const piece of createReadStream(file, 'utf8')) {
      const [first = '', ...others] = (piece as string).split('\n')
      begun.push(first)
      length += first.length
      if (length > LONGEST_LINE) throw new Error(`line ${count + 1} has more than ${LONGEST_LINE / 2 ** 20} MiB`)
      if (others.length === 0) continue
      const lines = [begun.join(''), ...others]
      begun = [lines.pop() ?? '']
      length = begun[0]?.length ?? 0
      count += lines.length
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
  if (length > 0) yield begun.join('')
}
