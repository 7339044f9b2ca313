import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { refusedArtifact } from './artifact-failures.ts'
import { safeParts } from './safe-path.ts'
import type { ArchiveEntry } from './tar.ts'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_BYTES = 22
const MOST_BYTES = 512 * 2 ** 20
const SYMBOLIC_LINK = 0o120000
const FOLDER = 0o040000
const KIND = 0o170000

/** The files and folders of a zip archive. Links and paths that lead outside are refused; sizes are bounded. */
export async function* readZip(bytes: Buffer): AsyncGenerator<ArchiveEntry> {
  const end = findEnd(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  let total = 0
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== CENTRAL) throw damaged()
    const method = bytes.readUInt16LE(at + 10)
    const packed = bytes.readUInt32LE(at + 20)
    const size = bytes.readUInt32LE(at + 24)
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(field => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ]
    const attributes = bytes.readUInt32LE(at + 38) >>> 16
    const start = bytes.readUInt32LE(at + 42)
    const name = bytes.subarray(at + 46, at + 46 + nameLength).toString()
    at += 46 + nameLength + extraLength + commentLength
    total += size
    if (total > MOST_BYTES) throw refusedArtifact(`The zip archive has more than ${MOST_BYTES} bytes`)
    if ((attributes & KIND) === SYMBOLIC_LINK)
      throw refusedArtifact(`${JSON.stringify(name)} in a zip archive is refused`, { why: 'it is a link' })
    const path = safeParts(name, 'The path').join('/')
    const mode = attributes & 0o777
    if (name.endsWith('/') || (attributes & KIND) === FOLDER) {
      yield { path, type: 'directory', mode: mode || 0o755, size: 0, content: one() }
      continue
    }
    const content = unpack(bytes, start, { method, packed, size })
    yield { path, type: 'file', mode: mode || 0o644, size: content.length, content: one(content) }
  }
}

function unpack(
  bytes: Buffer,
  start: number,
  { method, packed, size }: { method: number; packed: number; size: number },
) {
  if (start + 30 > bytes.length || bytes.readUInt32LE(start) !== LOCAL) throw damaged()
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
  const content = bytes.subarray(from, from + packed)
  if (method === 0) return content
  if (method !== 8) throw refusedArtifact(`The zip archive uses the method ${method}, which is not supported`)
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, size) })
  } catch (cause) {
    throw refusedArtifact('The zip archive is damaged', { cause })
  }
}

/** A zip archive. Files are held in memory, one at a time. */
export async function* writeZip(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let offset = 0
  for await (const { path, type, mode, content } of entries) {
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of content) {
      size += piece.length
      if (offset + size > MOST_BYTES) throw refusedArtifact(`A zip archive may have ${MOST_BYTES} bytes at most`)
      pieces.push(piece)
    }
    const bytes = Buffer.concat(pieces)
    const packed = deflateRawSync(bytes)
    const name = Buffer.from(type === 'directory' ? `${path}/` : path)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    // Names are UTF-8.
    fields.writeUInt16LE(0x0800, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(0x00210000, 6)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([signature(LOCAL), fields, name, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((((type === 'directory' ? FOLDER : 0o100000) | mode) << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([signature(CENTRAL), Buffer.from([20, 3]), fields, tail, name]))
    offset += local.length
    yield local
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  yield Buffer.concat([central, end])
}

export const looksLikeZip = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === LOCAL

function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - END_BYTES; at >= Math.max(0, bytes.length - END_BYTES - 65_535); at--)
    if (bytes.readUInt32LE(at) === END) return at
  throw damaged()
}

const damaged = () => refusedArtifact('The zip archive is damaged')

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

async function* one(...content: Buffer[]): AsyncGenerator<Buffer> {
  yield* content
}
