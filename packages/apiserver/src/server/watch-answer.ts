import type { ServerResponse } from 'node:http'
import type { SentEvent, WatchSink, WatchStream } from '../request/api-response.ts'
import type { EventBatches } from './event-batches.ts'

/** A watcher that has not taken this much yet is disconnected; it resumes from its last resourceVersion. */
const BACKLOG_LIMIT = 16 * 1024 * 1024

export interface WatchAnswer {
  outgoing: ServerResponse
  headers: Record<string, string | string[] | number>
  batches: EventBatches
  /** Aborted when the receiver has gone. */
  signal: AbortSignal
  /** Whoever stops the server ends every watch through these. */
  ends: Set<() => void>
}

/** Sends the events of a watch for as long as there are any and somebody reads them. */
export function answerWatch(start: (sink: WatchSink) => WatchStream, answer: WatchAnswer): void {
  const { outgoing, headers, batches, signal, ends } = answer
  headers['content-type'] ??= 'application/json'
  outgoing.writeHead(200, headers)
  outgoing.flushHeaders()
  let waiting: string[] = []
  let length = 0
  let ended = false
  let watch: WatchStream | undefined
  // Events that come together leave in one write: a burst costs one TLS record, not one per event.
  const flush = () => {
    const lines = waiting
    waiting = []
    length = 0
    if (lines.length === 0 || outgoing.destroyed) return
    const { socket, chunkedEncoding } = outgoing
    // A response has the socket when its head has left; before, others of the same connection are not done.
    if (socket && chunkedEncoding) socket.write(batches.chunkOf(lines))
    else outgoing.write(lines.join(''))
  }
  const isBehind = () => outgoing.writableLength + length > BACKLOG_LIMIT
  const sink: WatchSink = {
    send(event: SentEvent) {
      const line = event.line()
      length += line.length
      if (waiting.push(line) === 1) batches.onTurn(flush)
    },
    isBehind,
    end() {
      if (ended) return
      ended = true
      ends.delete(stopWatch)
      // Who does not read would keep the backlog in memory for as long as it likes.
      if (isBehind()) return outgoing.destroy()
      flush()
      outgoing.end()
    },
  }
  const stopWatch = () => {
    if (ended) return
    watch?.stop()
    sink.end()
  }
  ends.add(stopWatch)
  signal.addEventListener('abort', stopWatch, { once: true })
  watch = start(sink)
  if (signal.aborted) stopWatch()
}
