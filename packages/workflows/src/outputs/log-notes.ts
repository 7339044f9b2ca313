/** What the engine itself says in a log that it keeps, in lines of their own: whoever reads the log sees them where they belong. */
const MARK = '[tiphys] '

/** What follows was printed after the run was retried. */
export const attemptNote = (attempt: number): string => `${MARK}attempt ${attempt} of the run`

/** What follows was not kept. */
export const cutNote = (mostBytes: number): string =>
  `${MARK}cut here: of what a container prints ${mebibytes(mostBytes)} are kept`

/** The end of a log that was cut. */
export const droppedNote = (bytes: number): string => `${MARK}${mebibytes(bytes)} more were printed and are not kept`

/** A line that the engine wrote; which attempt begins with it, where one does. Undefined: a step printed it. */
export function readNote(line: string): { attempt?: number } | undefined {
  if (!line.startsWith(MARK)) return undefined
  const attempt = /^attempt (\d+) of the run$/.exec(line.slice(MARK.length))?.[1]
  return attempt === undefined ? {} : { attempt: Number(attempt) }
}

/** Whole bytes where there are few: a log that lost three of them did not lose 0.0 MiB. */
function mebibytes(bytes: number): string {
  if (bytes < MEBIBYTE) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return `${Number((bytes / MEBIBYTE).toFixed(1))} MiB`
}

const MEBIBYTE = 2 ** 20
