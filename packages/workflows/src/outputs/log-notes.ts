import { formatBytes, logNote, readLogNote, readMissingLogNote } from '@tiphys/env'

/** What follows was printed after the run was retried. */
export const attemptNote = (attempt: number): string => logNote(`attempt ${attempt} of the run`)

/** What follows was not kept. */
export const cutNote = (mostBytes: number): string =>
  logNote(`cut here: of what a container prints ${formatBytes(mostBytes)} are kept`)

/** The end of a log that was cut. */
export const droppedNote = (bytes: number): string =>
  logNote(`${formatBytes(bytes)} more were printed and are not kept`)

/** A line that Tiphys wrote; which attempt begins with it, where one does. Undefined: a step printed it. */
export function readNote(line: string): { attempt?: number } | undefined {
  const note = readLogNote(line)
  if (note === undefined) return undefined
  const attempt = /^attempt (\d+) of the run$/.exec(note)?.[1]
  return attempt === undefined ? {} : { attempt: Number(attempt) }
}

/** The first line of a piece of output in which its node says that something is missing, and up to which place. */
export function findMissing(piece: Buffer): { begin: number; end: number; position: number } | undefined {
  for (let begin = piece.indexOf(MARK); begin >= 0; begin = piece.indexOf(MARK, begin + 1)) {
    const end = piece.indexOf('\n', begin)
    if (end < 0) return undefined
    const isLine = begin === 0 || piece[begin - 1] === 10
    const position = isLine ? readMissingLogNote(piece.toString('latin1', begin, end)) : undefined
    if (position !== undefined) return { begin, end: end + 1, position }
  }
  return undefined
}

const MARK = logNote('missing')
