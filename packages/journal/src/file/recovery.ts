import { join } from 'node:path'
import type { Log } from '@tiphys/env'
import { foreignFile, JournalCorrupt } from '../failures.ts'
import type { Entry } from '../journal.ts'
import type { File, FileSystem } from './file-system.ts'
import { decodeFrame, encodeMark, FRAME_ALIGNMENT, FRAME_HEADER, type Frame, frameSizeAt } from './frame.ts'
import {
  COMPACTION_DRAFT,
  isNext,
  readFooter,
  readFrames,
  readHeader,
  SEGMENT_DRAFT,
  SEGMENT_FOOTER,
  SEGMENT_HEADER,
  Segment,
  type SegmentHeader,
  scanSegment,
  seedOf,
  segmentName,
} from './segment.ts'

export interface RecoveryOptions {
  fileSystem: FileSystem
  directory: string
  log: Log
  /** Called for every record that is left, in order. Also makes every stored byte be checked. */
  onEntry: ((entry: Entry) => void) | undefined
}

export interface Recovered {
  id: Buffer
  /** Oldest first; the last one is where writing goes on. */
  segments: Segment[]
  activeFile: File
}

interface Found {
  name: string
  segment: Segment
  isSealed: boolean
}

const SEGMENT = /^(\d{16})\.journal$/
const TEMPORARY = new Set([SEGMENT_DRAFT, COMPACTION_DRAFT])
const WINDOW = 2 ** 20
const ZEROS = Buffer.alloc(WINDOW)

/** Brings a directory back to a state that can be appended to. Returns undefined if there is no journal in it yet.
 *  Throws before anything is changed if a segment is damaged, missing or foreign. */
export async function recover(options: RecoveryOptions): Promise<Recovered | undefined> {
  const { fileSystem, directory } = options
  const names = await fileSystem.list(directory)
  const drafts = names.filter(name => TEMPORARY.has(name))
  const { id, found } = await readSegments(options, names)
  if (!id) {
    await removeFiles(options, drafts)
    return undefined
  }
  const seed = seedOf(id)
  const { chain, leftovers, successor } = linkSegments(directory, found)
  if (successor) await requireEmpty(fileSystem, successor, (chain.at(-1) as Found).segment, seed)
  const last = chain.at(-1) as Found
  for (const { segment, isSealed } of chain)
    if (isSealed && options.onEntry) await replay(fileSystem, segment, seed, options.onEntry)
  const active = await fileSystem.open(last.segment.path, 'write')
  try {
    await recoverTail(options, active, last.segment, seed, successor)
    await removeFiles(options, [...drafts, ...leftovers])
  } catch (error) {
    await active.close()
    throw error
  }
  return { id, segments: chain.map(({ segment }) => segment), activeFile: active }
}

async function readSegments(
  { fileSystem, directory }: RecoveryOptions,
  names: string[],
): Promise<{ id: Buffer | undefined; found: Found[] }> {
  const found: Found[] = []
  let id: Buffer | undefined
  for (const name of names.filter(name => name.endsWith('.journal')).sort()) {
    const path = join(directory, name)
    const base = SEGMENT.exec(name)?.[1]
    if (base === undefined) throw foreignFile(path, 'its name is not that of a segment')
    const file = await fileSystem.open(path, 'read')
    try {
      const header = await readHeader(file, path, Number(base))
      id ??= header.id
      if (!header.id.equals(id)) throw foreignFile(path, 'it was written by another journal')
      found.push(await readExtent(file, name, path, header, seedOf(id)))
    } finally {
      await file.close()
    }
  }
  return { id, found }
}

async function readExtent(file: File, name: string, path: string, header: SegmentHeader, seed: number): Promise<Found> {
  const footer = await readFooter(file, header.capacity, seed)
  const empty = { last: header.base - 1, end: SEGMENT_HEADER }
  return { name, segment: new Segment(path, header, footer ?? empty), isSealed: footer !== undefined }
}

/** Orders what a crash can have left behind: inputs of a finished compaction, and a segment that was made while its
 *  predecessor was not sealed yet. Anything else that does not fit together is damage. */
function linkSegments(
  directory: string,
  found: Found[],
): { chain: Found[]; leftovers: string[]; successor: Segment | undefined } {
  const chain: Found[] = []
  const leftovers: string[] = []
  let successor: Segment | undefined
  found.forEach((item, i) => {
    const { segment } = item
    const previous = chain.at(-1)
    const expected = previous ? previous.segment.last + 1 : 1
    if (previous && !previous.isSealed) {
      if (i < found.length - 1 || item.isSealed) throw damagedFooter(previous.segment)
      successor = segment
      leftovers.push(item.name)
    } else if (previous && item.isSealed && segment.last < expected) leftovers.push(item.name)
    else if (segment.base === expected) chain.push(item)
    else
      throw new JournalCorrupt({
        file: join(directory, segmentName(expected)),
        offset: 0,
        position: expected,
        why: `the file is missing, the next one there starts at position ${segment.base}`,
      })
  })
  const last = chain.at(-1) as Found
  if (last.isSealed)
    throw new JournalCorrupt({
      file: join(directory, segmentName(last.segment.last + 1)),
      offset: 0,
      position: last.segment.last + 1,
      why: `the file is missing, ${last.name} says that it follows`,
    })
  return { chain, leftovers, successor }
}

/** A segment gets records only after its predecessor is sealed. One with records therefore proves that the footer of the
 *  predecessor was there and is damaged. */
