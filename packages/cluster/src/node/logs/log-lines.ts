import type { ReadOptions } from './log-store.ts'

/** A line, or a part of one that does not end with a newline. */
export interface LogLine {
  /** Milliseconds since the epoch, or the text that is in the file. */
  time: number | string
  stream: 'stdout' | 'stderr'
  content: Uint8Array
}

/** What of a log somebody wants to see. */
export interface LineSelection {
  sinceMs: number | undefined
  tailLines: number | undefined
  limitBytes: number | undefined
  timestamps: boolean
}

export function lineSelection(options: ReadOptions, now: number): LineSelection {
  const { sinceSeconds, sinceTime, tailLines, limitBytes, timestamps = false } = options
  const sinceMs = sinceSeconds === undefined ? sinceTime && Date.parse(sinceTime) : now - sinceSeconds * 1000
  return { sinceMs: sinceMs === '' ? undefined : sinceMs, tailLines, limitBytes, timestamps }
}

/** Nanoseconds, as the CRI's log format has them. */
export const formatNanoTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000000Z')

const isComplete = ({ content }: LogLine) => content.at(-1) === 0x0a

/** The lines that are selected, as they are shown: those that came together go together, for each piece costs its readers more than its
 *  lines do. `present`: those that are there already, for counting from the end. */
export async function* asyncLines(
  pieces: AsyncIterable<readonly LogLine[]>,
  selection: LineSelection,
  present: readonly LogLine[],
): AsyncGenerator<Uint8Array> {
  const { sinceMs, tailLines, timestamps } = selection
  let skip = 0
  if (tailLines !== undefined) {
    const complete =
      present.filter(isComplete).length + (present.length > 0 && !isComplete(present.at(-1) as LogLine) ? 1 : 0)
    skip = Math.max(0, complete - tailLines)
  }
  let left = selection.limitBytes ?? Number.POSITIVE_INFINITY
  let isLineStart = true
  for await (const lines of pieces) {
    const shown: Uint8Array[] = []
    const show = (text: Uint8Array) => {
      shown.push(text.subarray(0, left))
      left -= Math.min(left, text.length)
    }
    for (const line of lines) {
      if (skip > 0) {
        if (isComplete(line)) skip--
        continue
      }
      if (sinceMs !== undefined && timeOf(line) < sinceMs) continue
      if (timestamps && isLineStart) show(Buffer.from(`${stampOf(line)} `))
      isLineStart = isComplete(line)
      show(line.content)
      if (left === 0) break
    }
    const [first] = shown
    if (first) yield shown.length === 1 ? first : Buffer.concat(shown)
    if (left === 0) return
  }
}

const timeOf = ({ time }: LogLine) => (typeof time === 'number' ? time : Date.parse(time))

const stampOf = ({ time }: LogLine) => (typeof time === 'number' ? formatNanoTime(time) : time)
