import { encodeRecord } from '@tiphys/journal/records'
import type { ArchiveOptions } from '../open.ts'
import { type RecordStreamOptions, recordStream } from './record-stream.ts'

export interface StreamedJournal {
  journal: NonNullable<ArchiveOptions['journal']>
  logs: NonNullable<ArchiveOptions['logs']>
  /** Resolves when all of it was read. */
  ended: Promise<void>
}

/** A journal whose records are made as they are read, the same each time: an archive that follows it goes on where it has stopped. */
export function streamedJournal(
  options: RecordStreamOptions,
  onRead: (position: number) => void = () => {},
): StreamedJournal {
  const outputs = new Map<string, Buffer>()
  // How many there will be is not known until the last was made.
  let head = Number.MAX_SAFE_INTEGER
  let end: () => void = () => {}
  const ended = new Promise<void>(resolve => (end = resolve))
  return {
    ended,
    logs: {
      async read({ key }) {
        const output = outputs.get(key)
        outputs.delete(key)
        if (!output) throw new Error(`there is no output ${key}`)
        return output
      },
    },
    journal: {
      get head() {
        return head
      },
      async *follow(from, signal) {
        let position = 0
        for (const { record, content } of recordStream(options)) {
          if (++position < from) continue
          if (signal.aborted) return
          if (record.kind === 'log' && content) outputs.set(record.chunk.key, content)
          yield { position, key: undefined, data: Buffer.from(encodeRecord(record)), deleted: false }
          onRead(position)
        }
        head = position
        end()
        await new Promise<void>(resolve => {
          if (signal.aborted) resolve()
          else signal.addEventListener('abort', () => resolve(), { once: true })
        })
      },
    },
  }
}
