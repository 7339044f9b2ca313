import { crc32 } from 'node:zlib'
import { foreignFile, JournalCorrupt, newerFormat } from '../failures.ts'
import type { File, FileSystem } from './file-system.ts'
import { decodeFrame, FRAME_HEADER, type Frame, frameSizeAt } from './frame.ts'

/* A segment is one file: a header, frames, and zeros up to its capacity, with a footer at the very end once it is sealed.
 * The whole file is written as zeros and synced before its first record, for two reasons: a sync then has no metadata to
 * flush (half the time on ext4), and a file that is shorter than its capacity has certainly been cut. */

const HEADER_MAGIC = Buffer.from('TIPHYSJL')
const FOOTER_MAGIC = Buffer.from('TIPHYSJE')
const FORMAT = 1
const ID_LENGTH = 16
/** Names of files that are not part of the journal yet; a crash may leave them behind. */
export const SEGMENT_DRAFT = 'segment.tmp'
export const COMPACTION_DRAFT = 'compaction.tmp'
export const SEGMENT_HEADER = 64
export const SEGMENT_FOOTER = 32

const WINDOW = 2 ** 20
const ZEROS = Buffer.alloc(2 ** 20)
const INDEX_STEP = 64 * 2 ** 10

export interface SegmentHeader {
  /** The journal's identity, the same in all of its segments. */
  id: Buffer
  base: number
  capacity: number
  /** Below this position records may be missing, because compaction dropped them. */
  horizon: number
}

export interface SegmentFooter {
  last: number
  end: number
}

export class Segment {
  readonly path: string
  readonly base: number
  readonly capacity: number
  readonly horizon: number
  /** The last committed position in it or dropped from it; base - 1 when there is none. */
  last: number
  /** Where the committed frames end. */
  end: number
  /** Where some of the records start, ascending, so that a reader need not start at the front. */
  readonly #index: { position: number; offset: number }[] = []

  constructor(path: string, { base, capacity, horizon }: SegmentHeader, { last, end }: SegmentFooter) {
    this.path = path
    this.base = base
    this.capacity = capacity
    this.horizon = horizon
    this.last = last
    this.end = end
  }

  /** How many bytes of frames still fit. */
  get room(): number {
    return this.capacity - SEGMENT_FOOTER - this.end
  }

  /** Remembers that the first record at or after `position` starts at `offset`. */
  note(position: number, offset: number): void {
    const newest = this.#index.at(-1)?.offset ?? SEGMENT_HEADER
    if (offset >= newest + INDEX_STEP) this.#index.push({ position, offset })
  }

  /** The same of a frame. A mark stands behind the record whose position it has. */
  noteFrame({ isMark, position, offset }: Frame): void {
    this.note(isMark ? position + 1 : position, offset)
  }

  /** An offset at or before the frame of `position`. */
  offsetOf(position: number): number {
    let low = 0
    let high = this.#index.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#index[middle] as { position: number }).position <= position) low = middle + 1
      else high = middle
    }
    return this.#index[low - 1]?.offset ?? SEGMENT_HEADER
  }
}

export function segmentName(base: number): string {
  return `${String(base).padStart(16, '0')}.journal`
}

/** The checksum seed of a journal: a frame of another journal never passes for one of this. */
export function seedOf(id: Buffer): number {
  return crc32(id)
}

/** Whether a record at `position` may come next after `last`, given what compaction may have dropped between the two. */
export function isNext(position: number, last: number, horizon: number): boolean {
  return position === last + 1 || (position > last && position <= horizon)
}

/** Creates a file of zeros of this size, on stable storage. */
export async function allocate(fileSystem: FileSystem, path: string, capacity: number): Promise<File> {
  const file = await fileSystem.open(path, 'create')
  try {
    // Synced piece by piece, so that commits to another segment never queue behind all of it.
    for (let at = 0; at < capacity; at += ZEROS.length) {
      await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, capacity - at)), at)
      await file.sync()
    }
    return file
  } catch (error) {
    await file.close()
    // The space is needed; if even this fails, the error that started it is the one to report.
    await fileSystem.remove(path).catch(() => {})
    throw error
  }
}

export function encodeHeader({ id, base, capacity, horizon }: SegmentHeader): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER)
  HEADER_MAGIC.copy(header)
  header.writeUInt32LE(FORMAT, 8)
  id.copy(header, 16)
  header.writeBigUInt64LE(BigInt(base), 32)
  header.writeBigUInt64LE(BigInt(capacity), 40)
  header.writeBigUInt64LE(BigInt(horizon), 48)
  header.writeUInt32LE(crc32(header.subarray(0, SEGMENT_HEADER - 4)), SEGMENT_HEADER - 4)
  return header
}

