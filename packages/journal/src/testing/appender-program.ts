import { writeSync } from 'node:fs'
import { Failure, systemEnv } from '@tiphys/env'
import { openFileJournal } from '../file/file-journal.ts'
import { knownRecord } from './known-records.ts'

/* A process that appends known records to a journal and prints one line for each acknowledgement, until it is killed or
 * refused. Run as: program DIRECTORY MODE SEGMENT_BYTES. */

const [directory, mode, segmentBytes] = process.argv.slice(2) as [string, 'honest' | 'hasty' | 'idle', string]

const say = (line: string) => writeSync(1, `${line}\n`)

async function appendForEver(): Promise<void> {
  const journal = await openFileJournal({ directory, env: systemEnv, segmentBytes: Number(segmentBytes) })
  say(`open ${journal.head}`)
  if (mode === 'idle') return void setInterval(() => {}, 1000)
  if (mode === 'hasty') {
    for (let i = 0; i < 20; i++) say(`acknowledged ${journal.submit(knownRecord(journal.next)).position}`)
    // The planted bug: acknowledged, and nothing has been written yet.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
  const horizon = journal.head - 50
  if (horizon > journal.horizon) {
    say(`compacting ${horizon}`)
    await Promise.all([journal.compact({ before: horizon }), ...appenders()])
  } else await Promise.all(appenders())

  function appenders(): Promise<void>[] {
    return Array.from({ length: 8 }, async () => {
      for (;;) say(`acknowledged ${await journal.append(knownRecord(journal.next))}`)
    })
  }
}

appendForEver().catch(error => {
  say(`failed ${error instanceof Failure ? error.code : 'unknown'} ${String(error).replaceAll('\n', ' ')}`)
  // Time for a wrong acknowledgement to show itself.
  setTimeout(() => process.exit(3), 200)
})
