import type { JournalRecord } from '../journal.ts'
import { encodeFrame, frameSizeAt, largestFrameSize } from './frame.ts'

const SMALL = 64 * 2 ** 10
const LARGE = 4 * 2 ** 20

/** The records that go to the disk together, encoded one behind the other as they arrive, and the promise that all of
 *  their callers share. */
export class Batch {
  #buffer = Buffer.allocUnsafeSlow(SMALL)
  #outcome = new Outcome()
  length = 0
  count = 0

  get isEmpty(): boolean {
    return this.count === 0
  }

  /** Settles when all of the batch is stable, or is known never to be. */
  get committed(): Promise<void> {
    return this.#outcome.promise
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  add(record: JournalRecord, position: number, stable: number, seed: number): void {
    this.#reserve(largestFrameSize(record))
    this.length += encodeFrame(this.#buffer, this.length, record, position, stable, seed)
    this.count++
  }

  /** Tells the callers and becomes empty. */
  settle(failure?: Error): void {
    const outcome = this.#outcome
    this.#outcome = new Outcome()
    this.length = 0
    this.count = 0
    if (this.#buffer.length > LARGE) this.#buffer = Buffer.allocUnsafeSlow(SMALL)
    if (failure) outcome.reject(failure)
    else outcome.resolve()
  }

  #reserve(size: number): void {
    if (this.length + size <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.length + size))
    this.#buffer.copy(larger, 0, 0, this.length)
    this.#buffer = larger
  }
}

/** The whole frames at the start of `bytes` that fit into `room`. */
export function fittingFrames(bytes: Buffer, room: number): { length: number; count: number } {
  let length = 0
  let count = 0
  while (length < bytes.length) {
    const size = frameSizeAt(bytes, length) as number
    if (length + size > room) break
    length += size
    count++
  }
  return { length, count }
}

class Outcome {
  resolve!: () => void
  reject!: (failure: Error) => void
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })

  constructor() {
    // A caller that only wanted the position must not bring the process down; whoever awaits the promise is told.
    this.promise.catch(() => {})
  }
}
