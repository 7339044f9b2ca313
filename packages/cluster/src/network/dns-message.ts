/** DNS messages (RFC 1035, EDNS from RFC 6891) as far as a cluster's name server needs them. */

export const RecordType = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  AXFR: 252,
  ANY: 255,
}
export const ResponseCode = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 }
export const CLASS_IN = 1

/** A name's labels without the root, in Latin-1, as they were written. Names are equal whatever their case. */
export type Labels = readonly string[]

export interface Question {
  labels: Labels
  type: number
  class: number
}

export interface Query {
  id: number
  opcode: number
  isRecursionDesired: boolean
  question: Question
  /** How many bytes the asker takes over UDP. */
  payloadLimit: number
  /** The EDNS version asked for; undefined without EDNS. */
  ednsVersion: number | undefined
}

/** What came in is a query, something that is answered with FORMERR, or something that deserves no answer. */
export type Incoming =
  | { kind: 'query'; query: Query }
  | { kind: 'malformed'; id: number; opcode: number }
  | { kind: 'ignored' }

export type DnsRecord = { name: Labels; ttl: number } & (
  | { type: 'A'; address: string }
  | { type: 'AAAA'; bytes: Uint8Array }
  | { type: 'CNAME' | 'PTR' | 'NS'; target: Labels }
  | { type: 'SRV'; priority: number; weight: number; port: number; target: Labels }
  | { type: 'TXT'; text: string }
  | { type: 'SOA'; server: Labels; mailbox: Labels; serial: number; negativeTtl: number }
)

export interface Answer {
  code: number
  answers: readonly DnsRecord[]
  authority: readonly DnsRecord[]
  additional: readonly DnsRecord[]
}

const HEADER = 12
const SMALLEST_LIMIT = 512
const OWN_PAYLOAD_LIMIT = 1232
const LARGEST_MESSAGE = 65_535

class Malformed extends Error {}

export function decodeQuery(bytes: Uint8Array): Incoming {
  if (bytes.length < HEADER) return { kind: 'ignored' }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const id = view.getUint16(0)
  const flags = view.getUint16(2)
  const opcode = (flags >> 11) & 15
  // Answering an answer could go on for ever.
  if (flags & 0x8000) return { kind: 'ignored' }
  try {
    if (opcode === 0 && view.getUint16(4) !== 1) return { kind: 'malformed', id, opcode }
    const { labels, end } = readName(view, HEADER)
    if (end + 4 > view.byteLength) throw new Malformed('the question is cut off')
    const question = { labels, type: view.getUint16(end), class: view.getUint16(end + 2) }
    const edns = findEdns(view, end + 4, view.getUint16(6) + view.getUint16(8), view.getUint16(10))
    return {
      kind: 'query',
      query: {
        id,
        opcode,
        isRecursionDesired: (flags & 0x0100) !== 0,
        question,
        payloadLimit: Math.max(SMALLEST_LIMIT, Math.min(edns?.payloadLimit ?? SMALLEST_LIMIT, OWN_PAYLOAD_LIMIT)),
        ednsVersion: edns?.version,
      },
    }
  } catch (thrown) {
    if (thrown instanceof Malformed) return { kind: 'malformed', id, opcode }
    throw thrown
  }
}

/** A question to another name server. */
export function encodeQuestion(id: number, { labels, type }: Pick<Question, 'labels' | 'type'>): Uint8Array {
  const writer = new Writer(LARGEST_MESSAGE)
  writer.skip(HEADER)
  writer.name(labels, false)
  writer.uint16(type)
  writer.uint16(CLASS_IN)
  const isRecursionDesired = 0x0100
  return writer.finish([id, isRecursionDesired, 1, 0, 0, 0])
}

/** The addresses and aliases in another name server's answer; undefined when it is malformed. Records of other types are
 *  left out. */
