import { FRAME_PREFIX } from '../pods/wrapper.ts'

/** What the wrapper said in the log, apart from what the command printed. */
export interface Frame {
  /** A file's content, that there is none, that it cannot be read; or that the container waits to be released. */
  type: 'content' | 'missing' | 'unreadable' | 'held'
  /** Of the file; of `held` the process that waits. */
  name: string
  content: Buffer
}

export interface FrameReader {
  /** Takes the next bytes of a log; returns those that the command itself printed, as far as that is certain. */
  push(bytes: Uint8Array): Buffer
  /** What was held back, when the log has ended. */
  end(): Buffer
}

const NEWLINE = 0x0a

/** Takes a container's log apart. The wrapper begins with a line break that is its own, so that the first frame stands on a
 *  line of its own; between frames other lines may stand, from what the command has left running. */
export function createFrameReader(nonce: string, onFrame: (frame: Frame) => void): FrameReader {
  const prefix = `${FRAME_PREFIX}${nonce}:`
  const start = Buffer.from(`\n${prefix}`)
  let isFraming = false
  let waiting: Buffer = Buffer.alloc(0)
  let open: { name: string; encoding: 'base64' | 'hex'; text: string[] } | undefined

  const takeLine = (line: string): string | undefined => {
    if (line.startsWith(prefix)) {
      const said = line.slice(prefix.length)
      const colon = said.indexOf(':')
      const [word, name] = colon < 0 ? [said, ''] : [said.slice(0, colon), said.slice(colon + 1)]
      if (word === 'base64' || word === 'hex') open = { name, encoding: word, text: [] }
      else if (word === 'end' && open) {
        onFrame({ type: 'content', name: open.name, content: Buffer.from(open.text.join(''), open.encoding) })
        open = undefined
      } else if (word === 'missing' || word === 'unreadable' || word === 'held')
        onFrame({ type: word, name, content: Buffer.alloc(0) })
      return undefined
    }
    if (!open || !/^[\sA-Za-z0-9+/=]*$/.test(line)) return line
    open.text.push(line.replaceAll(/\s/g, ''))
    return undefined
  }

  const takeLines = (): Buffer => {
    const own: string[] = []
    for (;;) {
      const end = waiting.indexOf(NEWLINE)
      if (end < 0) break
      const line = waiting.subarray(0, end).toString()
      waiting = waiting.subarray(end + 1)
      const left = takeLine(line)
      if (left !== undefined) own.push(`${left}\n`)
    }
    return Buffer.from(own.join(''))
  }

  return {
    push(bytes) {
      waiting = waiting.length === 0 ? Buffer.from(bytes) : Buffer.concat([waiting, bytes])
      if (isFraming) return takeLines()
      const at = waiting.indexOf(start)
      if (at < 0) {
        const certain = waiting.length - possibleStart(waiting, start)
        const own = waiting.subarray(0, certain)
        waiting = waiting.subarray(certain)
        return own
      }
      isFraming = true
      const before = waiting.subarray(0, at)
      waiting = waiting.subarray(at + 1)
      return Buffer.concat([before, takeLines()])
    },
    end() {
      const rest = waiting
      waiting = Buffer.alloc(0)
      if (!isFraming) return rest
      const left = rest.length > 0 ? takeLine(rest.toString()) : undefined
      return Buffer.from(left ?? '')
    },
  }
}

/** How many of the last bytes could be the beginning of `start`. */
function possibleStart(bytes: Buffer, start: Buffer): number {
  for (let length = Math.min(bytes.length, start.length - 1); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(start.subarray(0, length))) return length
  return 0
}
