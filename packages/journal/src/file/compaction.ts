import { join } from 'node:path'
import type { Compaction } from '../journal.ts'
import type { File, FileSystem } from './file-system.ts'
import type { Frame } from './frame.ts'
import { damagedFrame } from './recovery.ts'
import {
  COMPACTION_DRAFT,
  encodeFooter,
  encodeHeader,
  isNext,
  SEGMENT_FOOTER,
  SEGMENT_HEADER,
  Segment,
  scanSegment,
  seedOf,
  segmentName,
} from './segment.ts'

export interface CompactionInput {
  fileSystem: FileSystem
  directory: string
  id: Buffer
  /** The sealed segments from the first on that hold every record before `before`. */
  segments: readonly Segment[]
  before: number
}

export interface CompactionDraft extends Compaction {
  path: string
  /** What the draft is once it has been renamed to the segment's path. */
  segment: Segment
}

const WRITE_SIZE = 2 ** 20

/** Writes what is left of the segments into a draft beside them, on stable storage. Renaming the draft over the first
 *  of them is the moment at which compaction happens; the others are then covered by it and can go. */
export async function draftCompaction(input: CompactionInput): Promise<CompactionDraft> {
  const { fileSystem, directory } = input
  const lastOfKey = await findLastOfKeys(input)
  const path = join(directory, COMPACTION_DRAFT)
  const file = await fileSystem.open(path, 'create')
  try {
    return { path, ...(await writeDraft(input, file, lastOfKey)) }
  } catch (error) {
    // The space is needed; if even this fails, the error that started it is the one to report.
    await fileSystem.remove(path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

async function writeDraft(
  input: CompactionInput,
  file: File,
  lastOfKey: Map<string, number>,
): Promise<Omit<CompactionDraft, 'path'>> {
  const { directory, id, segments, before } = input
  const output = new Output(file)
  let kept = 0
  let dropped = 0
  await scanAll(input, async frames => {
    for (const { isMark, position, entry, bytes } of frames) {
      if (isMark) continue
      const isKept = position >= before || (entry.key !== undefined && lastOfKey.get(entry.key) === position)
      if (isKept) output.add(bytes)
      if (position >= before) continue
      if (isKept) kept++
      else dropped++
    }
    await output.flush(WRITE_SIZE)
  })
  await output.flush(0)
  const header = { id, base: (segments[0] as Segment).base, capacity: output.end + SEGMENT_FOOTER, horizon: before }
  const footer = { last: (segments.at(-1) as Segment).last, end: output.end }
  await file.write(encodeFooter(footer, seedOf(id)), output.end)
  await file.write(encodeHeader(header), 0)
  await file.sync()
  return { kept, dropped, segment: new Segment(join(directory, segmentName(header.base)), header, footer) }
}

async function findLastOfKeys(input: CompactionInput): Promise<Map<string, number>> {
  const lastOfKey = new Map<string, number>()
  await scanAll(input, frames => {
    for (const { isMark, position, entry } of frames) {
      if (isMark || position >= input.before || entry.key === undefined) continue
      if (entry.deleted) lastOfKey.delete(entry.key)
      else lastOfKey.set(entry.key, position)
    }
  })
  return lastOfKey
}

async function scanAll(
  { fileSystem, segments, id }: CompactionInput,
  onFrames: (frames: Frame[]) => Promise<void> | void,
): Promise<void> {
  for (const segment of segments) {
    const file = await fileSystem.open(segment.path, 'read')
    try {
      const { last, end } = await scanSegment(file, segment, segment.end, seedOf(id), onFrames)
      if (end !== segment.end || !isNext(segment.last + 1, last, segment.horizon))
        throw damagedFrame(segment, end, last)
    } finally {
      await file.close()
    }
  }
}

class Output {
  readonly #file: File
  #parts: Buffer[] = []
  #size = 0
  #written = SEGMENT_HEADER

  constructor(file: File) {
    this.#file = file
  }

  get end(): number {
    return this.#written + this.#size
  }

  add(bytes: Buffer): void {
    this.#parts.push(bytes)
    this.#size += bytes.length
  }

  /** Writes what was added if it is more than `size` bytes. */
  async flush(size: number): Promise<void> {
    if (this.#size <= size) return
    await this.#file.write(Buffer.concat(this.#parts), this.#written)
    this.#written += this.#size
    this.#parts = []
    this.#size = 0
  }
}
