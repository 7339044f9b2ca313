/** A reply of Redis in RESP2. A failure is a value: among others in a list, it does not end the list. */
export type RedisReply = string | number | null | RedisFailure | readonly RedisReply[]

export class RedisFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RedisFailure'
  }
}

/** One command, as the server reads it. */
export function encodeCommand(parts: readonly (string | number)[]): Buffer {
  const encoded = parts.map(part => {
    const bytes = Buffer.from(String(part))
    return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, CRLF])
  })
  return Buffer.concat([Buffer.from(`*${parts.length}\r\n`), ...encoded])
}

const CRLF = Buffer.from('\r\n')
/** Redis' own limit of a value; one beyond it is none. */
const MOST_BYTES = 512 * 2 ** 20
const MOST_ITEMS = 2 ** 20
const DEEPEST = 32
const LONGEST_LINE = 64 * 1024

/** Cuts what comes from a server into replies, however it was cut before. Throws an Error on what is no RESP. */
export class ReplyReader {
  #chunks: Buffer[] = []
  #size = 0
  /** Nothing is complete before so many bytes are there. */
  #needed = 1

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /** The next reply, or undefined until more has come. */
  next(): RedisReply | undefined {
    if (this.#size < this.#needed) return undefined
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
    this.#chunks = [bytes]
    const reading = new Reading(bytes)
    const reply = reading.reply(0)
    if (reply === undefined) {
      this.#needed = Math.max(reading.needed, bytes.length + 1)
      return undefined
    }
    this.#needed = 1
    this.#chunks = [bytes.subarray(reading.at)]
    this.#size = bytes.length - reading.at
    return reply
  }
}

class Reading {
  readonly #bytes: Buffer
  at = 0
  needed = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  reply(depth: number): RedisReply | undefined {
    const line = this.#line()
    if (line === undefined) return undefined
    const rest = line.slice(1)
    switch (line[0]) {
      case '+':
        return rest
      case '-':
        return new RedisFailure(rest)
      case ':':
        return number(rest)
      case '$':
        return this.#text(number(rest))
      case '*':
        return this.#list(number(rest), depth)
      default:
        throw new Error(
          `the server does not speak Redis' protocol: it begins with ${JSON.stringify(line.slice(0, 40))}`,
        )
    }
  }

  #line(): string | undefined {
    const end = this.#bytes.indexOf(CRLF, this.at)
    if (end < 0) {
      if (this.#bytes.length - this.at > LONGEST_LINE) throw new Error('a line of the server has no end')
      return undefined
    }
    const line = this.#bytes.toString('utf8', this.at, end)
    this.at = end + CRLF.length
    return line
  }

  #text(length: number): string | null | undefined {
    if (length === -1) return null
    if (length < 0 || length > MOST_BYTES) throw new Error(`a value of ${length} bytes is not read`)
    const end = this.at + length + CRLF.length
    this.needed = end
    if (this.#bytes.length < end) return undefined
    const text = this.#bytes.toString('utf8', this.at, this.at + length)
    this.at = end
    return text
  }

  #list(length: number, depth: number): RedisReply | undefined {
    if (length === -1) return null
    if (length < 0 || length > MOST_ITEMS || depth >= DEEPEST) throw new Error(`a list of ${length} items is not read`)
    const items: RedisReply[] = []
    for (let i = 0; i < length; i++) {
      const item = this.reply(depth + 1)
      if (item === undefined) return undefined
      items.push(item)
    }
    return items
  }
}

function number(text: string): number {
  if (!/^[+-]?\d{1,15}$/.test(text)) throw new Error(`the server sent ${JSON.stringify(text)} where a number belongs`)
  return Number(text)
}