async function requireEmpty(
  fileSystem: FileSystem,
  successor: Segment,
  predecessor: Segment,
  seed: number,
): Promise<void> {
  const file = await fileSystem.open(successor.path, 'read')
  try {
    const { lastByte } = await inspectTail(file, SEGMENT_HEADER, successor.capacity, seed, successor.base)
    if (lastByte >= 0) throw damagedFooter(predecessor)
  } finally {
    await file.close()
  }
}

function damagedFooter(segment: Segment): JournalCorrupt {
  const offset = segment.capacity - SEGMENT_FOOTER
  const why = 'the footer is missing, although a later segment has been written'
  return new JournalCorrupt({ file: segment.path, offset, position: segment.base, why })
}

async function replay(
  fileSystem: FileSystem,
  segment: Segment,
  seed: number,
  onEntry: (entry: Entry) => void,
): Promise<void> {
  const file = await fileSystem.open(segment.path, 'read')
  try {
    const { last, end } = await scanSegment(file, segment, segment.end, seed, frames => {
      for (const { isMark, entry } of frames) if (!isMark) onEntry(entry)
    })
    if (end !== segment.end || !isNext(segment.last + 1, last, segment.horizon)) throw damagedFrame(segment, end, last)
  } finally {
    await file.close()
  }
}

export function damagedFrame(segment: Segment, offset: number, last: number): JournalCorrupt {
  return new JournalCorrupt({
    file: segment.path,
    offset,
    position: last + 1,
    why: 'the checksum of the record is wrong',
  })
}

/** Finds the end of the active segment. What lies behind the last intact record is wiped if it was never acknowledged,
 *  and refused as damage if anything proves that it was. */
async function recoverTail(
  { onEntry, log }: RecoveryOptions,
  file: File,
  segment: Segment,
  seed: number,
  successor: Segment | undefined,
): Promise<void> {
  const limit = segment.capacity - SEGMENT_FOOTER
  let newest: Frame | undefined
  let newestBatch = SEGMENT_HEADER
  const { last, end } = await scanSegment(file, segment, limit, seed, frames => {
    for (const frame of frames) {
      if (frame.stable !== newest?.stable) newestBatch = frame.offset
      if (!frame.isMark) onEntry?.(frame.entry)
      newest = frame
    }
  })
  if (successor && last + 1 !== successor.base) throw damagedFrame(segment, end, last)
  const { provesAcknowledged, lastByte } = await inspectTail(file, end, limit, seed, last + 1)
  if (provesAcknowledged) throw damagedFrame(segment, end, last)
  segment.last = last
  segment.end = end
  if (lastByte >= end) {
    log.warn('dropped an unfinished write at the end of the journal', {
      file: segment.path,
      offset: end,
      position: last + 1,
    })
    await file.write(Buffer.alloc(lastByte + 1 - end), end)
  }
  if (newest && !newest.isMark) await makeStable(file, segment, newestBatch, seed)
  else if (lastByte >= end) await file.sync()
}

/** The newest records are served from now on, so that they must be on stable storage. They are written anew, because a
 *  sync that failed before may have left them in memory as if they had been stored, and no later sync would store them. */
async function makeStable(file: File, segment: Segment, from: number, seed: number): Promise<void> {
  const mark = segment.room < FRAME_HEADER ? Buffer.alloc(0) : encodeMark(segment.last, seed)
  const records = Buffer.alloc(segment.end - from)
  await file.read(records, from)
  await file.write(Buffer.concat([records, mark]), from)
  await file.sync()
  segment.end += mark.length
}

/** Looks behind the last intact record for a frame that was written after record `position` had become stable, and for
 *  the last byte that is not zero. */
async function inspectTail(
  file: File,
  from: number,
  until: number,
  seed: number,
  position: number,
): Promise<{ provesAcknowledged: boolean; lastByte: number }> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(WINDOW, until - from)))
  let lastByte = -1
  let nextFrame = from
  // Windows overlap by the size of a header, so that none is cut in two.
  for (let start = from; start < until; start += WINDOW - FRAME_HEADER) {
    const window = buffer.subarray(0, await file.read(buffer.subarray(0, Math.min(WINDOW, until - start)), start))
    if (window.equals(ZEROS.subarray(0, window.length))) continue
    lastByte = start + lastNonZero(window)
    for (let at = Math.max(0, nextFrame - start); at + FRAME_HEADER <= window.length; ) {
      const frame = await frameIn(file, window, at, start, until, seed)
      if (frame && frame.stable >= position && frame.position >= position) return { provesAcknowledged: true, lastByte }
      at += frame?.bytes.length ?? FRAME_ALIGNMENT
      nextFrame = start + at
    }
  }
  return { provesAcknowledged: false, lastByte }
}

async function frameIn(
  file: File,
  window: Buffer,
  at: number,
  start: number,
  until: number,
  seed: number,
): Promise<Frame | undefined> {
  const size = frameSizeAt(window, at)
  const offset = start + at
  if (size === undefined || offset + size > until) return undefined
  if (at + size <= window.length) return decodeFrame(window, at, size, offset, seed)
  return (await readFrames(file, offset, offset + size, seed))[0]
}

function lastNonZero(buffer: Buffer): number {
  let at = buffer.length - 1
  while (at >= 0 && buffer[at] === 0) at--
  return at
}

async function removeFiles({ fileSystem, directory }: RecoveryOptions, names: string[]): Promise<void> {
  for (const name of names) await fileSystem.remove(join(directory, name))
  // A segment that came back after records were written in its place would contradict them.
  if (names.length > 0) await fileSystem.syncDirectory(directory)
}
