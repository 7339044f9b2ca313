import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { asError } from '@tiphys/env'
import { corruptDatabase, foreignDatabase, inaccessibleDatabase } from '../failures.ts'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const WAL_MAGIC = 0x377f0682
const [WAL_HEADER_BYTES, FRAME_HEADER_BYTES] = [32, 24]
/** Where page 1 holds what tells one archive from another; see `sqlite-archive.ts`. */
const [ID_OFFSET, APPLICATION_OFFSET] = [60, 68]

/** Looks at a database file and the WAL beside it before SQLite does, which would change them: a WAL of another database is
 *  copied into this one by merely opening it. Only for a process that has no connection to the file: closing a file, POSIX gives
 *  up all locks that the process has on it, those of SQLite, too, and the next process that reads the database takes it for
 *  its own, and removes the WAL behind it. */
export function inspectSqliteFile(file: string): void {
  if (isNewSqliteFile(file)) return
  const size = sizeOf(file) ?? 0
  const wal = `${file}-wal`
  const header = readAt(file, 0, Math.min(size, HEADER_BYTES))
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC.slice(0, header.length))
    throw foreignDatabase(file, 'it is not an SQLite database')
  if (size < HEADER_BYTES) throw corruptDatabase(file, `it was cut at ${size} bytes`)
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  const hasWal = (sizeOf(wal) ?? 0) > WAL_HEADER_BYTES
  // With a WAL beside it the newest pages may be there only.
  if (!hasWal && pages * pageSize > size)
    throw corruptDatabase(file, `it has ${size} bytes of ${pages * pageSize}; it was cut`)
  if (hasWal) inspectWal(file, wal, header, pageSize)
}

/** There is nothing in it yet. Said without opening it. */
export function isNewSqliteFile(file: string): boolean {
  const size = sizeOf(file)
  if (size !== undefined && size > 0) return false
  const wal = `${file}-wal`
  if ((sizeOf(wal) ?? 0) > 0)
    throw corruptDatabase(file, `it is ${size === 0 ? 'empty' : 'gone'}, but ${wal}, which belongs to it, is not`)
  return true
}

function inspectWal(file: string, wal: string, header: Buffer, pageSize: number): void {
  const size = sizeOf(wal) ?? 0
  const head = size === 0 ? Buffer.alloc(0) : readAt(wal, 0, WAL_HEADER_BYTES)
  // One that becomes shorter meanwhile is in use: another connection has just copied it into its database.
  if (head.length < WAL_HEADER_BYTES) return
  // What is not a WAL is ignored and overwritten by SQLite, as the rest of one that was written before the last checkpoint is.
  if ((head.readUInt32BE(0) & 0xfffffffe) >>> 0 !== WAL_MAGIC) return
  const walPageSize = head.readUInt32BE(8)
  const foreign = (why: string) =>
    foreignDatabase(wal, `${why}. It lies where SQLite keeps the newest changes of ${file} and would be copied into it`)
  if (walPageSize !== pageSize && header.readUInt32BE(APPLICATION_OFFSET) !== 0)
    throw foreign(`its pages have ${walPageSize} bytes, those of the archive ${pageSize}`)
  const salt = head.toString('hex', 16, 24)
  const isBigEndian = (head.readUInt32BE(0) & 1) === 1
  let sum = checksum(head.subarray(0, 24), [0, 0], isBigEndian)
  const frameBytes = FRAME_HEADER_BYTES + walPageSize
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= size; at += frameBytes) {
    const frame = readAt(wal, at, frameBytes)
    if (frame.length < frameBytes) return
    const page = frame.subarray(FRAME_HEADER_BYTES)
    sum = checksum(page, checksum(frame.subarray(0, 8), sum, isBigEndian), isBigEndian)
    // What comes after a frame that is not whole was never committed, and SQLite does not read it.
    const isWhole = frame.readUInt32BE(16) === sum[0] && frame.readUInt32BE(20) === sum[1]
    if (!isWhole || frame.toString('hex', 8, 16) !== salt) return
    if (frame.readUInt32BE(0) !== 1) continue
    const isOther = (offset: number) =>
      header.readUInt32BE(offset) !== 0 && page.readUInt32BE(offset) !== header.readUInt32BE(offset)
    if (isOther(APPLICATION_OFFSET) || isOther(ID_OFFSET)) throw foreign('it belongs to another database')
  }
}

/** As SQLite's file format describes it, going on from the sum of what came before. */
function checksum(bytes: Buffer, [first, second]: readonly [number, number], isBigEndian: boolean): [number, number] {
  let [a, b] = [first, second]
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0
  }
  return [a, b]
}

function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && !stats.isFile()) throw new Error('it is not a file')
    return stats?.size
  } catch (error) {
    throw inaccessibleDatabase(path, asError(error))
  }
}

function readAt(path: string, position: number, length: number): Buffer {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw inaccessibleDatabase(path, asError(error))
  }
  try {
    const buffer = Buffer.alloc(length)
    const read = readSync(file, buffer, 0, length, position)
    return buffer.subarray(0, read)
  } finally {
    closeSync(file)
  }
}

export const isSqliteFile = (file: string): boolean => existsSync(file)
