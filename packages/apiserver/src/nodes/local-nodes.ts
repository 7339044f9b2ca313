import { Readable } from 'node:stream'
import { asError, type Clock, type Timer } from '@tiphys/env'
import type { ResponseBody } from '../request/api-response.ts'

/** Nodes that run in this process: the server asks them directly for what it asks others for over HTTPS, and is told the same. */
export interface LocalNodes {
  /** What the node's `/containerLogs` sends for that query; undefined when the node is not one of these. A refusal is thrown,
   *  at once or instead of the first chunk, as an error with the `status` of the answer. Reading ends with the signal. */
  logs(
    node: string,
    container: { namespace: string; pod: string; container: string },
    query: URLSearchParams,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> | undefined
}

/** So long a refusal may take; then the answer begins, so that whoever follows a silent log knows that it does. */
const REFUSAL_MS = 500

/** A log up to this size that is there in full leaves in one piece. */
const MOST_AT_ONCE = 64 * 1024

/** A log as an answer's body, read as fast as the caller reads it and no longer than the caller stays. Throws what is thrown
 *  before the first bytes. */
export async function bodyOfLog(
  chunks: AsyncIterator<Uint8Array>,
  departure: AbortController,
  clock: Clock,
): Promise<ResponseBody> {
  const pieces: Uint8Array[] = []
  let size = 0
  let next = chunks.next()
  for (let chunk = await within(clock, next); chunk !== undefined; chunk = await soon(next)) {
    if (chunk.done) return { type: 'bytes', bytes: Buffer.concat(pieces) }
    pieces.push(chunk.value)
    size += chunk.value.length
    next = chunks.next()
    if (size > MOST_AT_ONCE) break
  }
  return { type: 'stream', chunks: streamOf(pieces, next, chunks, departure) }
}

async function within<T>(clock: Clock, answer: Promise<T>): Promise<T | undefined> {
  let late: Timer | undefined
  const isLate = new Promise<undefined>(resolve => {
    late = clock.schedule(REFUSAL_MS, () => resolve(undefined))
  })
  try {
    return await Promise.race([answer, isLate])
  } finally {
    late?.cancel()
  }
}

const soon = <T>(answer: Promise<T>): Promise<T | undefined> =>
  Promise.race([answer, new Promise<undefined>(resolve => setImmediate(() => resolve(undefined)))])

function streamOf(
  pieces: Uint8Array[],
  first: Promise<IteratorResult<Uint8Array>>,
  chunks: AsyncIterator<Uint8Array>,
  departure: AbortController,
): Readable {
  let next = first
  // Whoever reads is told; nobody may read any more.
  next.catch(() => {})
  const advance = async (stream: Readable) => {
    const { done, value } = await next
    if (done) return void stream.push(null)
    next = chunks.next()
    next.catch(() => {})
    stream.push(value)
  }
  return new Readable({
    read() {
      const piece = pieces.shift()
      if (piece) this.push(piece)
      // Cut off where it fails, so that nobody takes it for the end of the log.
      else advance(this).catch((thrown: unknown) => this.destroy(asError(thrown)))
    },
    destroy(error, done) {
      departure.abort()
      // A reader that waits for more output ends by its signal; nobody waits for it.
      chunks.return?.()?.then(undefined, () => {})
      done(error)
    },
  })
}
