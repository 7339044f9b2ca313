import { type FileHandle, open } from 'node:fs/promises'
import { missingLogNote } from '@tiphys/env'
import type { LogLine } from './log-lines.ts'
import type { LogWriter } from './log-writer.ts'

const BLOCK = 64 * 1024

/** Where the last `lines` lines of a file begin. */
export async function tailOffset(file: FileHandle, lines: number): Promise<number> {
  const { size } = await file.stat()
  if (lines <= 0) return size
  let found = 0
  const block = Buffer.alloc(BLOCK)
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK)
    const { bytesRead } = await file.read(block, 0, end - start, start)
    for (let index = bytesRead - 1; index >= 0; index--) {
      // The newline at the very end closes the last line.
      if (block[index] !== 0x0a || start + index === size - 1) continue
      found++
      if (found === lines) return start + index + 1
    }
    end = start
  }
  return 0
}

/** A line of the CRI's format. Undefined when it is not one. */
export function parseLine(line: Buffer): LogLine | undefined {
  const afterTime = line.indexOf(0x20)
  const afterStream = line.indexOf(0x20, afterTime + 1)
  const afterTag = line.indexOf(0x20, afterStream + 1)
  if (afterTime < 0 || afterStream < 0 || afterTag < 0) return undefined
  const isPart = line.subarray(afterStream + 1, afterTag).toString() === 'P'
  const content = line.subarray(afterTag + 1)
  return {
    time: line.subarray(0, afterTime).toString(),
    stream: line.subarray(afterTime + 1, afterStream).toString() === 'stderr' ? 'stderr' : 'stdout',
    content: isPart ? content.subarray(0, -1) : content,
  }
}

/** The lines of a run, many at a time: from the oldest that is kept or, with `tailLines`, the last ones of the file that is being
 *  written. While the run goes on and `follow` is asked for, waits for more. Where something had been dropped before it was read, a
 *  line says so. */
export async function* readLines(
  path: string,
  writer: LogWriter | undefined,
  options: { tailLines?: number | undefined; follow: boolean; signal?: AbortSignal | undefined },
): AsyncGenerator<readonly LogLine[]> {
  const { tailLines, follow, signal } = options
  const fileFrom = (number: number) => (writer ? writer.fileFrom(number) : { number: 0, path })
  const newest = writer?.newest ?? 0
  /** The file that is read, or comes next. */
  let number = tailLines === undefined ? 0 : newest
  let file: FileHandle | undefined
  let offset = 0
  let rest = Buffer.alloc(0)
  const block = Buffer.alloc(BLOCK)
  let isLost = false
  let isInLine = false
  try {
    while (!signal?.aborted) {
      // What is written after this look is seen by the next one.
      const wait = follow && writer && !isDone(writer) ? nextWrite(writer, signal) : undefined
      if (!file) {
        const next = fileFrom(number)
        file = next && (await open(next.path, 'r').catch(() => undefined))
        // It was set aside or dropped at this moment: what is there now is another one, or nothing.
        if (writer && next && (file ? fileFrom(next.number)?.path !== next.path : writer.isDraining)) {
          await file?.close()
          file = undefined
          if (writer.isDraining) await nextWrite(writer, signal)
          continue
        }
        if (file && next) {
          isLost ||= next.number > number
          number = next.number
          offset = tailLines !== undefined && number === newest ? await tailOffset(file, tailLines) : 0
        }
      }
      // Nothing is added to a file after the next one was begun.
      const isWhole = writer !== undefined && writer.newest > number
      for (let bytesRead = -1; file && bytesRead !== 0 && !signal?.aborted; ) {
        ;({ bytesRead } = await file.read(block, 0, BLOCK, offset))
        offset += bytesRead
        rest = Buffer.concat([rest, block.subarray(0, bytesRead)])
        const lines: LogLine[] = []
        let at = 0
        for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, at)) {
          const line = parseLine(rest.subarray(at, end + 1))
          at = end + 1
          if (!line) continue
          if (isLost && writer) lines.push({ ...line, content: lostNote(writer.printedBefore(number), isInLine) })
          isLost = false
          isInLine = line.content.at(-1) !== 0x0a
          lines.push(line)
        }
        rest = Buffer.from(rest.subarray(at))
        if (lines.length > 0) yield lines
      }
      if (file && isWhole && (follow || number < newest)) {
        await file.close()
        file = undefined
        number++
        continue
      }
      if (!wait) return
      await wait
    }
  } finally {
    await file?.close()
  }
}

function lostNote(position: number, isInLine: boolean): Buffer {
  return Buffer.from(`${isInLine ? '\n' : ''}${missingLogNote(position)}\n`)
}

const isDone = (writer: LogWriter) => writer.isOver && !writer.isDraining

function nextWrite(writer: LogWriter, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      unsubscribe()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const unsubscribe = writer.onWritten(end)
    signal?.addEventListener('abort', end, { once: true })
  })
}