export function decodeAddresses(bytes: Uint8Array): { code: number; records: DnsRecord[] } | undefined {
  if (bytes.length < HEADER) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    let at = HEADER
    for (let left = view.getUint16(4); left > 0; left--) at = readName(view, at).end + 4
    const records: DnsRecord[] = []
    for (let left = view.getUint16(6); left > 0; left--) {
      const { labels: name, end } = readName(view, at)
      const start = end + 10
      if (start > view.byteLength) throw new Malformed('a record is cut off')
      const size = view.getUint16(end + 8)
      at = start + size
      if (at > view.byteLength) throw new Malformed('a record is cut off')
      const data = Uint8Array.from(bytes.subarray(start, at))
      const ttl = view.getUint32(end + 4)
      const type = view.getUint16(end)
      if (type === RecordType.A && size === 4) records.push({ type: 'A', name, ttl, address: data.join('.') })
      if (type === RecordType.AAAA && size === 16) records.push({ type: 'AAAA', name, ttl, bytes: data })
      if (type === RecordType.CNAME) records.push({ type: 'CNAME', name, ttl, target: readName(view, start).labels })
    }
    return { code: view.getUint16(2) & 15, records }
  } catch (thrown) {
    if (thrown instanceof Malformed) return undefined
    throw thrown
  }
}

/** The answer to a message whose question could not be read. */
export function encodeMalformed(id: number, opcode: number): Uint8Array {
  const bytes = new Uint8Array(HEADER)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, id)
  view.setUint16(2, 0x8000 | (opcode << 11) | ResponseCode.FORMERR)
  return bytes
}

/** Records that do not fit into `limit` are left out: of the additional ones silently, of the others with the bit that
 *  tells the asker to come again over TCP. */
export function encodeAnswer(query: Query, answer: Answer, limit: number): Uint8Array {
  const writer = new Writer(limit - (query.ednsVersion === undefined ? 0 : 11))
  writer.skip(HEADER)
  writer.name(query.question.labels, true)
  writer.uint16(query.question.type)
  writer.uint16(query.question.class)
  let isTruncated = false
  const section = (records: readonly DnsRecord[], mayBeLeftOut: boolean) => {
    let count = 0
    for (const record of records) {
      if (isTruncated) return count
      if (!writer.tryRecord(record)) {
        if (!mayBeLeftOut) isTruncated = true
        return count
      }
      count++
    }
    return count
  }
  const counts = [section(answer.answers, false), section(answer.authority, false), section(answer.additional, true)]
  if (query.ednsVersion !== undefined) writer.edns(OWN_PAYLOAD_LIMIT, answer.code >> 4)
  const flags =
    0x8400 |
    (query.opcode << 11) |
    (isTruncated ? 0x0200 : 0) |
    (query.isRecursionDesired ? 0x0100 : 0) |
    0x0080 |
    (answer.code & 15)
  const additional = (counts[2] ?? 0) + (query.ednsVersion === undefined ? 0 : 1)
  return writer.finish([query.id, flags, 1, counts[0] ?? 0, counts[1] ?? 0, additional])
}

function readName(view: DataView, start: number): { labels: string[]; end: number } {
  const labels: string[] = []
  let at = start
  let end: number | undefined
  let length = 1
  while (true) {
    if (at >= view.byteLength) throw new Malformed('a name is cut off')
    const size = view.getUint8(at)
    if (size === 0) return { labels, end: end ?? at + 1 }
    if (size >= 0xc0) {
      if (at + 1 >= view.byteLength) throw new Malformed('a pointer is cut off')
      const target = view.getUint16(at) & 0x3fff
      end ??= at + 2
      // A pointer leads backwards, so that names end.
      if (target >= at || target < HEADER) throw new Malformed('a pointer leads forward')
      at = target
      continue
    }
    if (size > 63) throw new Malformed('a label is too long')
    if (at + 1 + size > view.byteLength) throw new Malformed('a label is cut off')
    length += size + 1
    if (length > 255) throw new Malformed('a name is too long')
    let label = ''
    for (let index = at + 1; index <= at + size; index++) label += String.fromCharCode(view.getUint8(index))
    labels.push(label)
    at += size + 1
  }
}

