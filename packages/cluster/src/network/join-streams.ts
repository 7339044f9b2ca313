import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Joins two streams until both directions have ended. The end of one direction is passed on while the other goes on;
 *  when one stream breaks off, so does the other. Both must allow half-open connections. */
export function joinStreams(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    // What matters of an error is the `close` that follows.
    from.on('error', () => {})
    const onClose = () => {
      if (!from.readableEnded || !from.writableFinished) breakOff(to)
    }
    if (from.destroyed) onClose()
    else from.once('close', onClose)
  }
}

/** Ends a stream so that its other side sees a failure and not an orderly end. */
export function breakOff(stream: Duplex): void {
  if (stream.destroyed) return
  if (stream instanceof Socket && stream.remoteAddress !== undefined) stream.resetAndDestroy()
  else stream.destroy()
}
