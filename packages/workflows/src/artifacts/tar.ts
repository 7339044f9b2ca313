import { refusedArtifact } from './artifact-failures.ts'
import { ByteReader } from './byte-reader.ts'
import { safeParts } from './safe-path.ts'

/** A file or folder of an archive. */
export interface ArchiveEntry {
  /** Relative, without `..`; empty for what the archive itself stands for. */
  path: string
  type: 'file' | 'directory'
  mode: number
  size: number
  /** Empty for folders. Read before the next entry is asked for. */
  content: AsyncIterable<Uint8Array>
}

const BLOCK = 512
/** What tar programs read at once. */
const RECORD = 20 * BLOCK
const FILE_TYPES = ['0', '\0', '7']
/** Devices and pipes. */
const SPECIAL_TYPES = ['3', '4', '6']
const MOST_NAME_BYTES = 64 * 1024
/** A header's own size field holds no more. */
const MOST_FILE_BYTES = 8 ** 11 - 1

/** The files and folders of a tar archive. Links, devices and paths that lead outside are refused; with `skipsSpecial` pipes and devices
 *  are left out, which have no content. */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  { skipsSpecial = false }: { skipsSpecial?: boolean } = {},
): AsyncGenerator<ArchiveEntry> {
  const reader = new ByteReader(source)
  try {
    yield* entriesOf(reader, skipsSpecial)
  } finally {
    await reader.end()
  }
}

async function* entriesOf(reader: ByteReader, skipsSpecial: boolean): AsyncGenerator<ArchiveEntry> {
  let longName: string | undefined
  let extended: Record<string, string> = {}
  for (;;) {
    const header = await reader.read(BLOCK)
    if (header.length < BLOCK || header.every(byte => byte === 0)) return
    checkSum(header)
    const type = String.fromCharCode(header[156] as number)
    const size = Number(extended.size ?? octal(header, 124, 12))
    if (type === 'L' || type === 'x' || type === 'g' || type === 'K') {
      if (size > MOST_NAME_BYTES) throw refusedArtifact('The tar archive has a name that is too long')
      const text = await reader.read(size)
      await reader.read(padding(size))
      if (type === 'L') longName = text.toString().replace(/\0.*$/s, '')
      else if (type === 'x') extended = paxFields(text)
      continue
    }
    const name = extended.path ?? longName ?? headerName(header)
    longName = undefined
    extended = {}
    const path = safeParts(name, 'The path').join('/')
    const mode = octal(header, 100, 8) & 0o777
    if (type === '5') {
      yield { path, type: 'directory', mode, size: 0, content: nothing() }
      continue
    }
    if (skipsSpecial && SPECIAL_TYPES.includes(type)) continue
    if (!FILE_TYPES.includes(type))
      throw refusedArtifact(`${JSON.stringify(name)} in a tar archive is refused`, {
        why: type === '2' || type === '1' ? 'it is a link' : 'it is neither a file nor a folder',
      })
    const content = reader.pieces(size)
    yield { path, type: 'file', mode, size, content }
    // Whatever was not read.
    for await (const _ of content);
    await reader.read(padding(size))
  }
}

/** A tar archive. */
export async function* writeTar(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  let written = 0
  const count = <T extends Uint8Array>(bytes: T): T => {
    written += bytes.length
    return bytes
  }
  for await (const entry of entries) {
    yield count(headersFor(entry))
    let size = 0
    for await (const piece of entry.content) {
      size += piece.length
      yield count(piece)
    }
    if (size !== entry.size) throw new Error(`${entry.path} has ${size} bytes instead of ${entry.size}`)
    yield count(Buffer.alloc(padding(size)))
  }
  const end = 2 * BLOCK
  yield Buffer.alloc(end + ((RECORD - ((written + end) % RECORD)) % RECORD))
}

export async function* nothing(): AsyncGenerator<never> {}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

function headersFor({ path, type, mode, size }: ArchiveEntry): Buffer {
  const name = type === 'directory' ? `${path}/` : path
  if (size > MOST_FILE_BYTES) throw refusedArtifact(`${path} has more than 8 GiB`)
  const bytes = Buffer.from(name)
  if (bytes.length <= 100) return header(bytes, type === 'directory' ? '5' : '0', mode, size)
  const long = Buffer.concat([bytes, Buffer.alloc(1)])
  return Buffer.concat([
    header(Buffer.from('././@LongLink'), 'L', 0o644, long.length),
    long,
    Buffer.alloc(padding(long.length)),
    header(bytes.subarray(0, 100), type === 'directory' ? '5' : '0', mode, size),
  ])
}

function header(name: Buffer, type: string, mode: number, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  name.copy(block, 0, 0, 100)
  const octalField = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  octalField(mode, 100, 8)
  octalField(0, 108, 8)
  octalField(0, 116, 8)
  octalField(size, 124, 12)
  octalField(0, 136, 12)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function checkSum(block: Buffer): void {
  const stored = octal(block, 148, 8)
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  if (stored !== sum) throw refusedArtifact('The tar archive is damaged')
}

function headerName(block: Buffer): string {
  const prefix = text(block, 257, 5) === 'ustar' ? text(block, 345, 155) : ''
  const name = text(block, 0, 100)
  return prefix === '' ? name : `${prefix}/${name}`
}

function text(block: Buffer, at: number, length: number): string {
  const bytes = block.subarray(at, at + length)
  const end = bytes.indexOf(0)
  return bytes.subarray(0, end < 0 ? length : end).toString()
}

function octal(block: Buffer, at: number, length: number): number {
  // Base 256, for numbers that octal digits have no room for.
  if ((block[at] as number) & 0x80) return block.readUIntBE(at + length - 6, 6)
  const value = Number.parseInt(text(block, at, length).trim() || '0', 8)
  if (!Number.isSafeInteger(value) || value < 0) throw refusedArtifact('The tar archive is damaged')
  return value
}

/** Lines of `length key=value`. */
function paxFields(bytes: Buffer): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.subarray(at, space).toString())
    if (space < 0 || !Number.isInteger(length) || length <= 0) break
    const [, key = '', value = ''] =
      /^([^=]*)=([\s\S]*)\n$/.exec(bytes.subarray(space + 1, at + length).toString()) ?? []
    if (key === 'path' || key === 'size') fields[key] = value
    at += length
  }
  return fields
}

/** Whether bytes begin like a tar archive. */
export const looksLikeTar = (bytes: Buffer): boolean => bytes.length >= BLOCK && text(bytes, 257, 5) === 'ustar'
