import { createInflate, type Inflate } from 'node:zlib'

/** Names are lower case; several values of one name are one text with NUL between them. */
export type SpdyHeaders = Readonly<Record<string, string>>

/** The text that SPDY/3 compression starts with: common names with their lengths, then common values. */
const COMMON_NAMES = (
  'options head post put delete trace accept accept-charset accept-encoding accept-language ' +
  'accept-ranges age allow authorization cache-control connection content-base content-encoding ' +
  'content-language content-length content-location content-md5 content-range content-type date etag ' +
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since ' +
  'last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer ' +
  'retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate ' +
  'method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin'
)
  .split(' ')
  .map(name => name.replace('_', ' '))
const COMMON_VALUES =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative ' +
  'Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal ' +
  'Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, ' +
  'Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,' +
  'text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.'

const DICTIONARY = Buffer.concat([...COMMON_NAMES.map(lengthAndText), Buffer.from(COMMON_VALUES)])

const LARGEST_BLOCK = 64 * 1024
const MOST_HEADERS = 1000

function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Writes header blocks. All blocks of a connection are one zlib stream; ours holds them uncompressed, which every reader
 *  accepts and no other header of the connection can be guessed from. */
export class SpdyHeaderWriter {
  #isFirst = true

  write(headers: SpdyHeaders): Buffer {
    const entries = Object.entries(headers)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(entries.length)
    const block = Buffer.concat([
      count,
      ...entries.flatMap(([name, value]) => [lengthAndText(name.toLowerCase()), lengthAndText(value)]),
    ])
    if (block.length > LARGEST_BLOCK - 1) throw new Error('the headers of a stream are too large')
    const start = this.#isFirst ? streamStart() : Buffer.alloc(0)
    this.#isFirst = false
    return Buffer.concat([start, storedHead(block.length), block, FLUSH])
  }
}

/** The head of a part that is stored as it is. */
function storedHead(length: number): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(length, 1)
  head.writeUInt16LE(~length & 0xffff, 3)
  return head
}

/** An empty part ends every block: readers take it as the sign to hand out what they have. */
const FLUSH = storedHead(0)

/** The head of a zlib stream that was made with the dictionary. */
function streamStart(): Buffer {
  const start = Buffer.from([0x78, 0x20, 0, 0, 0, 0])
  start.writeUInt32BE(adler32(DICTIONARY), 2)
  return start
}

function adler32(bytes: Uint8Array): number {
  let a = 1
  let b = 0
  for (const byte of bytes) {
    a = (a + byte) % 65521
    b = (b + a) % 65521
  }
  return b * 65536 + a
}

/** Reads header blocks, which must come in the order in which they were sent. */
export class SpdyHeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: DICTIONARY })
  #plain: Buffer[] = []
  #broken: Error | undefined

  constructor() {
    this.#inflate.on('data', (piece: Buffer) => this.#plain.push(piece))
    this.#inflate.on('error', error => {
      this.#broken = error
    })
  }

  async read(block: Uint8Array): Promise<SpdyHeaders> {
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once('error', reject)
      this.#inflate.write(block, () => {
        this.#inflate.off('error', reject)
        if (this.#broken) reject(this.#broken)
        else resolve()
      })
    })
    const plain = Buffer.concat(this.#plain)
    this.#plain = []
    return parseHeaders(plain)
  }

  close(): void {
    this.#inflate.close()
  }
}

function parseHeaders(block: Buffer): SpdyHeaders {
  if (block.length < 4) throw new Error('a block of headers is cut off')
  const count = block.readUInt32BE(0)
  if (count > MOST_HEADERS || block.length > LARGEST_BLOCK) throw new Error('the headers of a stream are too large')
  const headers: Record<string, string> = {}
  let at = 4
  const text = () => {
    const length = block.readUInt32BE(at)
    at += 4
    if (at + length > block.length) throw new Error('a block of headers is cut off')
    const value = block.toString('utf8', at, at + length)
    at += length
    return value
  }
  for (let i = 0; i < count; i++) {
    const name = text()
    headers[name] = text()
  }
  return headers
}
