import { createHash } from 'node:crypto'
import type { Msg, MsgHdrs } from '@nats-io/transport-node'
import type { Entry } from '../journal.ts'

/** A record as its stream holds it: one message, whose sequence is the record's position. */
export interface StreamMessage {
  position: number
  /** The same for all records of one key, and one for all that have none. */
  subject: string
  /** Which append of which writer it is. */
  id: string
  key: string | undefined
  deleted: boolean
  data: Buffer
  /** Where the content is, when one message cannot carry it. */
  parts: Parts | undefined
}

export interface Parts {
  name: string
  count: number
}

/** Names of the headers. */
const ID = 'Tiphys-Id'
const KEY = 'Tiphys-Key'
const END = 'Tiphys-End'
const PARTS = 'Tiphys-Parts'

/** What no message takes more of beside its content and its key. */
export const OTHER_HEADERS = 512
/** A key's bytes may triple when they are written into a header, and a server takes 64 KiB of headers. */
export const LONGEST_KEY = 16_384

const PLAIN = 'plain'

/** The last words of the subject of a record. */
export function topicOf(key: string | undefined): string {
  if (key === undefined) return PLAIN
  return `key.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}

export function isPlain(subject: string): boolean {
  return subject.endsWith(`.${PLAIN}`)
}

export function setHeaders(
  headers: MsgHdrs,
  { id, key, deleted, parts }: Pick<StreamMessage, 'id' | 'key' | 'deleted' | 'parts'>,
): void {
  headers.set(ID, id)
  // The sign in front keeps an empty key apart from none.
  if (key !== undefined) headers.set(KEY, `=${escapeText(key)}`)
  if (deleted) headers.set(END, '1')
  if (parts) headers.set(PARTS, `${parts.name} ${parts.count}`)
}

/** Reads a message that the server was asked for directly. */
export function readMessage({ headers, data }: Msg): StreamMessage {
  const header = (name: string) => headers?.get(name) ?? ''
  const key = header(KEY)
  const [name = '', count] = header(PARTS).split(' ')
  return {
    position: Number(header('Nats-Sequence')),
    subject: header('Nats-Subject'),
    id: header(ID),
    key: key === '' ? undefined : unescapeText(key.slice(1)),
    deleted: header(END) !== '',
    data: Buffer.from(data.buffer, data.byteOffset, data.length),
    parts: name === '' ? undefined : { name, count: Number(count) },
  }
}

/** The id in the raw headers of a message. */
export function idIn(headers: string): string | undefined {
  return /^Tiphys-Id: *(\S*)/m.exec(headers)?.[1]
}

export function entryOf({ position, key, deleted, data }: StreamMessage): Entry {
  return { position, key, data, deleted }
}

/** Everything but visible ASCII as %XX, byte by byte, because a header is one line of text. */
function escapeText(text: string): string {
  if (/^[!-$&-~]*$/.test(text)) return text
  let escaped = ''
  for (const byte of Buffer.from(text))
    escaped +=
      byte > 0x20 && byte < 0x7f && byte !== 0x25 ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`
  return escaped
}

function unescapeText(escaped: string): string {
  if (!escaped.includes('%')) return escaped
  const bytes: number[] = []
  for (let i = 0; i < escaped.length; i++) {
    if (escaped[i] !== '%') bytes.push(escaped.charCodeAt(i))
    else {
      bytes.push(Number.parseInt(escaped.slice(i + 1, i + 3), 16))
      i += 2
    }
  }
  return Buffer.from(bytes).toString()
}
