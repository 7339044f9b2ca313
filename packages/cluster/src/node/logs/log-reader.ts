import { type FileHandle, open } from 'node:fs/promises'
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

/** The lines of a run's file from a place in it. While the run goes on and `follow` is asked for, waits for more, also
 *  through rotations. */
export async function* readLines(
  path: string,
  writer: LogWriter | undefined,
  options: { tailLines?: number | undefined; follow: boolean; signal?: AbortSignal | undefined },
): AsyncGenerator<LogLine> {
  const { follow, signal } = options
  let generation = writer?.generation ?? 0
  let file = await open(path, 'r').catch(() => undefined)
  let offset = file && options.tailLines !== undefined ? await tailOffset(file, options.tailLines) : 0
  let rest = Buffer.alloc(0)
  const block = Buffer.alloc(BLOCK)
  try {
    while (!signal?.aborted) {
      // What is written after this look is seen by the next one.
      const wait = follow && writer && !isDone(writer) ? nextWrite(writer, signal) : undefined
      file ??= await open(path, 'r').catch(() => undefined)
      for (let bytesRead = -1; file && bytesRead !== 0 && !signal?.aborted; ) {
        ;({ bytesRead } = await file.read(block, 0, BLOCK, offset))
        offset += bytesRead
        rest = Buffer.concat([rest, block.subarray(0, bytesRead)])
        let at = 0
        for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, at)) {
          const line = parseLine(rest.subarray(at, end + 1))
          at = end + 1
          if (line) yield line
        }
        rest = Buffer.from(rest.subarray(at))
      }
      if (writer && writer.generation !== generation) {
        generation = writer.generation
        await file?.close()
        file = undefined
        offset = 0
        continue
      }
      if (!wait) return
      await wait
    }
  } finally {
    await file?.close()
  }
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
