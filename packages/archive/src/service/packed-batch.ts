import type { Incoming } from '../ingest/incoming.ts'
import type { Batch } from '../ingest/ingest.ts'

/** A batch in one piece of memory, which is handed to another thread instead of copied. A Buffer of its own for each record would
 *  be sent with the whole pool that it lies in. */
export interface PackedBatch {
  bytes: Uint8Array
  /** Of each record: how long its text is, and how long its content; -1 without. */
  lengths: readonly (readonly [text: number, content: number])[]
  position: Batch['position']
  after: Batch['after']
}

export function packBatch({ records, position, after }: Batch): PackedBatch {
  const total = records.reduce((sum, { text, content }) => sum + text.length + (content?.length ?? 0), 0)
  const bytes = new Uint8Array(total)
  let at = 0
  const lengths = records.map(({ text, content }) => {
    bytes.set(text, at)
    at += text.length
    if (content) bytes.set(content, at)
    at += content?.length ?? 0
    return [text.length, content?.length ?? -1] as const
  })
  return { bytes, lengths, position, after }
}

export function unpackBatch({ bytes, lengths, position, after }: PackedBatch): Batch {
  let at = 0
  const take = (length: number) => Buffer.from(bytes.buffer, bytes.byteOffset + (at += length) - length, length)
  const records = lengths.map(([text, content]): Incoming => {
    const record = { text: take(text) }
    return content < 0 ? record : { ...record, content: take(content) }
  })
  return { records, ...(position ? { position } : {}), ...(after === undefined ? {} : { after }) }
}