function findEdns(view: DataView, start: number, skipped: number, additional: number) {
  let at = start
  for (let index = 0; index < skipped + additional; index++) {
    const { labels, end } = readName(view, at)
    if (end + 10 > view.byteLength) throw new Malformed('a record is cut off')
    const size = view.getUint16(end + 8)
    if (end + 10 + size > view.byteLength) throw new Malformed('a record is cut off')
    if (index >= skipped && view.getUint16(end) === RecordType.OPT && labels.length === 0) {
      return { payloadLimit: view.getUint16(end + 2), version: view.getUint8(end + 5) }
    }
    at = end + 10 + size
  }
  return undefined
}

class Writer {
  readonly #limit: number
  #bytes = Buffer.alloc(SMALLEST_LIMIT)
  #length = 0
  /** Where a name that may be pointed to begins. */
  readonly #names = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  skip(count: number): void {
    this.#reserve(count)
    this.#length += count
  }

  uint8(value: number): void {
    this.#reserve(1)
    this.#length = this.#bytes.writeUInt8(value, this.#length)
  }

  uint16(value: number): void {
    this.#reserve(2)
    this.#length = this.#bytes.writeUInt16BE(value, this.#length)
  }

  uint32(value: number): void {
    this.#reserve(4)
    this.#length = this.#bytes.writeUInt32BE(value, this.#length)
  }

  name(labels: Labels, isCompressed: boolean): void {
    for (const [index, label] of labels.entries()) {
      const rest = labels.slice(index).join('\0').toLowerCase()
      const known = isCompressed ? this.#names.get(rest) : undefined
      if (known !== undefined) return this.uint16(0xc000 | known)
      if (this.#length < 0x3fff && !this.#names.has(rest)) this.#names.set(rest, this.#length)
      this.uint8(label.length)
      this.#reserve(label.length)
      this.#length += this.#bytes.write(label, this.#length, 'latin1')
    }
    this.uint8(0)
  }

  tryRecord(record: DnsRecord): boolean {
    const before = this.#length
    this.name(record.name, true)
    this.uint16(RecordType[record.type])
    this.uint16(CLASS_IN)
    this.uint32(record.ttl)
    const sizeAt = this.#length
    this.uint16(0)
    this.#data(record)
    this.#bytes.writeUInt16BE(this.#length - sizeAt - 2, sizeAt)
    if (this.#length <= this.#limit) return true
    this.#length = before
    for (const [name, at] of this.#names) if (at >= before) this.#names.delete(name)
    return false
  }

  edns(payloadLimit: number, highCode: number): void {
    this.uint8(0)
    this.uint16(RecordType.OPT)
    this.uint16(payloadLimit)
    this.uint8(highCode)
    this.uint8(0)
    this.uint16(0)
    this.uint16(0)
  }

  finish(header: readonly number[]): Uint8Array {
    for (const [index, value] of header.entries()) this.#bytes.writeUInt16BE(value, index * 2)
    return this.#bytes.subarray(0, this.#length)
  }

  #data(record: DnsRecord): void {
    switch (record.type) {
      case 'A':
        for (const part of record.address.split('.')) this.uint8(Number(part))
        return
      case 'AAAA':
        for (const byte of record.bytes) this.uint8(byte)
        return
      case 'CNAME':
      case 'PTR':
      case 'NS':
        return this.name(record.target, true)
      case 'SRV':
        this.uint16(record.priority)
        this.uint16(record.weight)
        this.uint16(record.port)
        return this.name(record.target, false)
      case 'TXT': {
        const text = record.text.slice(0, 255)
        this.uint8(text.length)
        this.#reserve(text.length)
        this.#length += this.#bytes.write(text, this.#length, 'latin1')
        return
      }
      case 'SOA':
        this.name(record.server, true)
        this.name(record.mailbox, true)
        for (const value of [record.serial, 7200, 1800, 86_400, record.negativeTtl]) this.uint32(value)
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + count))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}
