const MARK = '[tiphys] '

/** What Tiphys itself says in a log, in a line of its own: whoever reads the log sees it where it belongs. */
export const logNote = (text: string): string => `${MARK}${text}`

/** What a line of a log says that Tiphys wrote. Undefined: whoever the log is of printed it. */
export const readLogNote = (line: string): string | undefined =>
  line.startsWith(MARK) ? line.slice(MARK.length) : undefined

/** What was printed before that place was dropped before somebody read it. The place counts from the beginning of what was printed, so
 *  that whoever reads a second time knows where that is. */
export const missingLogNote = (position: number): string =>
  logNote(`missing up to byte ${position}: nodes keep only the newest part of a log`)

/** The place that such a line names. Undefined: it is none. */
export function readMissingLogNote(line: string): number | undefined {
  const position = Number(/ missing up to byte (\d+): /.exec(line)?.[1])
  return Number.isSafeInteger(position) && line === missingLogNote(position) ? position : undefined
}

/** Whole bytes where there are few: a log that lost three of them did not lose 0.0 MiB. */
export function formatBytes(bytes: number): string {
  if (bytes < MEBIBYTE) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return `${Number((bytes / MEBIBYTE).toFixed(1))} MiB`
}

const MEBIBYTE = 2 ** 20
