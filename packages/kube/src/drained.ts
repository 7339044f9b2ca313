import type { Writable } from 'node:stream'

/** Resolves when a stream whose buffer is full takes more, or never will. */
export function drained(stream: Writable): Promise<void> {
  return new Promise(resolve => {
    if (stream.destroyed || !stream.writableNeedDrain) return resolve()
    const settle = () => {
      stream.off('drain', settle)
      stream.off('close', settle)
      resolve()
    }
    stream.on('drain', settle)
    stream.on('close', settle)
  })
}
