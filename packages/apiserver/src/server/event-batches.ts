interface Batch {
  lines: readonly string[]
  chunk: Buffer
}

/** Events that follow others so soon leave together: in a burst most of what a write costs, here and where it is read, is the
 *  write and not the event. The first event after a rest leaves at once. Time is the machine's own, whatever clock the server
 *  has: this is about sockets. */
const SPACING_MS = 3

/** The bytes of watch events as HTTP carries them. Watchers that get the same events in the same turn of the loop share
 *  them: what is written to a hundred is put together once. */
export class EventBatches {
  readonly #flushes: (() => void)[] = []
  #flushedAt = Number.NEGATIVE_INFINITY
  /** By their last line: each carries its resourceVersion. */
  readonly #made = new Map<string, Batch>()

  /** Calls `flush` when what waits is to leave: for all watchers at once. */
  onTurn(flush: () => void): void {
    if (this.#flushes.push(flush) > 1) return
    const restMs = SPACING_MS - (performance.now() - this.#flushedAt)
    if (restMs > 0) setTimeout(() => this.#flushAll(), restMs)
    else setImmediate(() => this.#flushAll())
  }

  #flushAll(): void {
    this.#flushedAt = performance.now()
    for (const flush of this.#flushes.splice(0)) flush()
  }

  /** One chunk of a chunked body. */
  chunkOf(lines: readonly string[]): Buffer {
    const last = lines.at(-1) as string
    const known = this.#made.get(last)
    if (known && isSame(known.lines, lines)) return known.chunk
    const chunk = encode(lines)
    // The next turn has other events.
    if (this.#made.size === 0) setImmediate(() => this.#made.clear())
    this.#made.set(last, { lines, chunk })
    return chunk
  }
}

/** Shared lines are the same strings, so that comparing does not look into them. */
function isSame(lines: readonly string[], others: readonly string[]): boolean {
  if (lines.length !== others.length) return false
  for (let i = 0; i < lines.length; i++) if (lines[i] !== others[i]) return false
  return true
}

function encode(lines: readonly string[]): Buffer {
  const text = lines.join('')
  const size = Buffer.byteLength(text)
  const head = `${size.toString(16)}\r\n`
  const chunk = Buffer.allocUnsafeSlow(head.length + size + 2)
  chunk.write(head, 0, 'latin1')
  chunk.write(text, head.length, 'utf8')
  chunk.write('\r\n', head.length + size, 'latin1')
  return chunk
}