/** Reads a segment's header; throws if the file is not one, is of a newer format, or has been cut. */
export async function readHeader(file: File, path: string, base: number): Promise<SegmentHeader> {
  const header = Buffer.alloc(SEGMENT_HEADER)
  const length = await file.read(header, 0)
  if (length < SEGMENT_HEADER && HEADER_MAGIC.compare(header, 0, Math.min(length, 8), 0, Math.min(length, 8)) === 0)
    throw new JournalCorrupt({ file: path, offset: length, position: base, why: 'the file has been cut' })
  if (!header.subarray(0, 8).equals(HEADER_MAGIC)) throw foreignFile(path, 'it does not start as a segment does')
  const version = header.readUInt32LE(8)
  if (version !== FORMAT) throw newerFormat(path, version, FORMAT)
  if (header.readUInt32LE(SEGMENT_HEADER - 4) !== crc32(header.subarray(0, SEGMENT_HEADER - 4)))
    throw new JournalCorrupt({ file: path, offset: 0, position: base, why: 'the checksum of the header is wrong' })
  const stored = Number(header.readBigUInt64LE(32))
  if (stored !== base) throw foreignFile(path, `it starts at position ${stored}, its name says ${base}`)
  const capacity = Number(header.readBigUInt64LE(40))
  const size = await file.size()
  if (size < capacity)
    throw new JournalCorrupt({
      file: path,
      offset: size,
      position: base,
      why: `the file has been cut from ${capacity} bytes`,
    })
  return { id: header.subarray(16, 16 + ID_LENGTH), base, capacity, horizon: Number(header.readBigUInt64LE(48)) }
}

export function encodeFooter({ last, end }: SegmentFooter, seed: number): Buffer {
  const footer = Buffer.alloc(SEGMENT_FOOTER)
  FOOTER_MAGIC.copy(footer)
  footer.writeBigUInt64LE(BigInt(last), 8)
  footer.writeBigUInt64LE(BigInt(end), 16)
  footer.writeUInt32LE(crc32(footer.subarray(0, SEGMENT_FOOTER - 4), seed), SEGMENT_FOOTER - 4)
  return footer
}

/** The footer of a sealed segment, undefined if the segment is not sealed. */
export async function readFooter(file: File, capacity: number, seed: number): Promise<SegmentFooter | undefined> {
  const footer = Buffer.alloc(SEGMENT_FOOTER)
  await file.read(footer, capacity - SEGMENT_FOOTER)
  if (!footer.subarray(0, 8).equals(FOOTER_MAGIC)) return undefined
  if (footer.readUInt32LE(SEGMENT_FOOTER - 4) !== crc32(footer.subarray(0, SEGMENT_FOOTER - 4), seed)) return undefined
  return { last: Number(footer.readBigUInt64LE(8)), end: Number(footer.readBigUInt64LE(16)) }
}

/** Reads the intact frames from an offset on, about a megabyte of them or one that is larger. None means that there is
 *  none at `from`. */
export async function readFrames(file: File, from: number, until: number, seed: number): Promise<Frame[]> {
  let wanted = Math.min(WINDOW, until - from)
  for (;;) {
    const buffer = Buffer.allocUnsafeSlow(Math.max(0, wanted))
    const length = await file.read(buffer, from)
    const { frames, missing } = parseFrames(buffer.subarray(0, length), from, seed)
    if (frames.length > 0 || missing <= wanted || from + missing > until) return frames
    wanted = missing
  }
}

function parseFrames(buffer: Buffer, offset: number, seed: number): { frames: Frame[]; missing: number } {
  const frames: Frame[] = []
  let at = 0
  while (at + FRAME_HEADER <= buffer.length) {
    const size = frameSizeAt(buffer, at)
    if (size === undefined) break
    if (at + size > buffer.length) return { frames, missing: size }
    const frame = decodeFrame(buffer, at, size, offset + at, seed)
    if (!frame) break
    frames.push(frame)
    at += size
  }
  return { frames, missing: 0 }
}

/** Hands out the frames of the segment in order, some at a time; returns where the intact ones end and the last
 *  position, which is before `until` when something is wrong there. */
export async function scanSegment(
  file: File,
  segment: Segment,
  until: number,
  seed: number,
  onFrames: (frames: Frame[]) => Promise<void> | void,
): Promise<SegmentFooter> {
  let end = SEGMENT_HEADER
  let last = segment.base - 1
  for (;;) {
    const frames = await readFrames(file, end, until, seed)
    const intact = countInOrder(frames, last, segment.horizon)
    const newest = frames[intact - 1]
    if (!newest) return { last, end }
    for (let i = 0; i < intact; i++) segment.noteFrame(frames[i] as Frame)
    await onFrames(intact === frames.length ? frames : frames.slice(0, intact))
    last = newest.position
    end = newest.offset + newest.bytes.length
  }
}

function countInOrder(frames: Frame[], last: number, horizon: number): number {
  let previous = last
  for (let i = 0; i < frames.length; i++) {
    const { isMark, position } = frames[i] as Frame
    if (isMark ? position !== previous : !isNext(position, previous, horizon)) return i
    previous = position
  }
  return frames.length
}
