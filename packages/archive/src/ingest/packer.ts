import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { PackRow } from '../database/rows.ts'
import { corruptDatabase } from '../failures.ts'

export const PACK_TYPES = { records: 0, contents: 1 } as const

/** More of one kind compresses better, less is quicker to read one of. */
const PACK_BYTES = 96 * 1024
/** Of seven times the speed of the usual one, for a fifth more bytes. */
const LEVEL = 1

export interface Place {
  pack: number
  start: number
  size: number
}

/** Contents that were put together, as they are. */
export interface LoosePack extends Pick<PackRow, 'id' | 'type' | 'first' | 'last'> {
  content: Uint8Array
}

/** Puts small contents together, which are compressed together by the one who stores them. */
export class Packer {
  readonly #type: number
  readonly #nextId: () => number
  readonly #packs: LoosePack[] = []
  #parts: Buffer[] = []
  #bytes = 0
  #id = 0
  #first = 0
  #last = 0

  constructor(type: number, nextId: () => number) {
    this.#type = type
    this.#nextId = nextId
  }

  /** Where it will be. `record` is the record that needs it. */
  add(content: Buffer, record: number): Place {
    if (this.#bytes > 0 && this.#bytes + content.length > PACK_BYTES) this.#flush()
    if (this.#bytes === 0 && this.#parts.length === 0) {
      this.#id = this.#nextId()
      this.#first = record
    }
    const place = { pack: this.#id, start: this.#bytes, size: content.length }
    this.#parts.push(content)
    this.#bytes += content.length
    this.#last = record
    return place
  }

  /** All that was added. */
  finish(): LoosePack[] {
    this.#flush()
    return this.#packs
  }

  #flush(): void {
    if (this.#parts.length === 0) return
    // A copy: the parts lie in the memory of a whole batch, which would be sent to another thread with them.
    const content = Buffer.concat(this.#parts)
    this.#packs.push({ id: this.#id, type: this.#type, first: this.#first, last: this.#last, content })
    this.#parts = []
    this.#bytes = 0
  }
}

export function compress({ content, ...about }: LoosePack): PackRow {
  const data = deflateRawSync(content, { level: LEVEL })
  return { ...about, used: about.last, raw: content.length, sum: crc32(content), data }
}

/** The content, if it is what was stored. */
export function unpack({ id, raw, sum, data }: Pick<PackRow, 'id' | 'raw' | 'sum' | 'data'>, place: string): Buffer {
  let content: Buffer | undefined
  try {
    content = inflateRawSync(data, { maxOutputLength: Math.max(1, raw) })
  } catch (error) {
    throw corruptDatabase(place, `the content ${id} cannot be read`, error)
  }
  if (content.length !== raw || crc32(content) !== sum)
    throw corruptDatabase(place, `the content ${id} is not what was stored`)
  return content
}
