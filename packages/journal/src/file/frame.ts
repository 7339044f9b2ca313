import { crc32 } from 'node:zlib'
import type { Entry, JournalRecord } from '../journal.ts'

/* A frame is one record as it is stored, little-endian, its size a multiple of 8:
 *
 *    0  u32  checksum of everything after it (CRC-32, seeded with the journal's identity)
 *    4  u32  length of key and data together
 *    8  u48  position
 *   14  u8   kind: bits of KEYED, DELETED, MARK
 *   15  u8   always SIGN
 *   16  u32  how many positions back the last one lies that was on stable storage before this frame was written
 *   20  u16  length of the key
 *   22  u16  zero
 *   24       key, data, zeros up to the next multiple of 8 (the zeros are not in the length)
 *
 * The field at 16 tells a torn write from damage: a record that a later frame calls stable was acknowledged, so that its
 * checksum must be right. A mark is a frame without a record; it says that its position is stable. */

export const FRAME_HEADER = 24
export const FRAME_ALIGNMENT = 8
export const LONGEST_KEY = 0xffff
export const LARGEST_DATA = 256 * 2 ** 20

const SIGN = 0xa7
const KEYED = 1
const DELETED = 2
const MARK = 4

export interface Frame {
  /** Where the frame starts in its file. */
  offset: number
  /** The whole frame as it is stored. */
  bytes: Buffer
  position: number
  /** Every position up to this one was on stable storage before the frame was written. */
  stable: number
  isMark: boolean
  entry: Entry
}

export function frameSize(payloadLength: number): number {
  return (FRAME_HEADER + payloadLength + FRAME_ALIGNMENT - 1) & ~(FRAME_ALIGNMENT - 1)
}

/** The most bytes the frame of this record can take. */
export function largestFrameSize({ key, data }: JournalRecord): number {
  const dataBytes = typeof data === 'string' ? data.length * 3 : data.length
  return frameSize((key === undefined ? 0 : key.length * 3) + dataBytes)
}

/** Writes a record's frame into a buffer that has room for it and returns the frame's size. */
export function encodeFrame(
  target: Buffer,
  at: number,
  { key, data, deleted = false }: JournalRecord,
  position: number,
  stable: number,
  seed: number,
): number {
  const payload = at + FRAME_HEADER
  const keyLength = key === undefined ? 0 : target.write(key, payload)
  const dataAt = payload + keyLength
  let dataLength: number
  if (typeof data === 'string') dataLength = target.write(data, dataAt)
  else {
    target.set(data, dataAt)
    dataLength = data.length
  }
  const kind = (key === undefined ? 0 : KEYED) | (deleted ? DELETED : 0)
  return finishFrame(target, at, keyLength, dataLength, kind, position, stable, seed)
}

export function encodeMark(position: number, seed: number): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER)
  finishFrame(frame, 0, 0, 0, MARK, position, position, seed)
  return frame
}

function finishFrame(
  target: Buffer,
  at: number,
  keyLength: number,
  dataLength: number,
  kind: number,
  position: number,
  stable: number,
  seed: number,
): number {
  const length = keyLength + dataLength
  const size = frameSize(length)
  target.writeUInt32LE(length, at + 4)
  target.writeUInt32LE(position % 2 ** 32, at + 8)
  target.writeUInt16LE(Math.floor(position / 2 ** 32), at + 12)
  target[at + 14] = kind
  target[at + 15] = SIGN
  target.writeUInt32LE(Math.min(position - stable, 0xffffffff), at + 16)
  target.writeUInt16LE(keyLength, at + 20)
  target.writeUInt16LE(0, at + 22)
  target.fill(0, at + FRAME_HEADER + length, at + size)
  target.writeUInt32LE(crc32(target.subarray(at + 4, at + size), seed), at)
  return size
}

/** The size of the frame whose header starts at `at`, or undefined if that is no frame's header. */
export function frameSizeAt(buffer: Buffer, at: number): number | undefined {
  if (buffer[at + 15] !== SIGN || buffer[at + 22] !== 0 || buffer[at + 23] !== 0) return undefined
  const length = buffer.readUInt32LE(at + 4)
  return length > LARGEST_DATA + LONGEST_KEY || buffer.readUInt16LE(at + 20) > length ? undefined : frameSize(length)
}

/** The frame at `at`, which lies wholly in the buffer, or undefined if its checksum is wrong. */
export function decodeFrame(buffer: Buffer, at: number, size: number, offset: number, seed: number): Frame | undefined {
  const bytes = buffer.subarray(at, at + size)
  if (crc32(bytes.subarray(4), seed) !== bytes.readUInt32LE(0)) return undefined
  const position = buffer.readUInt32LE(at + 8) + buffer.readUInt16LE(at + 12) * 2 ** 32
  const kind = buffer[at + 14] as number
  const keyEnd = at + FRAME_HEADER + buffer.readUInt16LE(at + 20)
  const end = at + FRAME_HEADER + buffer.readUInt32LE(at + 4)
  return {
    offset,
    bytes,
    position,
    stable: position - buffer.readUInt32LE(at + 16),
    isMark: (kind & MARK) !== 0,
    entry: {
      position,
      key: (kind & KEYED) === 0 ? undefined : buffer.toString('utf8', at + FRAME_HEADER, keyEnd),
      data: buffer.subarray(keyEnd, end),
      deleted: (kind & DELETED) !== 0,
    },
  }
}
