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

/** The lines that are selected, as they are shown. `present`: those that are there already, for counting from the end. */
export async function* asyncLines(
  lines: AsyncIterable<LogLine>,
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
  for await (const line of lines) {
    const isSkipped = skip > 0
    if (isSkipped) {
      if (isComplete(line)) skip--
      continue
    }
    const time = typeof line.time === 'number' ? line.time : Date.parse(line.time)
    if (sinceMs !== undefined && time < sinceMs) continue
    const stamp = typeof line.time === 'number' ? formatNanoTime(line.time) : line.time
    const prefix = timestamps && isLineStart ? Buffer.from(`${stamp} `) : Buffer.alloc(0)
    isLineStart = isComplete(line)
    const text = Buffer.concat([prefix, line.content])
    if (text.length > left) {
      yield text.subarray(0, left)
      return
    }
    left -= text.length
    yield text
    if (left === 0) return
  }
}
