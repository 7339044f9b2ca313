import { parseJson } from './json.ts'

/** So many objects are remembered: as many as may be told between the answer to a write and its event. */
const REMEMBERED = 128
/** Larger ones are rare, and are not worth the memory. */
const LARGEST = 32 * 1024

const VERSION = '"resourceVersion":"'
const EVENT = /^\{"type":"(ADDED|MODIFIED|DELETED)","object":/

interface Read {
  text: string
  value: unknown
}

/** Reads objects as JSON for callers that only read. Who writes and follows what is written gets most texts twice, as the answer
 *  to the write and as an event, in either order: the second time the very object of the first is given, unread. */
export class RecentTexts {
  /** By the version that the text tells first; whether it is the same text is seen by comparing. */
  readonly #read = new Map<string, Read>()
  /** Who never writes is told nothing twice, and nothing is remembered for it. */
  #isWriter = false

  /** The object that an answer has. */
  object(text: string): unknown {
    this.#isWriter = true
    return this.#objectOf(text)
  }

  /** The event of a watch that a line has. */
  event(line: string): unknown {
    const [head, type] = (this.#isWriter && EVENT.exec(line)) || []
    if (head === undefined) return parseJson(line)
    try {
      return { type, object: this.#objectOf(line.slice(head.length, -1)) }
    } catch {
      return parseJson(line) // there is more in it than the object, or less
    }
  }

  #objectOf(text: string): unknown {
    const version = text.length > LARGEST ? undefined : versionIn(text)
    if (version === undefined) return parseJson(text)
    const known = this.#read.get(version)
    if (known?.text === text) {
      // Hardly any is told a third time.
      this.#read.delete(version)
      return known.value
    }
    const value = parseJson(text)
    this.#read.set(version, { text, value })
    if (this.#read.size > REMEMBERED) this.#read.delete(this.#read.keys().next().value as string)
    return value
  }
}

function versionIn(text: string): string | undefined {
  const at = text.indexOf(VERSION)
  if (at < 0) return undefined
  const start = at + VERSION.length
  return text.slice(start, text.indexOf('"', start))
}
