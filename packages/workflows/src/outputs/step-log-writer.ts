import type { LogStore, LogWriter } from '@tiphys/journal/records'
import { attemptNote, cutNote, droppedNote } from './log-notes.ts'

type LogChunk = Parameters<LogStore['read']>[0]

export interface StepLogWriterOptions {
  logs: LogStore
  log: Parameters<LogStore['open']>[0]
  /** Which attempt of the run printed it: 1, unless the run was retried. */
  attempt: number
  /** How much is kept of what the container prints. */
  mostBytes?: number
  /** Told of each chunk with where it begins, so that one that is kept twice (an engine that starts again reads from the start) is known. */
  onChunk: (chunk: LogChunk, offset: number) => void
}

/** The store's own limit is one of a kibibyte more: there is room for what is said of the end. */
const MOST_BYTES = 64 * 2 ** 20 - 1024

export interface StepLogWriter extends LogWriter {
  /** Takes a line that says that the output was lost up to a place in it. */
  writeMissing(note: Buffer, position: number): Promise<void>
}

/** Keeps a container's output, as much of it as there is room for, and says in it what was cut off and which attempt it is of. The same
 *  output is kept as the same bytes, whoever reads it. */
export function openStepLog({
  logs,
  log,
  attempt,
  mostBytes = MOST_BYTES,
  onChunk,
}: StepLogWriterOptions): StepLogWriter {
  let offset = 0
  const open = () =>
    logs.open(log, {
      onChunk(chunk) {
        onChunk(chunk, offset)
        offset += chunk.bytes
      },
    })
  let writer = open()
  const before = { stored: 0, dropped: 0 }
  let room = mostBytes
  let dropped = 0
  let hasBegun = false
  let isInLine = false
  const say = (note: string) => writer.write(Buffer.from(`${isInLine ? '\n' : ''}${note}\n`))
  const begin = async () => {
    if (!hasBegun && attempt > 1) await writer.write(headingOf(attempt))
    hasBegun = true
  }
  return {
    async writeMissing(note, position) {
      if (dropped > 0) return
      // An engine that died may have kept what was before, up to the middle of a line.
      const line = hasBegun ? note : Buffer.concat([Buffer.from('\n'), note])
      await begin()
      // A chunk has one place: what comes now is of another.
      const { stored, dropped: refused } = await writer.end()
      before.stored += stored
      before.dropped += refused
      writer = open()
      offset = headingOf(attempt).length + position - line.length
      await writer.write(line)
      isInLine = false
    },
    async write(bytes) {
      await begin()
      const kept = bytes.subarray(0, room)
      if (kept.length > 0) {
        room -= kept.length
        isInLine = kept.at(-1) !== LINE_END
        await writer.write(kept)
      }
      if (kept.length === bytes.length) return
      if (dropped === 0) await say(cutNote(mostBytes))
      isInLine = false
      dropped += bytes.length - kept.length
    },
    async end() {
      if (dropped > 0) await say(droppedNote(dropped))
      const { stored, dropped: refused } = await writer.end()
      return { stored: before.stored + stored, dropped: before.dropped + dropped + refused }
    },
  }
}

/** Nobody knows whether the attempt before has ended its last line. */
export const headingOf = (attempt: number): Buffer => Buffer.from(attempt > 1 ? `\n${attemptNote(attempt)}\n` : '')

const LINE_END = 10
