import type { Entry } from '../journal.ts'
import type { Frame } from './frame.ts'
import { damagedFrame } from './recovery.ts'
import { readFrames, type Segment } from './segment.ts'
import type { SegmentSet } from './segment-set.ts'

/** A reader's place in the journal. */
export class Cursor {
  readonly #segments: SegmentSet
  readonly #seed: number
  #position: number
  #segment: Segment | undefined
  #offset = 0

  constructor(segments: SegmentSet, seed: number, from: number) {
    this.#segments = segments
    this.#seed = seed
    this.#position = Math.max(1, from)
  }

  /** The next committed records, some at a time; none at the head. */
  next(): Promise<Entry[]> {
    return this.#segments.undisturbed(async () => {
      for (;;) {
        const segment = this.#locate()
        if (this.#offset < segment.end) {
          const entries = await this.#readFrom(segment)
          if (entries.length > 0) return entries
        } else if (segment === this.#segments.active) return []
        else this.#position = Math.max(this.#position, segment.last + 1)
      }
    })
  }

  #locate(): Segment {
    const current = this.#segment
    const isPassed = current && current !== this.#segments.active && this.#position > current.last
    if (current && !isPassed && this.#segments.has(current)) return current
    const found = this.#segments.holding(this.#position)
    this.#segment = found
    this.#offset = found.offsetOf(this.#position)
    return found
  }

  async #readFrom(segment: Segment): Promise<Entry[]> {
    const until = segment.end
    const frames = await this.#segments.withFile(segment, file => readFrames(file, this.#offset, until, this.#seed))
    const [first, last] = [frames[0], frames.at(-1)] as [Frame, Frame] | [undefined, undefined]
    if (!first) throw damagedFrame(segment, this.#offset, this.#position - 1)
    segment.noteFrame(first)
    const entries: Entry[] = []
    for (const { isMark, position, entry } of frames) if (!isMark && position >= this.#position) entries.push(entry)
    this.#offset = last.offset + last.bytes.length
    this.#position = Math.max(this.#position, last.position + 1)
    return entries
  }
}
