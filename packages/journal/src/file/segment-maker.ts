import { join } from 'node:path'
import type { File, FileSystem } from './file-system.ts'
import {
  allocate,
  encodeHeader,
  SEGMENT_DRAFT,
  SEGMENT_FOOTER,
  SEGMENT_HEADER,
  Segment,
  type SegmentHeader,
  segmentName,
} from './segment.ts'

const SMALLEST_SEGMENT = 2 ** 20

export interface OpenSegment {
  segment: Segment
  file: File
}

/** Makes new segments, and the file of the next one ahead of time, so that nobody waits for zeros to be written. */
export class SegmentMaker {
  readonly #fileSystem: FileSystem
  readonly #directory: string
  readonly #largest: number
  #prepared: { capacity: number; file: Promise<File | undefined> } | undefined

  constructor(fileSystem: FileSystem, directory: string, largest: number) {
    this.#fileSystem = fileSystem
    this.#directory = directory
    this.#largest = largest
  }

  makeFirst(id: Buffer): Promise<OpenSegment> {
    return this.#make({ id, base: 1, capacity: Math.min(SMALLEST_SEGMENT, this.#largest), horizon: 1 })
  }

  /** The segment after `previous`, with room for a frame of this size. Its name is on stable storage on return. */
  makeNext(id: Buffer, previous: Segment, frameBytes: number): Promise<OpenSegment> {
    const capacity = Math.max(this.#capacityAfter(previous), SEGMENT_HEADER + frameBytes + SEGMENT_FOOTER)
    return this.#make({ id, base: previous.last + 1, capacity, horizon: 1 })
  }

  /** Starts to make the next file once `active` is half full. */
  prepareAfter(active: Segment): void {
    if (this.#prepared || active.end < active.capacity / 2) return
    const capacity = this.#capacityAfter(active)
    // Not needed yet: if it cannot be made now, it is tried again when it is, and that error counts.
    const file = allocate(this.#fileSystem, this.#draft, capacity).catch(() => undefined)
    this.#prepared = { capacity, file }
  }

  async discardPrepared(): Promise<void> {
    const file = await this.#takePrepared(Number.POSITIVE_INFINITY)
    await file?.close()
  }

  get #draft(): string {
    return join(this.#directory, SEGMENT_DRAFT)
  }

  #capacityAfter(previous: Segment): number {
    return Math.min(previous.capacity * 2, this.#largest)
  }

  async #make(header: SegmentHeader): Promise<OpenSegment> {
    const path = join(this.#directory, segmentName(header.base))
    const prepared = await this.#takePrepared(header.capacity)
    const file = prepared ?? (await allocate(this.#fileSystem, this.#draft, header.capacity))
    await file.write(encodeHeader(header), 0)
    await file.sync()
    await this.#fileSystem.rename(this.#draft, path)
    await this.#fileSystem.syncDirectory(this.#directory)
    return { file, segment: new Segment(path, header, { last: header.base - 1, end: SEGMENT_HEADER }) }
  }

  async #takePrepared(capacity: number): Promise<File | undefined> {
    const prepared = this.#prepared
    this.#prepared = undefined
    const file = await prepared?.file
    if (!file || prepared?.capacity === capacity) return file
    await file.close()
    await this.#fileSystem.remove(this.#draft)
    return undefined
  }
}
