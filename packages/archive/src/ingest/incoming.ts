import { decodeRecord, type TraceRecord, type UnknownRecord } from '@tiphys/journal/records'
import { slicesOf, type Wanted, without } from './json-slices.ts'
import { PAYLOAD, type SplitPayload, splitPayload } from './payload.ts'

/** A record on its way into the database. */
export interface Incoming {
  /** As it was stored in the journal. */
  text: Uint8Array
  /** Of a log record: the output it refers to; undefined when that is gone. */
  content?: Uint8Array
}

export interface Decoded {
  /** What is kept as the record: of an event, without its payload. */
  text: Buffer
  content: Buffer | undefined
  /** Of an event, without its payload. */
  record: TraceRecord | UnknownRecord
  payload: SplitPayload | undefined
}

const IS_EVENT = Buffer.from('"kind":"event"')

export function decode({ text, content }: Incoming): Decoded {
  const bytes = asBuffer(text)
  const event = bytes.includes(IS_EVENT) ? decodeEvent(bytes) : undefined
  if (event) return event
  const decoded = decodeRecord(bytes.toString())
  const record = isUsable(decoded) ? decoded : asUnknown(decoded)
  return { text: bytes, content: content && asBuffer(content), record, payload: undefined }
}

const EVENT: Wanted = [['body', PAYLOAD]]

/** A payload is cut out before the record is read: it is longer than all else, and nobody needs its values here. Undefined when
 *  there is none. */
function decodeEvent(bytes: Buffer): Decoded | undefined {
  let whole: Buffer | undefined = bytes
  let slices = slicesOf(whole, EVENT)
  if (!slices) {
    // What another hand than ours wrote is written anew.
    whole = rewritten(bytes)
    slices = whole && slicesOf(whole, EVENT)
  }
  const body = slices?.body
  if (!whole || !body) return undefined
  const text = without(whole, { start: 0, end: whole.length }, [body])
  const record = decodeRecord(text.toString())
  if (record.kind !== 'event' || !isUsable(record)) return undefined
  return { text, content: undefined, record, payload: splitPayload(whole, body) }
}

function rewritten(bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(bytes.toString())))
  } catch {
    // No JSON: it is kept as a record of an unknown kind.
    return undefined
  }
}

/** Bytes that came from another thread are no Buffers any more. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A record says of itself what it is, and may come from a file that somebody wrote: one without the fields of its kind is
 *  kept like one of an unknown kind. */
function isUsable(record: TraceRecord | UnknownRecord): boolean {
  switch (record.kind) {
    case 'event':
      return isPart(record.source) && isText(record.type) && record.trace !== ''
    case 'decision':
      return isPart(record.trigger) && isText(record.verdict) && Array.isArray(record.events)
    case 'delivery':
      return isPart(record.trigger) && isText(record.action) && isText(record.outcome) && Array.isArray(record.events)
    case 'run':
      return isRun(record.run) && isText(record.phase)
    case 'step':
      return isRun(record.run) && isText(record.step) && isText(record.name) && isText(record.phase)
    case 'log':
      return (
        isRun(record.run) && isText(record.step) && isText(record.container) && typeof record.chunk?.bytes === 'number'
      )
    case 'write':
      return (
        isObject(record.object) &&
        isText(record.verb) &&
        isText(record.outcome) &&
        isText(record.uid) &&
        isText(record.resourceVersion)
      )
    case 'health':
      return isObject(record.object) && isText(record.condition) && isText(record.status) && isText(record.reason)
    case 'audit':
      return isText(record.who) && isText(record.did) && isText(record.outcome) && typeof record.target === 'object'
    case 'gap':
      return typeof record.dropped === 'number'
    case 'unknown':
      return true
  }
}

function asUnknown(record: TraceRecord | UnknownRecord): UnknownRecord {
  const { v, at, trace, kind } = record
  return { kind: 'unknown', v, at, trace, of: kind, content: record as never }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isPart = (value: { namespace: unknown; name: unknown; part: unknown } | undefined): boolean =>
  isText(value?.namespace) && isText(value?.name) && isText(value?.part)
const isRun = (value: { namespace: unknown; name: unknown; uid: unknown } | undefined): boolean =>
  isText(value?.namespace) && isText(value?.name) && isText(value?.uid)
const isObject = (value: { apiVersion: unknown; kind: unknown; name: unknown } | undefined): boolean =>
  isText(value?.apiVersion) && isText(value?.kind) && isText(value?.name)
